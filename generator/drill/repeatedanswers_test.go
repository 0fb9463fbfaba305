package drill

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Repetitions that the policy says are answered otherwise than the first time: with another status, or by a refusal where the
// answer was too large. The server in front of the bank does what the policy says, or gives the first answer as it was.
func TestRun_P3_RepetitionsThatAreAnsweredOtherwise(t *testing.T) {
	statusChange := func(p *policy.Policy) { p.Replay.Status = []policy.StatusChange{{From: 201, To: 200}} }
	smallLimit := func(p *policy.Policy) { p.Store.MaxBody = 20 }
	for _, c := range []struct {
		promise string
		change  func(*policy.Policy)
		repeat  func(*bank, http.ResponseWriter, *httptest.ResponseRecorder)
	}{
		{policydoc.PromiseReplayStatus, statusChange, func(_ *bank, w http.ResponseWriter, first *httptest.ResponseRecorder) {
			first.Code = http.StatusOK
			pass(w, first)
		}},
		{policydoc.PromiseReplayLimit, smallLimit, func(b *bank, w http.ResponseWriter, _ *httptest.ResponseRecorder) {
			b.refuse(w, http.StatusConflict, "answer-not-kept")
		}},
	} {
		for name, right := range map[string]bool{"as promised": true, "as the first time": false} {
			t.Run(c.promise+" "+name, func(t *testing.T) {
				t.Parallel()
				b, op := newBank(""), operation("createPayment", "/payments")
				c.change(&op.Policy)
				plan := planFor(t, b, op)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					answer := httptest.NewRecorder()
					b.ServeHTTP(answer, r)
					if right && answer.Header().Get(b.marker) != "" {
						c.repeat(b, w, answer)
						return
					}
					pass(w, answer)
				}))
				t.Cleanup(server.Close)
				plan.BaseURL = server.URL
				report := run(t, plan)
				broken := brokenPromises(report)
				if right && len(broken) > 0 {
					t.Errorf("broken: %v\n%s", broken, show(report))
				}
				if !right && !slices.Contains(broken, c.promise) {
					t.Errorf("%s is not found broken, but %v\n%s", c.promise, broken, show(report))
				}
				i := slices.IndexFunc(report.Operations[0].Results, func(r Result) bool { return r.Promise == c.promise })
				if right && report.Operations[0].Results[i].Outcome != Kept {
					t.Errorf("%s is not tested: %s", c.promise, show(report))
				}
			})
		}
	}
}

func pass(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}
