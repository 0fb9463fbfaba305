package profiletest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/drill"
	"github.com/idemgen/idemgen/runtime"
)

// P3: each profile's service keeps every promise of its published policy that can be tested, in both modes, with two
// accounts, duplicates at once and an end of the retention. What is not tested is told, and why.
func TestProfiles_P3_EveryTestablePromiseIsKept(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		t.Parallel()
		o.Work = func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *Service) (runtime.Response, error) {
			time.Sleep(50 * time.Millisecond) // so that duplicates meet it at work
			return pay(ctx, tx, call, s)
		}
		s := Start(t, o)
		report, err := drill.Run(t.Context(), drill.Plan{
			Policy: s.Published, BaseURL: s.URL,
			Credentials: http.Header{"Authorization": {"Bearer one"}}, OtherCredentials: http.Header{"Authorization": {"Bearer two"}},
			Effects: s.Ledger.Count, Clock: s.Advance, Concurrency: []int{3, 20},
		})
		if err != nil {
			t.Fatal(err)
		}
		if report.Stopped != "" {
			t.Errorf("the drill was stopped: %s", report.Stopped)
		}
		for _, op := range report.Operations {
			for _, result := range op.Results {
				switch result.Outcome {
				case drill.Kept:
				case drill.NotTestable:
					t.Logf("%s: %s: %s", result.Promise, result.Outcome, result.Why)
				default:
					t.Errorf("%s: %s: %s\n%s%s", result.Promise, result.Outcome, result.Text, result.Why, exchanges(result.Evidence))
				}
			}
		}
		if kept := report.Count(drill.Kept); kept < 12 {
			t.Errorf("%d promises were tested, which is too few for a drill to mean anything", kept)
		}
	})
}

func exchanges(shown []drill.Exchange) string {
	var out strings.Builder
	for _, e := range shown {
		fmt.Fprintf(&out, "\n> %s\n< %s", strings.ReplaceAll(e.Request, "\n", "\n> "), strings.ReplaceAll(e.Answer, "\n", "\n< "))
	}
	return out.String()
}

// A drill against a service whose policy says something else than it does finds that: the tests above can fail.
func TestProfiles_P3_ADrillOfAnotherProfileFindsIt(t *testing.T) {
	s, other := Start(t, Options{Profile: "stripe"}), Start(t, Options{Profile: "ietf"})
	report, err := drill.Run(t.Context(), drill.Plan{
		Policy: other.Published, BaseURL: s.URL, Credentials: http.Header{"Authorization": {"Bearer one"}}, Effects: s.Ledger.Count, Concurrency: []int{3},
	})
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	for _, result := range report.Operations[0].Results {
		broken[result.Promise] = result.Outcome == drill.Broken
	}
	for _, promise := range []string{"mismatch", "key-required"} { // 400 and not 422; the key is optional
		if !broken[promise] {
			t.Errorf("%s was not found to be broken", promise)
		}
	}
}
