package runtime_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/runtime"
)

// A unit test of the function that makes a step's call gives it keys of its own.
func ExampleNewOutbound() {
	send := func(out *runtime.Outbound) *http.Request { // what is tested
		req, _ := http.NewRequest(http.MethodPost, "https://bank.example/transfers", nil)
		out.SetHeaders(req.Header)
		return req
	}

	out := runtime.NewOutbound("transfer", runtime.DownstreamKey{Name: "bank", Header: "Idempotency-Key", Key: "k1"})
	fmt.Println(send(out).Header.Get("Idempotency-Key"))
	// Output: k1
}

// A unit test of a reconcile function says which step it was, with which key, and what was done before it.
func ExampleNewInterrupted() {
	transfers := map[string]string{"k1": "tr_1 for payout 7"} // what the bank knows
	reconcile := func(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
		var reserved struct{ Payout int }
		if done, err := step.Result("reserve", &reserved); err != nil || !done {
			return runtime.Unknown(), err
		}
		if transfers[step.Key()] == fmt.Sprintf("tr_1 for payout %d", reserved.Payout) {
			return runtime.Done("tr_1"), nil
		}
		return runtime.NotDone(), nil
	}

	reserve := runtime.StepResult{Name: "reserve", Result: []byte(`{"Payout": 7}`)}
	for _, key := range []string{"k1", "k2"} {
		out := runtime.NewOutbound("transfer", runtime.DownstreamKey{Name: "bank", Header: "Idempotency-Key", Key: key})
		found, err := reconcile(context.Background(), runtime.NewInterrupted(out, reserve))
		fmt.Println(key, found == runtime.Done("tr_1"), found == runtime.NotDone(), err)
	}
	// Output:
	// k1 true false <nil>
	// k2 false true <nil>
}
