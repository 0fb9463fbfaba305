package runtime

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Every refusal has its section on the page that problem types point to.
func TestProblems_AreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/problems.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		section := fmt.Sprintf("<a id=%q></a>\n## %s · %d\n", c.name, c.name, c.status)
		if !strings.Contains(string(text), section) {
			t.Errorf("docs/problems.md has no section %q", strings.TrimSpace(section))
		}
	}
	for _, c := range cases {
		if strings.Count(string(text), fmt.Sprintf("<a id=%q>", c.name)) > 1 {
			t.Errorf("docs/problems.md has %s twice", c.name)
		}
	}
}
