package policydoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestAreas_HeadingsForLongTablesOnly(t *testing.T) {
	rows := func(paths ...string) []Row {
		list := make([]Row, len(paths))
		for i, path := range paths {
			list[i].Call = Code("POST " + path)
		}
		return list
	}
	many := make([]string, shortTable+1)
	for i := range many {
		many[i] = []string{"/v2/cards/{id}", "/v2/payments", "/api/v1.2/cards", "/{tenant}/2024-01-01/{x}"}[i%4]
	}
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"none": {nil, ""}, "short": {many[1:], ":24"}, "long": {many, "cards:13 payments:6 Others:6"},
	} {
		var got []string
		for _, area := range areas(rows(c.paths...)) {
			got = append(got, fmt.Sprintf("%s:%d", area.Name.Raw(), len(area.Rows)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
	}
}

// The table has each operation but those that HTTP makes safe, in the order of the document.
func TestPage_P1_TableHasAllOperations(t *testing.T) {
	doc := bank()
	page := NewPage(doc)
	var want, got []string
	for _, op := range doc.Operations {
		if op.Decision != policy.Safe {
			want = append(want, op.ID)
		}
	}
	counted := 0
	for _, area := range page.Areas {
		for _, row := range area.Rows {
			got = append(got, row.ID)
			if row.Kind == "keyed" && (row.Kept == "–" || row.InFlight.Plain() == "–" || row.Key.Plain() == "–") {
				t.Errorf("%s has a gap", row.ID)
			}
		}
	}
	for _, count := range page.Counts {
		counted += count.Rows
	}
	if strings.Join(got, " ") != strings.Join(want, " ") || counted != len(want) {
		t.Errorf("got %v (%d), want %v", got, counted, want)
	}
	if len(page.SafeCalls) != page.Safe {
		t.Errorf("%d calls are safe, and %d are named", page.Safe, len(page.SafeCalls))
	}
}
