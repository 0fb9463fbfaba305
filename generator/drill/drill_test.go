package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// operation is a keyed operation with the default policy and a body that has a number beyond 2^53.
func operation(id, path string) policy.Operation {
	answer := func(status int) policy.ErrorAnswer { return policy.ErrorAnswer{Status: status} }
	large := policy.Content{MediaType: "application/json", Schema: &policy.Schema{Kind: policy.Object, AdditionalAllowed: true, Properties: []policy.Property{
		{Name: "amount", Required: true, Schema: &policy.Schema{Kind: policy.Integer}},
		{Name: "reference", Required: true, Schema: &policy.Schema{Kind: policy.Integer}},
	}}, Examples: []json.RawMessage{json.RawMessage(`{"amount":4200,"reference":9007199254740993}`)}}
	return policy.Operation{
		ID: id, Method: "POST", Path: path, Decision: policy.Keyed,
		Policy: policy.Policy{
			Profile: "ietf", Mode: policy.Transaction,
			Key: policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat, MinLength: 16, MaxLength: 64,
				LengthUnit: policy.Characters, Pattern: "^[A-Za-z0-9-]+$", Syntax: policy.Either},
			Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: 24 * time.Hour,
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true, Headers: []string{"Api-Version"}},
			Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402"}, MaxBody: 1 << 20},
			Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
			InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
			Answers:     policy.Answers{Headers: []policy.HeaderValue{{Name: "X-Key", Value: "{key}"}}},
			Errors: policy.Errors{Missing: answer(400), Malformed: answer(400), Mismatch: answer(422), InFlight: answer(409),
				Unavailable: answer(503), TooLarge: answer(409), Shape: "problem"},
		},
		Shape: &policy.Shape{Body: &policy.Body{Required: true, Contents: []policy.Content{large}}, Responses: []policy.Response{{Status: "201"}}},
	}
}

// published is what a reader of the JSON policy has.
func published(t testing.TB, operations ...policy.Operation) *policydoc.Published {
	t.Helper()
	files, _, err := policydoc.Generate(&policy.Document{Title: "Bank", Version: "1", OpenAPI: "3.1.0", Operations: operations}, policydoc.Options{JSON: "policy.json"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policydoc.ReadJSON(bytes.NewReader(files[0].Content))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// planFor drills a bank with everything that can be known of it.
func planFor(t testing.TB, b *bank, operations ...policy.Operation) Plan {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return Plan{
		Policy: published(t, operations...), BaseURL: server.URL,
		Credentials: http.Header{"Authorization": {"Bearer first-secret"}}, OtherCredentials: http.Header{"Authorization": {"Bearer second-secret"}},
		Clock: func(_ context.Context, by time.Duration) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.clock += by
			return nil
		},
		Concurrency: []int{20},
		Limits:      Limits{Request: 5 * time.Second, Settle: 200 * time.Millisecond},
	}
}

func run(t testing.TB, plan Plan) *Report {
	t.Helper()
	report, err := Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// brokenPromises are the ids of the promises that a report calls broken, each once.
func brokenPromises(report *Report) []string {
	var ids []string
	for _, op := range report.Operations {
		for _, result := range op.Results {
			if result.Outcome == Broken && !slices.Contains(ids, result.Promise) {
				ids = append(ids, result.Promise)
			}
		}
	}
	return ids
}

func show(report *Report) string {
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// kinds are the sorts of operations that faults need to be seen.
var kinds = map[string]func() (*bank, []policy.Operation){
	"payments": func() (*bank, []policy.Operation) {
		return newBank(""), []policy.Operation{operation("createPayment", "/payments"), operation("createRefund", "/refunds")}
	},
	"uuid": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/payments")
		op.Policy.Key.Format, op.Policy.Key.MinLength, op.Policy.Key.MaxLength, op.Policy.Key.Pattern = policy.UUID, 36, 36, ""
		b := newBank("")
		b.format = true
		return b, []policy.Operation{op}
	},
	"conflict": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/payments")
		op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
		b := newBank("")
		b.conflict, b.pause = true, 50*time.Millisecond
		return b, []policy.Operation{op}
	},
	"no marker": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/payments")
		op.Policy.Replay.Header, op.Policy.Replay.Value = "", ""
		b := newBank("")
		b.marker = ""
		return b, []policy.Operation{op}
	},
	"empty": func() (*bank, []policy.Operation) {
		return newBank(""), []policy.Operation{operation("createNothing", "/empty")}
	},
	"declined": func() (*bank, []policy.Operation) {
		return newBank(""), []policy.Operation{operation("createPayment", "/declined")}
	},
	"failing": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/failing")
		op.Policy.Store.Statuses = policy.Statuses{"2XX", "402", "5XX"}
		b := newBank("")
		b.kept5xx = true
		return b, []policy.Operation{op}
	},
	"optional": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/payments")
		op.Policy.Key.Required = false
		b := newBank("")
		b.optional = true
		return b, []policy.Operation{op}
	},
	"current": func() (*bank, []policy.Operation) {
		op := operation("createPayment", "/payments")
		op.Policy.Replay.As = policy.Current
		b := newBank("")
		b.current = true
		return b, []policy.Operation{op}
	},
}

