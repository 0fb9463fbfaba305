package policydoc

import (
	"slices"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What is left out of a section stands in what is shared: nothing is lost, and nothing said twice.
func TestShare_NothingIsLost(t *testing.T) {
	alike := bank()
	alike.Operations = slices.DeleteFunc(alike.Operations, func(op policy.Operation) bool {
		return !slices.Contains([]string{"createPayment", "createPayout", "createRefund"}, op.ID)
	})
	one := bank()
	one.Operations = slices.DeleteFunc(one.Operations, func(op policy.Operation) bool { return op.ID != "createPayment" })
	for name, c := range map[string]struct {
		doc    *policy.Document
		shared bool
	}{"different": {bank(), false}, "alike": {alike, true}, "one": {one, false}} {
		page := NewPage(c.doc)
		if got := len(page.Shared.Groups) > 0; got != c.shared {
			t.Errorf("%s: %d groups are shared", name, len(page.Shared.Groups))
		}
		for _, section := range page.Keyed {
			if got, want := len(section.Own)+len(page.Shared.Groups), len(section.Groups); got != want {
				t.Errorf("%s: %s has %d groups, its own and the shared ones are %d", name, section.ID, want, got)
			}
			if got, want := len(section.OwnRefusals)+len(page.Shared.Refusals), len(section.Refusals); got != want {
				t.Errorf("%s: %s has %d refusals, its own and the shared ones are %d", name, section.ID, want, got)
			}
			for _, group := range section.Groups {
				own, shared := slices.ContainsFunc(section.Own, group.same), slices.ContainsFunc(page.Shared.Groups, group.same)
				if own == shared {
					t.Errorf("%s: %s of %s is its own: %v, and shared: %v", name, group.Topic, section.ID, own, shared)
				}
			}
		}
	}
}
