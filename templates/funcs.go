package templates

import (
	"strings"
	"text/template"
)

// funcs are what a template may call beside text/template's own.
var funcs = template.FuncMap{
	"join":    func(separator string, parts []string) string { return strings.Join(parts, separator) },
	"comment": comment,
}

// comment turns text into SQL comment lines, whatever newlines it holds.
func comment(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = "-- " + line
	}
	return strings.Join(lines, "\n")
}
