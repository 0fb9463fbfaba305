package parity

import (
	"os"
	"sync"
	"testing"

	pgquery "github.com/wasilibs/go-pgquery"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// atLeast is the share of statements, in percent, on which the two must agree.
const atLeast = 99

// counts is what one comparison comes to.
type counts struct {
	accepted, agreed int
	texts, refused   int
}

func (c counts) percent() float64 {
	if c.accepted == 0 {
		return 100
	}
	return 100 * float64(c.agreed) / float64(c.accepted)
}

func samples(t *testing.T) map[string][]sample {
	sets := map[string][]sample{"own": ownSamples(t)}
	if folder := os.Getenv("IDEMVET_CORPUS"); folder != "" {
		sets["corpus"] = folderSamples(t, folder)
	}
	return sets
}

func TestPostgres(t *testing.T) {
	for name, set := range samples(t) {
		c := compare(t, set, postgresFacts)
		t.Logf("%s: %d texts, %d refused by the grammar; %d statements, %d agree: %.2f %%", name, c.texts, c.refused, c.accepted, c.agreed, c.percent())
		if c.percent() < atLeast {
			t.Errorf("%s: agreement below %d %%", name, atLeast)
		}
	}
}

// compare reads every text both ways. A text that a grammar refuses as a whole is cut into the statements that sqltext sees, and those that the grammar takes are compared.
func compare(t *testing.T, set []sample, reference func(string) ([]facts, bool)) counts {
	var c counts
	one := func(s sample) bool {
		want, ok := reference(s.text)
		if !ok {
			return false
		}
		got := sqltext.Parse(s.text)
		if len(got) != len(want) {
			c.accepted += max(len(want), 1)
			t.Logf("%s: %d statements, reference %d\n%s", s.place, len(got), len(want), s.text)
			return true
		}
		for i := range got {
			c.accepted++
			list := differs(ours(got[i]), want[i])
			if len(list) == 0 {
				c.agreed++
				continue
			}
			t.Logf("%s: %q\n%s", s.place, list, s.text[got[i].Start:got[i].End])
		}
		return true
	}
	for _, s := range set {
		c.texts++
		if one(s) {
			continue
		}
		parts := sqltext.Parse(s.text)
		if len(parts) < 2 {
			c.refused++
			continue
		}
		for _, p := range parts {
			c.texts++
			if !one(sample{s.place, s.text[p.Start:p.End]}) {
				c.refused++
			}
		}
		c.texts--
	}
	return c
}

// grammar guards the module in WebAssembly, which is not made for several callers at once.
var grammar sync.Mutex

func postgresFacts(text string) ([]facts, bool) {
	grammar.Lock()
	defer grammar.Unlock()
	tree, err := pgquery.Parse(forPostgres(text))
	if err != nil {
		return nil, false
	}
	var list []facts
	for _, s := range tree.Stmts {
		list = append(list, postgres(s.Stmt))
	}
	return list, true
}
