package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpWidth is how many columns a help page has.
const helpWidth = 80

// fitHelp has the help pages of cmd and of all that is below it fit into helpWidth. What is copied, an example or a line
// that stands for itself, is not broken.
func fitHelp(cmd *cobra.Command) {
	usage := cmd.UsageTemplate()
	for _, flags := range []string{"LocalFlags", "InheritedFlags"} {
		usage = strings.ReplaceAll(usage, "."+flags+".FlagUsages ", fmt.Sprintf(".%s.FlagUsagesWrapped %d ", flags, helpWidth))
	}
	cmd.SetUsageTemplate(usage)
	flowLong(cmd)
}

func flowLong(cmd *cobra.Command) {
	cmd.Long = flow(cmd.Long)
	for _, sub := range cmd.Commands() {
		flowLong(sub)
	}
}

// flow breaks the lines of a text anew: those of a paragraph, and those of an item, which is a line with further ones
// below it that are indented more.
func flow(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); {
		first, end := indent(lines[i]), i+1
		hanging := first
		if end < len(lines) && lines[i] != "" && first > 0 && indent(lines[end]) > first {
			hanging = indent(lines[end])
		}
		for end < len(lines) && lines[i] != "" && lines[end] != "" && indent(lines[end]) == hanging && (first == 0 || hanging > first) {
			end++
		}
		if end-i == 1 && first > 0 || len(lines[i]) < hanging {
			out = append(out, lines[i:end]...)
		} else {
			out = append(out, wrapped(lines[i][:hanging], lines[i][hanging:]+" "+strings.Join(lines[i+1:end], " "), hanging)...)
		}
		i = end
	}
	return strings.Join(out, "\n")
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// wrapped are words in lines, the first after prefix and the others indented as far.
func wrapped(prefix, text string, hanging int) []string {
	var lines []string
	line, empty := prefix, true
	for _, word := range strings.Fields(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > helpWidth:
			lines = append(lines, line)
			line = strings.Repeat(" ", hanging) + word
		default:
			line += " " + word
		}
		empty = false
	}
	return append(lines, line)
}
