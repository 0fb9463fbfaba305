package schema

import "strings"

// upOnly blanks the part of a file that takes a migration back: what stands behind the mark of goose, sql-migrate, dbmate, tern and rambler. Lines keep their numbers.
func upOnly(text string) string {
	if !strings.Contains(text, "--") {
		return text
	}
	var b strings.Builder
	down := false
	for line := range strings.Lines(text) {
		if isDown, marked := mark(line); marked {
			down = isDown
		}
		if !down {
			b.WriteString(line)
			continue
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// mark reads a line that starts a section.
func mark(line string) (down, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "--") {
		return false, false
	}
	if strings.HasPrefix(line, "---- create above") { // tern
		return true, true
	}
	words := strings.Fields(strings.ToLower(strings.TrimLeft(line, "-")))
	if len(words) == 0 {
		return false, false
	}
	switch {
	case strings.HasPrefix(words[0], "migrate:"): // dbmate
		return words[0] == "migrate:down", words[0] == "migrate:down" || words[0] == "migrate:up"
	case len(words) > 1 && (words[0] == "+goose" || words[0] == "+migrate" || words[0] == "rambler"):
		return words[1] == "down", words[1] == "down" || words[1] == "up"
	}
	return false, false
}
