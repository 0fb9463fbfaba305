package drill

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What is broken in several ways is reported in the same one each time: two reports of one server can be compared.
func TestRun_P3_SaysTheSameEachTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":"one"}`)
	}))
	defer server.Close()
	op := operation("createPayment", "/payments")
	op.Policy.Replay.Header, op.Policy.Replay.Value = "", ""
	op.Policy.Key.FirstSent = policy.FirstSent{Header: "First-Sent", MaxSkew: time.Minute}
	plan := Plan{Policy: published(t, op), BaseURL: server.URL, Concurrency: []int{1}, Promises: []string{"first-sent", "first-sent-expired", "answer-headers"}}
	want := ""
	for i := range 8 {
		said := ""
		for _, result := range run(t, plan).Operations[0].Results {
			if result.Outcome == Broken {
				said += result.Promise + ": " + result.Why + "\n"
			}
		}
		if i == 0 {
			want = said
		}
		if said != want || strings.Count(said, "\n") != 3 {
			t.Fatalf("run %d says\n%sand the first said\n%s", i+1, said, want)
		}
	}
}

// A report is good news only where something was seen to be kept, nothing was broken, and the drill came to its end.
func TestReport_Err(t *testing.T) {
	good, bad := newBank(""), newBank("any key")
	plan := planFor(t, good, operation("createPayment", "/payments"))
	if err := run(t, plan).Err(); err != nil {
		t.Errorf("a server that keeps its promises: %v", err)
	}
	if err := run(t, planFor(t, bad, operation("createPayment", "/payments"))).Err(); err == nil || !strings.Contains(err.Error(), "createPayment: ") {
		t.Errorf("a server that breaks them: %v", err)
	}
	away := plan
	away.BaseURL = "http://127.0.0.1:1"
	if err := run(t, away).Err(); err == nil {
		t.Error("a server that is not there has nothing wrong")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := Run(ctx, plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "end") {
		t.Errorf("a drill that was stopped: %v", err)
	}
}
