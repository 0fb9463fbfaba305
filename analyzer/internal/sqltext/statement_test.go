package sqltext

import (
	"os"
	"strings"
	"testing"
)

// TestStatements reads the texts of testdata/*.txt: each is followed by a line of dashes and one line for each statement in it. A hole is written as ◌.
func TestStatements(t *testing.T) {
	for _, file := range []string{"read.txt", "write.txt", "define.txt", "lexical.txt", "holes.txt"} {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(content), "\n\n") {
			text, want, ok := strings.Cut(strings.Trim(block, "\n")+"\n", "\n---\n")
			if !ok {
				t.Errorf("%s: no line of dashes in %q", file, block)
				continue
			}
			var got strings.Builder
			for _, st := range Parse(strings.ReplaceAll(text, "◌", string(rune(Hole)))) {
				got.WriteString(describe(st) + "\n")
			}
			if got.String() != want {
				t.Errorf("%s:\n%s\n got %s want %s", file, text, got.String(), want)
			}
		}
	}
}