// A server that keeps its promises is found to keep all of them, and no more effects are made than were announced.
func TestRun_P3_CorrectServerKeepsEveryPromise(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, operations := kind()
			plan := planFor(t, b, operations...)
			report := run(t, plan)
			if broken := brokenPromises(report); len(broken) > 0 {
				t.Errorf("broken: %v\n%s", broken, show(report))
			}
			if report.Count(Skipped) > 0 || report.Stopped != "" {
				t.Errorf("something was skipped: %s", show(report))
			}
			if b.count() > report.MaxEffects {
				t.Errorf("%d effects, and %d were announced", b.count(), report.MaxEffects)
			}
			for _, op := range report.Operations {
				for _, result := range op.Results {
					if result.Outcome == NotTestable && !mayNotBeTestable(name, result.Promise) {
						t.Errorf("%s was not tested: %s", result.Promise, result.Why)
					}
				}
			}
			t.Logf("%d requests, %d effects of %d, %d kept", report.Requests, b.count(), report.MaxEffects, report.Count(Kept))
		})
	}
}

// mayNotBeTestable names what a kind of operation gives nobody to see.
func mayNotBeTestable(kind, promise string) bool {
	switch promise {
	case policydoc.PromiseUnavailable, policydoc.PromiseOutcomeUnknown, policydoc.PromiseRetry, policydoc.PromiseReplayLimit, policydoc.PromiseUndocumented:
		return true
	case policydoc.PromiseOneEffect:
		return kind == "declined" || kind == "failing"
	case policydoc.PromiseRetentionEnd, policydoc.PromiseKeyOptional:
		return kind == "empty"
	}
	return false
}

