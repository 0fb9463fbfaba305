package gocode

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

const (
	commentWidth = 110 // columns of a wrapped comment line, its slashes included
	commentLimit = 400 // characters of a document's text that go into a comment
)

// doc writes a document's text as a comment that stands before a declaration: lead is ours, text is the document's. Only
// the first paragraph of text is taken. Whatever text holds, it stays within line comments: every line gets its own
// slashes, control and formatting characters (line separators, bidirectional overrides, byte order marks) are taken out,
// and no line can be read as a directive or a build constraint.
func doc(lead, text string) *jen.Statement {
	s := jen.Null()
	for _, line := range docLines(lead, text) {
		s.Comment(line).Line()
	}
	return s
}

func docLines(lead, text string) []string {
	lines := breakLines(cleanLine(lead) + " " + firstParagraph(text))
	for i, line := range lines {
		lines[i] = commentLine(line)
	}
	return lines
}

// remark writes a document's text as a comment at the end of a line.
func remark(text string) string {
	return commentLine(firstParagraph(text))
}

// commentLine makes one clean line a comment. A line that begins with "+build" would be one too many: go/printer takes it
// for a build constraint wherever it stands, and moves it to the top of the file.
func commentLine(line string) string {
	if strings.HasPrefix(line, "+") {
		line = "(plus) " + line[1:]
	}
	return "// " + line
}

// firstParagraph returns the first paragraph of a CommonMark text as one clean line.
func firstParagraph(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
	paragraph := ""
	for p := range strings.SplitSeq(text, "\n\n") {
		if paragraph = cleanLine(p); paragraph != "" {
			break
		}
	}
	if runes := []rune(paragraph); len(runes) > commentLimit {
		paragraph = cutSentence(string(runes[:commentLimit]))
	}
	return paragraph
}

// cutSentence cuts a text after its last whole sentence, or in the middle of one that is longer than the text.
func cutSentence(text string) string {
	if end := strings.LastIndex(text, ". "); end > 0 {
		return text[:end+1]
	}
	return strings.TrimSpace(text) + " …"
}

// cleanLine collapses white space and takes out what is not to be seen.
func cleanLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}

// breakLines breaks a line at spaces. A word that is longer than a line stays whole.
func breakLines(line string) []string {
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		if current != "" && len(current)+1+len(word) > commentWidth-len("// ") {
			lines = append(lines, current)
			current = ""
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}
