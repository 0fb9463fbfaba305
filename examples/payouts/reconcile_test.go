package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/idemgen/idemgen/examples/payouts/api"
	"github.com/idemgen/idemgen/runtime"
)

// bankKey is the key of the interrupted transfers in these tests.
var bankKey = runtime.DownstreamKey{Name: "bank", Header: "Idempotency-Key", Key: "6f4c1c0e-6b1e-5f6f-8d1a-0f8f3f1b2c3d"}

// A5: a Reconcile method is a function like any other: it is given a step and says what the bank says.
func TestReconcile_A5_SaysWhatTheBankSays(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   runtime.Reconciliation
		failed bool
	}{
		"done":              {http.StatusOK, `{"id":"tr_1"}`, runtime.Done(receipt{ID: "tr_1"}), false},
		"refused":           {http.StatusOK, `{"refused":"no such account"}`, runtime.Done(receipt{Refused: "no such account"}), false},
		"not known":         {http.StatusNotFound, ``, runtime.NotDone(), false},
		"out of order":      {http.StatusServiceUnavailable, ``, runtime.Unknown(), true},
		"cannot be read":    {http.StatusOK, `{"id":`, runtime.Unknown(), true},
		"of another status": {http.StatusAccepted, `{"id":"tr_1"}`, runtime.Unknown(), true},
	} {
		t.Run(name, func(t *testing.T) {
			bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.Path != "/transfers/"+bankKey.Key {
					t.Errorf("the bank is asked %s %s", r.Method, r.URL)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer bank.Close()
			s := service{bank: partner{bank.URL + "/transfers", bank.Client()}}
			step := runtime.NewInterrupted(runtime.NewOutbound("transfer", bankKey))
			got, err := s.ReconcileCreatePayoutTransfer(t.Context(), step, &api.CreatePayoutRequest{})
			if got != c.want || (err != nil) != c.failed {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

// A3: the call of a step carries the step's key.
func TestAsk_A3_SendsTheStepsKey(t *testing.T) {
	out := runtime.NewOutbound("transfer", bankKey)
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Idempotency-Key"); got != bankKey.Key {
			t.Errorf("the key is %q", got)
		}
		_, _ = w.Write([]byte(`{"id":"tr_1"}`))
	}))
	defer bank.Close()
	sent, err := partner{bank.URL, bank.Client()}.ask(t.Context(), out, notice{})
	if err != nil || sent != (receipt{ID: "tr_1"}) {
		t.Errorf("%+v, %v", sent, err)
	}
}
