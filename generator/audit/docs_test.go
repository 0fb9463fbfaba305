package audit

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the table of rules in docs/audit.md")

// The table of rules on the audit's page is the one in the code.
func TestRules_AreDocumented(t *testing.T) {
	const page, start, end = "../../docs/audit.md", "<!-- rules: start -->\n", "<!-- rules: end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost the marks around its table of rules", page)
	}
	var table strings.Builder
	table.WriteString("| rule | usually | asks that |\n|---|---|---|\n")
	for _, r := range Rules() {
		if r.Own {
			fmt.Fprintf(&table, "| `%s` | %s | %s |\n", r.ID, r.Severity, r.Title)
		}
	}
	want := before + start + table.String() + end + after
	if want == string(text) {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s does not list the rules as they are: go test ./generator/audit -update-docs", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
