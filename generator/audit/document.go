package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

// document looks at what the whole document says.
func (a *auditor) document() {
	keyed := a.doc.Keyed()
	a.layers(keyed)
	if len(keyed) == 0 {
		return
	}
	shortest := slices.MinFunc(keyed, func(x, y *policy.Operation) int { return int(clamp(x.Policy.Retention - y.Policy.Retention)) })
	for _, c := range a.doc.Consumers {
		if c.Retention > shortest.Policy.Retention {
			a.whole.add(ruleConsumer, c.Pos, "", "if the consumer calls this API with the event's id as the key, make that operation's retention as long",
				fmt.Sprintf("the consumer %s remembers events for %s, and the key of %s is remembered for %s", plain(c.Name), duration(c.Retention),
					name(shortest.Method, shortest.Path, shortest.Webhook), duration(shortest.Policy.Retention)))
		}
	}
}

func clamp(d time.Duration) time.Duration { return max(-1, min(1, d)) }

// layers asks who else retries, once for each place that makes generated clients do so. The document cannot know: this is
// a question (mistake M9).
func (a *auditor) layers(keyed []*policy.Operation) {
	asked := map[policy.Position]bool{}
	for _, op := range keyed {
		r := op.Outline.Retries
		if r == nil || r.Off || asked[r.Pos] {
			continue
		}
		asked[r.Pos] = true
		a.whole.add(ruleLayers, r.Pos, "", "let one layer retry; three layers of three attempts are twenty-seven",
			fmt.Sprintf("%s makes generated clients retry: does whoever calls them retry as well?", r.Member))
	}
}

// read takes over what was found while the document was read, and finds the operation that each finding is about.
func (a *auditor) read(found diag.List) {
	about := map[string]bool{}
	for _, rule := range extension.Rules() {
		about[rule.ID] = true
	}
	places := newPlaces(a.doc)
	for _, d := range found {
		if d.Severity != diag.Error && !about[d.Rule] || d.Rule == ruleUndecided.ID {
			continue // the audit lists the undecided ones one by one
		}
		if of := places.of(d.Pos); of >= 0 {
			a.of[of].list = append(a.of[of].list, Finding{Diagnostic: d})
		} else {
			a.whole.list = append(a.whole.list, Finding{Diagnostic: d})
		}
	}
}
