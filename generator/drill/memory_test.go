package drill

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// What a burst was answered with is let go when its operation is judged: a policy of many operations takes as much memory
// as one of few.
func TestRun_P3_HoldsOneBurstAtATime(t *testing.T) {
	var operations []policy.Operation
	for i := range 12 {
		operations = append(operations, operation(fmt.Sprintf("create%d", i), fmt.Sprintf("/things/%d", i)))
	}
	answer := strings.Repeat("a", 100<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most := held(), uint64(0)
	plan := Plan{Policy: published(t, operations...), BaseURL: server.URL, Concurrency: []int{80}, Promises: []string{policydoc.PromiseOneEffect}}
	plan.Observer = func(e Event) {
		if e.Result == nil && e.Operation.ID == "create11" { // the last one begins
			most = held()
		}
	}
	run(t, plan)
	if grown := int64(most) - int64(before); grown > 30<<20 {
		t.Errorf("%d MiB are held when eleven operations are judged", grown>>20)
	}
}
