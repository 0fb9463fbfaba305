package migration

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIdentifier is PostgreSQL's limit for a name, in bytes; a longer one would be cut without an error.
const maxIdentifier = 63

// quoteIdentifier writes one name as SQL reads it back exactly, whatever it is. Names are always quoted: which words need
// it differs between versions. A name is taken as the database knows it: "Payments" is not "payments".
func quoteIdentifier(name string) (string, error) {
	switch {
	case name == "":
		return "", fmt.Errorf("a name is empty")
	case len(name) > maxIdentifier:
		return "", fmt.Errorf("%q is longer than PostgreSQL's %d bytes", name, maxIdentifier)
	case !utf8.ValidString(name):
		return "", fmt.Errorf("%q is not valid UTF-8", name)
	}
	// Anything else could be quoted too, but migration tools split files on text that looks like their own.
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$ -", r) {
			return "", fmt.Errorf("%q holds %q, and migration tools read only letters, digits, _, $, - and spaces in a name reliably", name, r)
		}
	}
	if strings.Contains(name, "--") {
		return "", fmt.Errorf("%q holds --, which migration tools read as a comment", name)
	}
	return `"` + name + `"`, nil
}

// quoteTable writes "table" or "schema.table".
func quoteTable(name string) (schema, table string, err error) {
	first, rest, qualified := strings.Cut(name, ".")
	if !qualified {
		table, err = quoteIdentifier(name)
		return "", table, err
	}
	if schema, err = quoteIdentifier(first); err != nil {
		return "", "", err
	}
	table, err = quoteIdentifier(rest)
	return schema, table, err
}

func qualified(schema, name string) string {
	if schema == "" {
		return name
	}
	return schema + "." + name
}

// commentText makes text from a spec fit for the inside of an SQL comment: one line, and nothing in it that a migration
// tool takes for a directive or a template action. A path's braces stay; two of them are an action for tern.
func commentText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return r
		case strings.ContainsRune(" _-./:,()={}", r):
			return r
		default:
			return '?'
		}
	}, text)
	return strings.NewReplacer("{{", "??", "}}", "??").Replace(text)
}

// withoutSemicolons replaces semicolons in the comments of a script: some tools end a statement at each one they see.
func withoutSemicolons(script string) string {
	lines := strings.Split(script, "\n")
	for i, line := range lines {
		for at := 0; ; {
			found := strings.Index(line[at:], "--")
			if found < 0 {
				break
			}
			at += found
			// Within quotes it is text, not a comment.
			if strings.Count(line[:at], "'")%2 == 0 && strings.Count(line[:at], `"`)%2 == 0 {
				lines[i] = line[:at] + strings.ReplaceAll(line[at:], ";", ",")
				break
			}
			at += len("--")
		}
	}
	return strings.Join(lines, "\n")
}
