package runtime

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestAnswers_C5_AreDocumented holds problems.md, where the problem types lead, against the cases.
func TestAnswers_C5_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("problems.md")
	if err != nil {
		t.Fatal(err)
	}
	sections, documented := map[string]string{}, map[string]bool{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	for _, c := range cases {
		text, ok := sections[c.name]
		if !ok {
			t.Errorf("problems.md has no section %s", c.name)
		} else if !strings.HasPrefix(text, strconv.Itoa(c.status)) {
			t.Errorf("problems.md: the section %s does not begin with its status, %d", c.name, c.status)
		}
		documented[c.name] = true
	}
	for name := range sections {
		if !documented[name] {
			t.Errorf("problems.md has a section %s, to which nothing leads", name)
		}
	}
}