// faults are broken servers, with the kind of operation that shows the fault and the promise that it breaks.
var faults = []struct{ fault, kind, promise string }{
	{"looks, then inserts", "payments", policydoc.PromiseOneEffect},
	{"looks, then inserts", "no marker", policydoc.PromiseOneEffect},
	{"no memory", "payments", policydoc.PromiseOneEffect},
	{"no memory", "no marker", policydoc.PromiseOneEffect},
	{"re-runs after 500", "failing", policydoc.PromiseKept},
	{"no memory", "declined", policydoc.PromiseKept},
	{"stores bad requests", "payments", policydoc.PromiseNotKept},
	{"global key", "payments", policydoc.PromiseScope},
	{"operation lost", "payments", policydoc.PromiseScope},
	{"replays on mismatch", "payments", policydoc.PromiseMismatch},
	{"mismatch shows the answer", "payments", policydoc.PromiseMismatch},
	{"mismatch 200", "payments", policydoc.PromiseMismatch},
	{"wrong mismatch status", "payments", policydoc.PromiseMismatch},
	{"wrong mismatch type", "payments", policydoc.PromiseMismatch},
	{"runs on mismatch", "payments", policydoc.PromiseMismatch},
	{"mismatch damages", "payments", policydoc.PromiseMismatch},
	{"mismatch marked", "payments", policydoc.PromiseMismatch},
	{"Location lost", "payments", policydoc.PromiseReplayHeaders},
	{"Location lost", "no marker", policydoc.PromiseReplayHeaders},
	{"Location lost to who waits", "payments", policydoc.PromiseReplayHeaders},
	{"Location lost to who waits", "no marker", policydoc.PromiseReplayHeaders},
	{"content type changed", "payments", policydoc.PromiseReplayHeaders},
	{"Set-Cookie repeated", "payments", policydoc.PromiseReplayHeaders},
	{"truncates", "payments", policydoc.PromiseReplay},
	{"truncates", "no marker", policydoc.PromiseReplay},
	{"body rebuilt", "payments", policydoc.PromiseReplay},
	{"status changed", "payments", policydoc.PromiseReplay},
	{"empty body filled", "empty", policydoc.PromiseReplay},
	{"409 for ever", "conflict", policydoc.PromiseReplay},
	{"gzip", "payments", policydoc.PromiseReplay},
	{"marker missing", "payments", policydoc.PromiseReplayMarker},
	{"marker on first", "payments", policydoc.PromiseReplayMarker},
	{"another marker", "payments", policydoc.PromiseReplayMarker},
	{"echo lost", "payments", policydoc.PromiseAnswerHeaders},
	{"missing accepted", "payments", policydoc.PromiseKeyRequired},
	{"wrong missing type", "payments", policydoc.PromiseKeyRequired},
	{"too long cut", "payments", policydoc.PromiseKeyLength},
	{"long refused", "payments", policydoc.PromiseKeyLength},
	{"long refused", "conflict", policydoc.PromiseKeyLength},
	{"long refused otherwise", "no marker", policydoc.PromiseKeyLength},
	{"cut in the column", "payments", policydoc.PromiseKeyLength},
	{"cut in the column", "no marker", policydoc.PromiseKeyLength},
	{"any key", "payments", policydoc.PromiseKeyMalformed},
	{"duplicate header guessed", "payments", policydoc.PromiseKeyMalformed},
	{"lists guessed", "payments", policydoc.PromiseKeyMalformed},
	{"parameters cut", "payments", policydoc.PromiseKeyMalformed},
	{"wrong malformed status", "payments", policydoc.PromiseKeyMalformed},
	{"case folded", "uuid", policydoc.PromiseKeyFormat},
	{"quoted and bare differ", "payments", policydoc.PromiseKeySyntax},
	{"member order counts", "payments", policydoc.PromiseBodyCompared},
	{"white space counts", "payments", policydoc.PromiseBodyCompared},
	{"2^53 merged", "payments", policydoc.PromiseBodyCompared},
	{"query ignored", "payments", policydoc.PromiseSameRequest},
	{"content type ignored", "payments", policydoc.PromiseSameRequest},
	{"header ignored", "payments", policydoc.PromiseSameRequest},
	{"every header counts", "payments", policydoc.PromiseSameRequest},
	{"refuses at once", "payments", policydoc.PromiseInFlight},
	{"no Retry-After", "conflict", policydoc.PromiseInFlight},
	{"wrong Retry-After", "conflict", policydoc.PromiseInFlight},
	{"another Retry-After", "conflict", policydoc.PromiseInFlight},
	{"forgets early", "payments", policydoc.PromiseRetention},
	{"keeps for ever", "payments", policydoc.PromiseRetentionEnd},
}

