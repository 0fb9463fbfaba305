package compat

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the tables in docs/diff.md")

// The tables on the page are those in the code.
func TestRules_AreDocumented(t *testing.T) {
	const page = "../../docs/diff.md"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows, needs strings.Builder
	rows.WriteString("| rule | kind | affects | what the change does | without breaking anybody |\n|---|---|---|---|---|\n")
	for _, r := range Rules() {
		affects := make([]string, len(r.Affects))
		for i, a := range r.Affects {
			affects[i] = string(a)
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Kind, strings.Join(affects, ", "), cell(r.Text), cell(r.Hint))
	}
	needs.WriteString("| need | when | what is to be done |\n|---|---|---|\n")
	for _, n := range Needs() {
		when := "after the change"
		if n.Before {
			when = "before the change"
		}
		fmt.Fprintf(&needs, "| `%s` | %s | %s: [%s](%s) |\n", n.ID, when, cell(n.Text), n.See, n.See)
	}
	want := between(t, between(t, string(content), "rules", rows.String()), "needs", needs.String())
	if want == string(content) {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s does not list the rules as they are: go test ./generator/compat -update-docs", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// between puts text between the marks of a name.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	start, end := "<!-- "+name+": start -->\n", "<!-- "+name+": end -->\n"
	before, rest, ok := strings.Cut(page, start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("the page has lost its marks %q", name)
	}
	return before + start + text + end + after
}

// What a need refers to is there.
func TestNeeds_ReferToPagesThatExist(t *testing.T) {
	for _, need := range Needs() {
		page, section, _ := strings.Cut(need.See, "#")
		content, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range strings.Lines(string(content)) {
			if heading, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "## "); ok {
				found = found || strings.ReplaceAll(strings.ToLower(heading), " ", "-") == section
			}
		}
		if !found {
			t.Errorf("%s refers to %s", need.ID, need.See)
		}
	}
}
