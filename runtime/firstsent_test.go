package runtime_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

const skew = 5 * time.Minute

// dated is a payment whose requests say when they were first sent.
func dated(changes ...func(*policy.Policy)) *runtime.Operation {
	return payment(append([]func(*policy.Policy){func(p *policy.Policy) {
		p.Key.FirstSent = policy.FirstSent{Header: "repeatability-first-sent", MaxSkew: skew}
	}}, changes...)...)
}

func sentAt(t time.Time) func(*http.Request) {
	return header("Repeatability-First-Sent", t.UTC().Format(http.TimeFormat))
}

// X3, I12: a request whose first attempt is too long ago, or in the future, by the store's clock, is refused before any work
// and leaves no trace (I13).
func TestFirstSent_X3_I12_I13(t *testing.T) {
	for name, c := range map[string]struct {
		ago    time.Duration
		status int
	}{
		"now":                         {0, 201},
		"at the end of the retention": {24 * time.Hour, 412}, // the test's clock stands still, and this process's does not
		"just within the retention":   {24*time.Hour - 30*time.Second, 201},
		"a second after it":           {24*time.Hour + time.Second, 412},
		"a year ago":                  {365 * 24 * time.Hour, 412},
		"in the future":               {-skew, 201},
		"further in the future":       {-skew - time.Second, 412},
		"far in the future":           {-1000 * 24 * time.Hour, 412},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, dated())
			a := s.post("k", body, sentAt(s.clock.Now().Add(-c.ago)))
			if c.status == 201 {
				if a.status != 201 {
					t.Errorf("%+v", a)
				}
				s.want(1, 1, 1)
				return
			}
			a.wantProblem(t, 412, "expired")
			s.want(0, 0, 0)
			if n := s.store.claims.Load(); n != 0 {
				t.Errorf("%d claims", n)
			}
		})
	}
}

// X3: the policy says how the refusal looks.
func TestFirstSent_X3_AnswerOfThePolicy(t *testing.T) {
	s := newService(t, dated(func(p *policy.Policy) {
		p.Errors.Expired = policy.ErrorAnswer{Status: 410, Title: "Too late", Code: "late", Headers: []policy.HeaderValue{{Name: "Repeatability-Result", Value: "rejected"}}}
	}))
	a := s.post("k", body, sentAt(s.clock.Now().Add(-48*time.Hour)))
	if p := a.problem(t); a.status != 410 || p.Title != "Too late" || p.Code != "late" || a.header.Get("Repeatability-Result") != "rejected" {
		t.Errorf("%+v", a)
	}
}

// K4: a time that is missing or malformed is answered as a malformed key is; without a key, where it is optional, nothing is
// asked of it.
func TestFirstSent_K4_Malformed(t *testing.T) {
	s := newService(t, dated())
	s.post("k", body).wantProblem(t, 400, "malformed-key")
	for _, text := range badDates {
		s.post("k", body, header("Repeatability-First-Sent", text)).wantProblem(t, 400, "malformed-key")
	}
	twice := func(r *http.Request) {
		at := s.clock.Now().Format(http.TimeFormat)
		r.Header["Repeatability-First-Sent"] = []string{at, at}
	}
	s.post("k", body, twice).wantProblem(t, 400, "malformed-key")
	s.do(s.request(body, sentAt(s.clock.Now()))).wantProblem(t, 400, "missing-key")
	s.want(0, 0, 0)

	optional := newService(t, dated(func(p *policy.Policy) { p.Key.Required = false }))
	if a := optional.do(optional.request(body)); a.status != 201 {
		t.Errorf("%+v", a)
	}
	if a := optional.do(optional.request(body, header("Repeatability-First-Sent", "yesterday"))); a.status != 201 {
		t.Errorf("%+v", a)
	}
	optional.post("k", body).wantProblem(t, 400, "malformed-key")
}

