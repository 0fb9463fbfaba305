package main

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// A terminal of 80 columns shows every help page as it was meant; commands to copy alone are not broken.
func TestHelpFitsATerminal(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" {
			return // cobra's own text
		}
		var out strings.Builder
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth && !strings.HasPrefix(strings.TrimSpace(line), "idemgen ") && !strings.Contains(line, "--header-env") {
				t.Errorf("%s --help has a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(newSession(io.Discard, io.Discard, func(string) (string, bool) { return "", false })))
}

func TestFlow(t *testing.T) {
	const (
		text = "Some words that are written in lines which are longer than a terminal of today is wide, and\nshort ones.\n\n" +
			"  name                  what it is, in words that go on for a while and end where the terminal\n" +
			"                        has ended before\n" +
			"  other                 short\n\n" +
			"  1. An item that goes on for a while, with words and more words and again more words, so\n     that it has two lines.\n\n" +
			"      idemgen --a-command-that-is-copied and-that-is-longer-than-the-terminal-is-wide-so-it-stays-whole\n"
		want = "Some words that are written in lines which are longer than a terminal of today\nis wide, and short ones.\n\n" +
			"  name                  what it is, in words that go on for a while and end\n" +
			"                        where the terminal has ended before\n" +
			"  other                 short\n\n" +
			"  1. An item that goes on for a while, with words and more words and again more\n     words, so that it has two lines.\n\n" +
			"      idemgen --a-command-that-is-copied and-that-is-longer-than-the-terminal-is-wide-so-it-stays-whole\n"
	)
	if got := flow(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := flow(want); again != want {
		t.Errorf("a text that fits is changed:\n%s", again)
	}
}