// alsoBroken are the further promises that a fault breaks in truth.
var alsoBroken = map[string][]string{
	"any key":                {policydoc.PromiseKeyLength, policydoc.PromiseKeyPattern},
	"long refused otherwise": {policydoc.PromiseKeyMalformed},
	"too long cut":           {policydoc.PromiseKeyMalformed}, // what stands behind the longest key is cut off, whatever it is
	"wrong malformed status": {policydoc.PromiseKeyLength, policydoc.PromiseKeyPattern},
}

// Each broken server is caught by the promise that names its fault, and by no other one.
func TestRun_P3_EachFaultIsFoundByItsPromise(t *testing.T) {
	for _, c := range faults {
		t.Run(fmt.Sprintf("%s, %s", c.fault, c.kind), func(t *testing.T) {
			t.Parallel()
			b, operations := kinds[c.kind]()
			b.fault = c.fault
			if c.fault == "refuses at once" || c.fault == "Location lost to who waits" {
				b.pause = 50 * time.Millisecond
			}
			report := run(t, planFor(t, b, operations...))
			broken := brokenPromises(report)
			if !slices.Contains(broken, c.promise) {
				t.Errorf("%s is not found broken, but %v\n%s", c.promise, broken, show(report))
			}
			for _, id := range broken {
				if id != c.promise && !slices.Contains(alsoBroken[c.fault], id) {
					t.Errorf("%s is called broken\n%s", id, show(report))
				}
			}
			text := show(report)
			for _, secret := range []string{"first-secret", "second-secret"} {
				if strings.Contains(text, secret) {
					t.Errorf("the report holds %s", secret)
				}
			}
			for id := range b.records {
				if key := id[strings.LastIndex(id, "\x00")+1:]; len(key) >= 16 && strings.Contains(text, key) {
					t.Errorf("the report holds the key %s", key)
				}
			}
		})
	}
}

// brokenElsewhere are the promises whose faults other tests make, with a policy or a server of their own.
var brokenElsewhere = map[string]string{
	policydoc.PromiseFirstSent:        "PromisesOfSomePoliciesAreTested",
	policydoc.PromiseFirstSentExpired: "PromisesOfSomePoliciesAreTested",
	policydoc.PromiseKeyOptional:      "PromisesOfSomePoliciesAreTested",
	policydoc.PromiseKeyPersonalData:  "PromisesOfSomePoliciesAreTested",
	policydoc.PromiseKeyPlace:         "KeyInSmallLetters",
	policydoc.PromiseReplayStatus:     "RepetitionsThatAreAnsweredOtherwise",
	policydoc.PromiseReplayLimit:      "RepetitionsThatAreAnsweredOtherwise",
}

// A check that no server fails may be one that cannot: each has a server that breaks its promise.
func TestChecks_P3_EachHasAServerThatFailsIt(t *testing.T) {
	broken := map[string]bool{}
	for _, c := range faults {
		broken[c.promise] = true
		for _, id := range alsoBroken[c.fault] {
			broken[id] = true
		}
	}
	for _, c := range checks {
		if !broken[c.promise] && brokenElsewhere[c.promise] == "" {
			t.Errorf("no server breaks %s", c.promise)
		}
	}
}

// Adding a promise is adding its check: none that can be tested is without one.
func TestChecks_P3_EveryTestablePromiseHasOne(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range checks {
		if tested[c.promise] {
			t.Errorf("%s has two checks", c.promise)
		}
		if !slices.Contains(policydoc.PromiseIDs(), c.promise) {
			t.Errorf("%s is no promise", c.promise)
		}
		tested[c.promise] = true
	}
	seen := map[string]bool{}
	for _, operations := range realOperations() {
		for _, op := range published(t, operations...).Operations {
			for _, promise := range op.Promises {
				seen[promise.ID] = true
				if promise.Testable != tested[promise.ID] {
					t.Errorf("%s: it can be tested: %v; it has a check: %v", promise.ID, promise.Testable, tested[promise.ID])
				}
			}
		}
	}
	for promise := range tested {
		if !seen[promise] {
			t.Errorf("no policy comes to %s", promise)
		}
	}
}