// badDates are no IMF-fixdates (RFC 9110, section 5.6.7).
var badDates = []string{
	"", " ", "now", "0", "1735689600",
	"Thursday, 01-Jan-26 00:00:00 GMT", // obsolete: RFC 850
	"Thu Jan  1 00:00:00 2026",         // obsolete: asctime
	"2026-01-01T00:00:00Z",
	"Thu, 01 Jan 2026 00:00:00 UTC",
	"Thu, 01 Jan 2026 00:00:00 +0000",
	"Thu, 01 Jan 2026 00:00:00",
	"Thu, 01 Jan 2026 00:00:00.5 GMT",
	"Thu, 01 Jan 2026 00:00:00,5 GMT",
	"Fri, 01 Jan 2026 00:00:00 GMT", // a Thursday
	"thu, 01 jan 2026 00:00:00 gmt",
	"Thu, 1 Jan 2026 00:00:00 GMT",
	"Thu, 01 Jan 2026 0:00:00 GMT",
	"Thu, 01 Jan 26 00:00:00 GMT",
	"Wed, 30 Feb 2026 00:00:00 GMT",
	"Thu, 01 Jan 2026 24:00:00 GMT",
	"Thu, 01 Jan 2026 00:00:00 GMT GMT",
	"Thu,  01 Jan 2026 00:00:00 GMT",
	`"Thu, 01 Jan 2026 00:00:00 GMT"`,
}

// F1, F4: the time is the same on each attempt; with another one it is another request.
func TestFirstSent_F1_F4_PartOfTheRequest(t *testing.T) {
	s := newService(t, dated())
	at := s.clock.Now()
	first := s.post("k", body, sentAt(at))
	s.clock.Advance(time.Hour)
	wantReplay(t, first, s.post("k", body, sentAt(at)))
	s.post("k", body, sentAt(at.Add(time.Second))).wantProblem(t, 422, "key-reused")
	s.want(1, 1, 1)
}

// X3, I1: whatever the client's clock says, a retry finds the record or is refused. A client whose clock is before the
// store's has its record kept for longer, by as much.
func TestFirstSent_X3_I1_NoGap(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"right": 0, "behind": -time.Hour, "before": skew} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, dated())
			at := s.clock.Now().Add(ahead)
			first := s.post("k", body, sentAt(at))
			if first.status != 201 {
				t.Fatalf("%+v", first)
			}
			var replays, refusals int
			for range 2 * 25 * 60 / 7 { // two days
				s.clock.Advance(7 * time.Minute)
				switch a := s.post("k", body, sentAt(at)); {
				case a.replayed():
					replays++
				case a.status == 412:
					refusals++
				default:
					t.Fatalf("after %v: %+v", s.clock.Now().Sub(at), a)
				}
			}
			if replays < 150 || refusals < 150 {
				t.Errorf("%d replays, %d refusals", replays, refusals)
			}
			s.want(1, 1, 0)
		})
	}
}

// X3: a request that is in time when it comes, waits for another one, and is too late when that has ended, does not run. The
// other one is in a process of its own, so that the store is what they share.
func TestFirstSent_X3_TooLateAfterAWait(t *testing.T) {
	s := newService(t, dated(func(p *policy.Policy) { p.InFlight.MaxWait = 20 * time.Second }))
	at := s.clock.Now()
	s.clock.Advance(24*time.Hour - time.Second)
	s.store.onClaim = func(n int64, ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
		time.Sleep(1100 * time.Millisecond)
		return s.store.Store.Claim(ctx, id, wait)
	}
	s.post("k", body, sentAt(at)).wantProblem(t, 412, "expired")
	s.want(0, 0, 0)
	if open := s.store.open.Load(); open != 0 {
		t.Errorf("%d transactions are open", open)
	}
}

// A9, I9: a store that does not tell its time has nothing run.
func TestFirstSent_A9_I9_NoTime(t *testing.T) {
	s := newService(t, dated())
	engine, err := runtime.New[pgx.Tx](timeless{s.store}, bearer, runtime.WithLogger(silent()))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	s.serve(mux, engine)
	a := do(mux, s.request(body, header("Idempotency-Key", "k"), sentAt(s.clock.Now())))
	a.wantProblem(t, 503, "unavailable")
	a.wantRetryAfter(t)
	s.want(0, 0, 0)
}

type timeless struct{ *faultyStore }

func (timeless) Now(context.Context) (time.Time, error) { return time.Time{}, errDown }

