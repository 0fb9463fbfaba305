package drill

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// What may be done only once refuses the second burst, which has another key and the same body. The drill says with what.
func TestRun_P3_SaysWhatTheNextBurstWasRefusedWith(t *testing.T) {
	b, operations := kinds["payments"]()
	plan := planFor(t, b, operations[:1]...)
	var mu sync.Mutex
	paid := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.Trim(r.Header.Get(b.keyName), `"`)
		mu.Lock()
		if paid == "" {
			paid = key
		}
		other := key != paid
		mu.Unlock()
		if other {
			b.refuse(w, http.StatusUnprocessableEntity, "paid-already")
			return
		}
		b.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	plan.BaseURL, plan.Concurrency, plan.Promises = server.URL, []int{3, 5}, []string{policydoc.PromiseOneEffect}
	report := run(t, plan)
	for _, result := range report.Operations[0].Results {
		if result.Promise != policydoc.PromiseOneEffect {
			continue
		}
		if want := "5 at once show nothing: a new key with the same body was answered with 422"; result.Outcome != Kept || result.Why != want {
			t.Errorf("%s: %q, want %q", result.Outcome, result.Why, want)
		}
	}
}
