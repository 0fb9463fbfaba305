package drill

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

var declinedBody = map[string]Body{"createPayment": {Content: []byte(`{"amount":1,"card":"declined"}`)}}

// A success says nothing of refusals: a body that is declined shows whether their answers are kept.
func TestRun_P3_DeclinedBody(t *testing.T) {
	for fault, want := range map[string]string{
		"": "", "re-runs after 402": "the repetition is not marked as one", "402 damaged": "the repetition's body is another one",
		"402 becomes 400": "the repetition's is 400", "402 unmarked": "the repetition is not marked as one",
	} {
		t.Run(fault, func(t *testing.T) {
			b := newBank(fault)
			plan := planFor(t, b, operation("createPayment", "/payments"))
			plan.Declined = declinedBody
			report := run(t, plan)
			broken := brokenPromises(report)
			if want == "" {
				if len(broken) > 0 || !strings.Contains(show(report), "seen with 201; and with 402") {
					t.Errorf("%s", show(report))
				}
				return
			}
			if len(broken) != 1 || broken[0] != policydoc.PromiseKept || !strings.Contains(show(report), want) {
				t.Errorf("broken: %v, want %s alone, and %q\n%s", broken, policydoc.PromiseKept, want, show(report))
			}
		})
	}
}

// Without the marker a body tells one work from the next; where nothing does, nothing is claimed.
func TestRun_P3_DeclinedBodyWithoutAMarker(t *testing.T) {
	for fault, want := range map[string]int{"": 0, "re-runs after 402": 1} {
		op := operation("createPayment", "/payments")
		op.Policy.Replay.Header, op.Policy.Replay.Value = "", ""
		b := newBank(fault)
		b.marker = ""
		plan := planFor(t, b, op)
		plan.Declined = declinedBody
		if report := run(t, plan); report.Count(Broken) != want {
			t.Errorf("%q: %s", fault, show(report))
		}
	}
}

// A refusal that the policy does not keep may be anything the next time, but not a repetition.
func TestRun_P3_DeclinedBodyThatIsNotKept(t *testing.T) {
	op := operation("createPayment", "/payments")
	op.Policy.Store.Statuses = policy.Statuses{"2XX"}
	for fault, want := range map[string]int{"re-runs after 402": 0, "": 1} { // a bank that keeps what it should not
		plan := planFor(t, newBank(fault), op)
		plan.Declined = declinedBody
		if report := run(t, plan); report.Count(Broken) != want {
			t.Errorf("%q: %s", fault, show(report))
		}
	}
}

// A body that is not declined after all is one effect, and it was announced.
func TestRun_P3_DeclinedBodyThatIsCarriedOut(t *testing.T) {
	b := newBank("")
	plan := planFor(t, b, operation("createPayment", "/payments"))
	plan.Declined, plan.OtherCredentials, plan.Clock = map[string]Body{"createPayment": {Content: []byte(`{"amount":2}`)}}, nil, nil
	report := run(t, plan)
	if report.Count(Broken) > 0 || b.count() != 2 || report.MaxEffects != 2 || !strings.Contains(show(report), "the declined body was carried out, with 201") {
		t.Errorf("%d effects of %d\n%s", b.count(), report.MaxEffects, show(report))
	}
	plan.Declined = map[string]Body{"other": {}}
	if _, err := Run(context.Background(), plan); err == nil || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("a body for an operation that is not there: %v", err)
	}
}