// I12: a store that was given a sealer goes on telling its time; one that tells none has this process's clock taken.
func TestFirstSent_I12_WhoseClock(t *testing.T) {
	sealer, err := runtime.NewAESGCM("a", map[string][]byte{"a": make([]byte, 16)})
	if err != nil {
		t.Fatal(err)
	}
	past := &clock{now: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)}
	sealed, err := runtime.Sealed[pgx.Tx](memstore.New(memstore.WithClock(past.Now)), sealer)
	if err != nil {
		t.Fatal(err)
	}
	silentStore, err := runtime.Sealed[pgx.Tx](plainStore{memstore.New()}, sealer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		store runtime.Store[pgx.Tx]
		now   time.Time
	}{
		"sealed":            {sealed, past.Now()},
		"sealed, no clock":  {silentStore, time.Now()},
		"a store without":   {plainStore{memstore.New()}, time.Now()},
		"a store that does": {memstore.New(memstore.WithClock(past.Now)), past.Now()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, dated())
			engine, err := runtime.New(c.store, bearer, runtime.WithLogger(silent()))
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			s.serve(mux, engine)
			send := func(key string, at time.Time) answer {
				return do(mux, s.request(body, header("Idempotency-Key", key), sentAt(at)))
			}
			if a := send("k", c.now); a.status != 201 {
				t.Errorf("%+v", a)
			}
			send("k2", c.now.Add(-48*time.Hour)).wantProblem(t, 412, "expired")
			send("k3", c.now.Add(48*time.Hour)).wantProblem(t, 412, "expired")
		})
	}
}

// plainStore is a store that tells no time.
type plainStore struct{ runtime.Store[pgx.Tx] }

// The same in lease mode: X3, F4, and what a later worker does of it.
func TestFirstSent_X3_Lease(t *testing.T) {
	when := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	o := newOfficeAt(t, payout(func(p *policy.Policy) {
		p.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: skew}
	}), when.Now)
	at := when.Now().Add(skew)
	o.post("late", body, sentAt(when.Now().Add(-25*time.Hour))).wantProblem(t, 412, "expired")
	o.post("none", body).wantProblem(t, 400, "malformed-key")
	if n := o.leases.Len(); n != 0 || o.runs.Load() != 0 {
		t.Errorf("%d records, %d runs", n, o.runs.Load())
	}
	first := o.post("k", body, sentAt(at))
	if first.status != 201 {
		t.Fatalf("%+v", first)
	}
	o.post("k", body, sentAt(at.Add(-time.Second))).wantProblem(t, 422, "key-reused")
	when.Advance(24*time.Hour + skew - 30*time.Second)
	wantReplay(t, first, o.post("k", body, sentAt(at)))
	when.Advance(time.Minute)
	o.post("k", body, sentAt(at)).wantProblem(t, 412, "expired")
	if n := o.bank.effects(); n != 1 {
		t.Errorf("%d transfers, want 1", n)
	}
}

// X3, I13: so is one in lease mode that is too late when it has won its record. The record is gone again.
func TestFirstSent_X3_I13_LeaseTooLateAfterAWait(t *testing.T) {
	when := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	o := newOfficeAt(t, payout(func(p *policy.Policy) {
		p.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: skew}
	}), when.Now)
	at := when.Now()
	when.Advance(24*time.Hour - time.Second)
	o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
		time.Sleep(1100 * time.Millisecond)
		return o.leases.Store.ClaimLease(ctx, id, intent)
	}
	o.post("k", body, sentAt(at)).wantProblem(t, 412, "expired")
	if n := o.leases.Len(); n != 0 || o.runs.Load() != 0 {
		t.Errorf("%d records, %d runs", n, o.runs.Load())
	}
}

func TestFirstSent_Register(t *testing.T) {
	engine := newService(t, payment()).engine
	for part, sent := range map[string]policy.FirstSent{
		"is not a header name":    {Header: "First Sent", MaxSkew: skew},
		"is the key's own header": {Header: "idempotency-key", MaxSkew: skew},
		"it is not negative":      {Header: "First-Sent", MaxSkew: -1},
	} {
		err := engine.Register(payment(func(p *policy.Policy) { p.Key.FirstSent = sent }))
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
}
