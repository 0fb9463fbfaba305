package toolstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dbmate's own module is not among the requirements, so its rules are followed here by hand: the text from the line
// "-- migrate:up" to the line "-- migrate:down" is sent in one message, inside a transaction unless the line says
// transaction:false (https://github.com/amacneil/dbmate#migration-options).
var (
	dbmateUpLine   = regexp.MustCompile(`(?m)^--\s*migrate:up(.*)$`)
	dbmateDownLine = regexp.MustCompile(`(?m)^--\s*migrate:down(.*)$`)
)

func dbmateUp(t *testing.T, url, dir string)   { dbmate(t, url, dir, false) }
func dbmateDown(t *testing.T, url, dir string) { dbmate(t, url, dir, true) }

func dbmate(t *testing.T, url, dir string, down bool) {
	t.Helper()
	names := sqlFiles(t, dir, func(string) bool { return true })
	if down {
		slices.Reverse(names)
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		upAt, downAt := dbmateUpLine.FindStringSubmatchIndex(text), dbmateDownLine.FindStringSubmatchIndex(text)
		if upAt == nil || downAt == nil || upAt[0] > downAt[0] {
			t.Fatalf("%s has no block up before a block down", name)
		}
		for _, line := range strings.Split(text[:upAt[0]], "\n") {
			if line != "" && !strings.HasPrefix(line, "--") {
				t.Fatalf("%s: a statement stands before the block up: %s", name, line)
			}
		}
		block, options := text[upAt[0]:downAt[0]], text[upAt[2]:upAt[3]]
		if down {
			block, options = text[downAt[0]:], text[downAt[2]:downAt[3]]
		}
		conn := connect(t, url)
		if strings.TrimSpace(options) == "transaction:false" {
			if _, err := conn.Exec(t.Context(), block); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			continue
		}
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), block); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
