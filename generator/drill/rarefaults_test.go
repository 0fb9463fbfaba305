package drill

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Promises that only some policies give, beside a server that keeps them and one that does not: what stands before the bank
// answers in its place where it returns true.
func TestRun_P3_PromisesOfSomePoliciesAreTested(t *testing.T) {
	firstSent := func(op *policy.Operation, _ *bank) {
		op.Policy.Key.FirstSent = policy.FirstSent{Header: "First-Sent", MaxSkew: time.Minute}
		op.Policy.Errors.Expired = policy.ErrorAnswer{Status: 412}
	}
	// sentAt reads the time of the first attempt; oldest and latest say whether the two ends are looked at.
	sentAt := func(oldest, latest bool) func(*bank, http.ResponseWriter, *http.Request) bool {
		return func(b *bank, w http.ResponseWriter, r *http.Request) bool {
			at, err := http.ParseTime(r.Header.Get("First-Sent"))
			if err != nil {
				b.refuse(w, 400, "malformed-key")
				return true
			}
			b.mu.Lock()
			age := time.Since(at) + b.clock
			b.mu.Unlock()
			if oldest && age > b.retention || latest && age < -time.Minute {
				b.refuse(w, 412, "expired")
				return true
			}
			return false
		}
	}
	optional := func(op *policy.Operation, b *bank) { op.Policy.Key.Required, b.optional = false, true }
	noMail := func(op *policy.Operation, b *bank) {
		op.Policy.Key.RefusePersonalData, op.Policy.Key.Pattern = true, ""
	}
	digits := func(op *policy.Operation, _ *bank) { op.Policy.Key.Pattern = "^[0-9]+$" }
	anyQuery := func(op *policy.Operation, b *bank) { op.Policy.Fingerprint.Query, b.fault = false, "query ignored" }
	everyQuery := func(op *policy.Operation, _ *bank) { op.Policy.Fingerprint.Query = false }
	unmarked := func(op *policy.Operation, _ *bank) { op.Policy.Replay.Header, op.Policy.Replay.Value = "", "" }
	noBody := func(op *policy.Operation, _ *bank) { op.Shape.Body = nil }
	second := func(r *http.Request) bool { return strings.Contains(r.Header.Get("Authorization"), "second") }
	for _, c := range []struct {
		name    string
		change  func(*policy.Operation, *bank)
		before  func(b *bank, w http.ResponseWriter, r *http.Request) bool
		promise string
		want    Outcome
	}{
		{"the time of the first attempt is looked at", firstSent, sentAt(true, true), policydoc.PromiseFirstSentExpired, Kept},
		{"old attempts are taken", firstSent, sentAt(false, true), policydoc.PromiseFirstSentExpired, Broken},
		{"future attempts are taken", firstSent, sentAt(true, false), policydoc.PromiseFirstSentExpired, Broken},
		{"a time in any form is looked at", firstSent, sentAt(true, true), policydoc.PromiseFirstSent, Kept},
		{"the time may be left out", firstSent, func(*bank, http.ResponseWriter, *http.Request) bool { return false }, policydoc.PromiseFirstSent, Broken},
		{"no key, and no repetition", optional, nil, policydoc.PromiseKeyOptional, Kept},
		{"no key, and called a repetition", optional, func(_ *bank, w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Idempotency-Key") == "" && len(r.Header["Idempotency-Key"]) == 0 {
				w.Header().Set("Idempotent-Replayed", "true")
			}
			return false
		}, policydoc.PromiseKeyOptional, Broken},
		{"an address is refused as a key", noMail, nil, policydoc.PromiseKeyPersonalData, Kept},
		{"an address is taken for a key", noMail, func(_ *bank, _ http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.Header.Get("Idempotency-Key"), "@") {
				r.Header.Set("Idempotency-Key", "a-key-like-any-other")
			}
			return false
		}, policydoc.PromiseKeyPersonalData, Broken},
		{"a number without quotation marks may be refused", digits, func(b *bank, w http.ResponseWriter, r *http.Request) bool {
			if key := r.Header.Get("Idempotency-Key"); key != "" && strings.Trim(key, "0123456789") == "" {
				b.refuse(w, 400, "malformed-key")
				return true
			}
			return false
		}, policydoc.PromiseKeySyntax, Kept},
		{"the query does not count", anyQuery, nil, policydoc.PromiseSameRequest, Kept},
		{"the query counts, and should not", everyQuery, nil, policydoc.PromiseSameRequest, Broken},
		{"repetitions are marked, and the policy knows no marker", unmarked, nil, policydoc.PromiseReplayMarker, Broken},
		{"a body is refused where there is none", noBody, func(b *bank, w http.ResponseWriter, r *http.Request) bool {
			if r.ContentLength > 0 {
				b.refuse(w, 400, "bad-request")
			}
			return r.ContentLength > 0
		}, policydoc.PromiseBodyCompared, Kept},
		{"a body is compared where there is none", noBody, nil, policydoc.PromiseBodyCompared, Broken},
		{"a second account damages the first one's record", nil, func(b *bank, _ http.ResponseWriter, r *http.Request) bool {
			if second(r) {
				b.mu.Lock()
				clear(b.records)
				b.mu.Unlock()
			}
			return false
		}, policydoc.PromiseScope, Broken},
		{"a second account is refused for the first one's key", nil, func(b *bank, w http.ResponseWriter, r *http.Request) bool {
			if second(r) {
				b.refuse(w, 422, "key-reused")
			}
			return second(r)
		}, policydoc.PromiseScope, Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, op := newBank(""), operation("createPayment", "/payments")
			if c.change != nil {
				c.change(&op, b)
			}
			plan := planFor(t, b, op)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.before == nil || !c.before(b, w, r) {
					b.ServeHTTP(w, r)
				}
			}))
			t.Cleanup(server.Close)
			plan.BaseURL = server.URL
			report := run(t, plan)
			results := report.Operations[0].Results
			i := slices.IndexFunc(results, func(r Result) bool { return r.Promise == c.promise })
			if i < 0 || results[i].Outcome != c.want {
				t.Fatalf("%s should be %s:\n%s", c.promise, c.want, show(report))
			}
			if broken := brokenPromises(report); c.want == Kept && len(broken) > 0 {
				t.Errorf("broken: %v\n%s", broken, show(report))
			}
		})
	}
}
