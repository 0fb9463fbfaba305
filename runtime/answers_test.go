package runtime

import (
	"reflect"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A policy that says nothing and one that says the defaults are answered alike, member by member.
func TestDefaultErrors(t *testing.T) {
	defaults := DefaultErrors()
	answers := func(errors policy.Errors, c *problemCase) *Problem {
		p := &plan{op: &Operation{Policy: policy.Policy{Errors: errors}}, settings: &settings{problemBase: DefaultProblemBase}}
		return p.problem(c, "detail")
	}
	for _, c := range cases {
		if got, want := answers(defaults, c), answers(policy.Errors{}, c); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
		if c.answer != nil && reflect.DeepEqual(c.answer(&defaults), policy.ErrorAnswer{}) {
			t.Errorf("%s has no default", c.name)
		}
	}
	problem := answers(defaults, caseMissing)
	gotType, gotBody := shapes[defaults.Shape](problem)
	wantType, wantBody := shapes[""](problem)
	if gotType != wantType || !reflect.DeepEqual(gotBody, wantBody) {
		t.Errorf("shape %s: %s %v, want %s %v", defaults.Shape, gotType, gotBody, wantType, wantBody)
	}
}
