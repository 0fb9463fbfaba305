package policydoc

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Text is text from a spec. Printed by a template it is one line of Markdown that shows the text and does nothing else:
// no markup, no HTML, no table cell, no template action of a site generator.
type Text string

// String is the text as inline Markdown.
func (t Text) String() string { return escapeText(oneLine(string(t))) }

// Raw is the text as the spec has it.
func (t Text) Raw() string { return string(t) }

// Code is a value from a spec that is shown as code.
type Code string

// String is the value as a Markdown code span, or as a <code> element where a span cannot hold it: a table cell ends at a
// pipe even within a span, and site generators look for {{ in code too.
func (c Code) String() string {
	text := oneLine(string(c))
	switch {
	case text == "":
		return `""`
	case strings.ContainsAny(text, "`|") || strings.Contains(text, "{{") || strings.Contains(text, "{%"):
		return "<code>" + entities(text) + "</code>"
	default:
		return "`" + text + "`"
	}
}

// Raw is the value as the spec has it.
func (c Code) Raw() string { return string(c) }

// Plain is the value in one line, without any markup.
func (c Code) Plain() string { return oneLine(string(c)) }

// Prose is text from a spec of several paragraphs.
type Prose string

// String is the text as Markdown paragraphs. Of its own markup only code spans are kept: a spec is not trusted with more.
func (p Prose) String() string {
	var paragraphs []string
	for _, paragraph := range strings.Split(strings.ReplaceAll(string(p), "\r\n", "\n"), "\n\n") {
		if line := oneLine(paragraph); line != "" {
			paragraphs = append(paragraphs, withCodeSpans(line))
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func withCodeSpans(line string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // a backtick without its other half
		return escapeText(line)
	}
	for i, part := range parts {
		if i%2 == 1 && part != "" {
			parts[i] = Code(part).String()
		} else {
			parts[i] = escapeText(part)
		}
	}
	return strings.Join(parts, "")
}

// Block is text for a fenced code block.
type Block string

// Fence is a fence longer than any within the block.
func (b Block) Fence() string {
	fence := "```"
	for strings.Contains(string(b), fence) {
		fence += "`"
	}
	return fence
}

// String is the block's text without what is invisible, ending without a newline.
func (b Block) String() string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, string(b)), "\n")
}

// link is an address that a page may link to; "" where the text is none. Only http and https pass: a spec must not bring
// a script into a page.
func link(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", `\`, "%5C", `"`, "%22").Replace(u.String())
}

// oneLine replaces every run of white space and control characters by one space, and drops what is invisible and changes
// how the rest is read (direction marks, zero-width characters).
func oneLine(text string) string {
	return strings.Join(strings.Fields(visibleRunes(text)), " ")
}

// markup is the punctuation that CommonMark, GitHub's and common site generators' dialects give a meaning within a line.
const markup = "\\`*_[]<>|~&$#{}"

func escapeText(line string) string {
	var out strings.Builder
	for i, r := range line {
		switch {
		case strings.ContainsRune(`<>&{}`, r):
			fmt.Fprintf(&out, "&#%d;", r)
		case strings.ContainsRune(markup, r), i == 0 && strings.ContainsRune("-+=!:.", r):
			out.WriteRune('\\')
			out.WriteRune(r)
		case strings.ContainsRune(".)", r) && onlyDigits(line[:i]) && (i+1 == len(line) || line[i+1] == ' '): // would begin a list
			out.WriteRune('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func onlyDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// entities writes everything but letters, digits and spaces as character references.
func entities(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r == ' ' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "&#%d;", r)
		}
	}
	return out.String()
}
