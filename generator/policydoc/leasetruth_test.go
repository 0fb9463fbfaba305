package policydoc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The page says what the runtime does in lease mode too: each sentence that is not transaction mode's, word for word, with
// what shows that it is true. Time is synctest's.

// leases is a store that can be down, or lose the renewals.
type leases struct {
	*memstore.Store
	down, deaf atomic.Bool
}

var errDown = errors.New("the database is down")

func (l *leases) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if l.down.Load() {
		return runtime.LeaseClaim{}, errDown
	}
	return l.Store.ClaimLease(ctx, id, intent)
}

func (l *leases) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	if l.down.Load() || l.deaf.Load() {
		return errDown
	}
	return l.Store.Renew(ctx, id, fence, d)
}

func (l *leases) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	if l.down.Load() {
		return errDown
	}
	return l.Store.Advance(ctx, id, fence, to)
}

func (l *leases) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	if l.down.Load() {
		return errDown
	}
	return l.Store.Yield(ctx, id, fence, after)
}

// office is one operation in lease mode, served by two processes: it sets money aside in the database, has a bank send it,
// and settles.
type office struct {
	t         *testing.T
	store     *leases
	op        runtime.Operation
	processes [2]http.Handler
	recovery  *runtime.Recovery[pgx.Tx]

	mu                sync.Mutex
	first, last       func() (runtime.Response, error) // before the first step, and after the last one; nil goes on
	bank              func(n int) error                // what becomes of the bank's n-th answer
	unsure            bool                             // the bank cannot tell
	log               []string                         // what the bank was asked, with which key
	reserved, settled int
	sent              map[string]int // by the bank's key; it does a thing once for each
}

func leaseMode() policy.Policy {
	p := strict()
	p.Guards = nil
	p.Mode, p.Lease = policy.LeaseMode, policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
	p.Steps = []string{"reserve", "transfer"}
	p.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Bank-Key", Format: policy.UUID5}}
	return p
}

func newOffice(t *testing.T, p policy.Policy) *office {
	t.Helper()
	o := &office{t: t, store: &leases{Store: memstore.New()}, sent: map[string]int{}}
	o.op = runtime.Operation{ID: "createPayout", Method: "POST", Route: "/payouts", Policy: p}
	for i := range o.processes {
		engine, err := runtime.New[pgx.Tx](o.store, func(*http.Request) (string, error) { return "account", nil }, runtime.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		o.processes[i] = engine.LeaseHandler(&o.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
			return runtime.LeaseWork[pgx.Tx]{Run: o.run, Reconcile: map[string]runtime.ReconcileFunc{"transfer": o.reconcile}}, nil
		})
		if o.recovery, err = engine.NewRecovery(); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func (o *office) run(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
	if o.first != nil {
		if answer, err := o.first(); err != nil || answer.Status != 0 {
			return answer, err
		}
	}
	_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (struct{}, error) {
		return struct{}{}, memstore.OnCommit(tx, func() { o.reserved++ })
	})
	if err != nil {
		return runtime.Response{}, err
	}
	transfer, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.log = append(o.log, "call "+out.Key())
		if o.bank != nil {
			if err := o.bank(len(o.log)); err != nil {
				return "", err
			}
		}
		o.sent[out.Key()] = 1
		return out.Key(), nil
	})
	if err != nil {
		return runtime.Response{}, err
	}
	if o.last != nil {
		if answer, err := o.last(); err != nil || answer.Status != 0 {
			return answer, err
		}
	}
	header := http.Header{"Content-Type": {"text/plain"}, "Location": {"/payouts/1"}}
	answer := runtime.Response{Status: http.StatusCreated, Header: header, Body: []byte("sent as " + transfer)}
	return answer, lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
		return answer, memstore.OnCommit(tx, func() { o.settled++ })
	})
}

func (o *office) reconcile(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, "ask "+step.Key())
	switch {
	case o.unsure:
		return runtime.Unknown(), nil
	case o.sent[step.Key()] > 0:
		return runtime.Done(step.Key()), nil
	default:
		return runtime.NotDone(), nil
	}
}

// post sends a request to the first process, postOther to the other one.
func (o *office) post(key, body string) *httptest.ResponseRecorder { return o.postTo(0, key, body) }

func (o *office) postOther(key, body string) *httptest.ResponseRecorder {
	return o.postTo(1, key, body)
}

func (o *office) postTo(process int, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/payouts", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	o.processes[process].ServeHTTP(w, r)
	return w
}

// want checks an answer and whether it is a repetition.
func (o *office) want(what string, w *httptest.ResponseRecorder, status int, repeated bool) {
	o.t.Helper()
	if w.Code != status || (w.Header().Get("Idempotent-Replayed") == "true") != repeated {
		o.t.Errorf("%s: %d %s, a repetition: %q; want %d, a repetition: %v", what, w.Code, w.Body, w.Header().Get("Idempotent-Replayed"), status, repeated)
	}
}

// wantDone checks how much has been done in all.
func (o *office) wantDone(what string, times int) {
	o.t.Helper()
	if o.reserved != times || len(o.sent) != times || o.settled != times {
		o.t.Errorf("%s: reserved %d times, sent %d times, settled %d times; want each %d times", what, o.reserved, len(o.sent), o.settled, times)
	}
}

// recover has recovery run for some hours.
func (o *office) recover() {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Hour)
	defer cancel()
	if err := o.recovery.Run(ctx); err != nil {
		o.t.Error(err)
	}
}

var errWorker = errors.New("the worker fails")

// once fails the first time.
func once(fail func()) func() (runtime.Response, error) {
	failed := false
	return func() (runtime.Response, error) {
		if failed {
			return runtime.Response{}, nil
		}
		failed = true
		fail()
		return runtime.Response{}, errWorker
	}
}

func answering(status int) func() (runtime.Response, error) {
	answer := runtime.Response{Status: status}
	if status != http.StatusNoContent {
		answer.Body = []byte("{}")
	}
	return func() (runtime.Response, error) { return answer, nil }
}

// after waits for as long as an answer's Retry-After says.
func after(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	if err != nil || seconds < 1 {
		t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	time.Sleep(time.Duration(seconds) * time.Second)
}

// leaseTruths are the sentences about lease mode that are shown to be true.
var leaseTruths = map[string]struct {
	says string
	show func(t *testing.T, o *office)
}{
	PromiseOneEffect: {
		"However many requests carry one key, at once or one after another, the work is done once.",
		func(t *testing.T, o *office) {
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() { o.postTo(i%2, "key-1", "{}") })
			}
			all.Wait()
			o.want("one later", o.post("key-1", "{}"), http.StatusCreated, true)
			o.wantDone("in all", 1)
		},
	},
	PromiseRetention: {
		"A key is remembered until its work is finished, and for 24 hours from then on.",
		func(t *testing.T, o *office) {
			o.last = once(func() {})
			o.want("first", o.post("key-1", "{}"), http.StatusServiceUnavailable, false)
			time.Sleep(72 * time.Hour)
			o.want("three days later", o.post("key-1", "{}"), http.StatusCreated, false)
			o.wantDone("in all", 1) // what was done before was not done again, so it was remembered
			time.Sleep(24*time.Hour - time.Second)
			o.want("a second before the end", o.post("key-1", "{}"), http.StatusCreated, true)
		},
	},
	PromiseRetentionEnd: {
		"After that it is new again: the same request is carried out once more.",
		func(t *testing.T, o *office) {
			o.want("first", o.post("key-1", "{}"), http.StatusCreated, false)
			time.Sleep(24*time.Hour + time.Second)
			o.want("after a day", o.post("key-1", "{}"), http.StatusCreated, false)
			if o.reserved != 2 || o.settled != 2 {
				t.Errorf("reserved %d times, settled %d times", o.reserved, o.settled)
			}
		},
	},
	PromiseKept: {
		"An answer of 2xx, 402 or 409 is final: each repetition gets it, and nothing is done again.",
		func(t *testing.T, o *office) {
			for _, status := range []int{200, 204, 402, 409} {
				for name, at := range map[string]*func() (runtime.Response, error){"before": &o.first, "after": &o.last} {
					key := fmt.Sprint(name, status)
					*at = answering(status)
					o.want(key, o.post(key, "{}"), status, false)
					*at = answering(418)
					o.want(key+" again", o.postOther(key, "{}"), status, true)
					*at = nil
				}
			}
		},
	},
	PromiseNotKept: {
		"Any other answer below 500 is final too once the work has begun, and otherwise leaves nothing done and the key free. " +
			"After any other 5xx the work may have begun: send the same request with the same key to learn what came of it, never with a new key.",
		func(t *testing.T, o *office) {
			o.first = answering(404)
			o.want("before the work", o.post("free", "{}"), 404, false)
			o.wantDone("before the work", 0)
			o.first = nil
			o.want("another attempt", o.post("free", `{"other":true}`), http.StatusCreated, false) // the key is free for any request
			o.wantDone("another attempt", 1)

			o.last = answering(404)
			o.want("once the work has begun", o.post("begun", "{}"), 404, false)
			o.last = nil
			o.recover()
			o.want("its repetition", o.postOther("begun", "{}"), 404, true)
			if o.settled != 1 {
				t.Error("work that had its final answer went on")
			}

			for name, fail := range map[string]func() (runtime.Response, error){
				"5xx-of-its-own": answering(502), "error": func() (runtime.Response, error) { return runtime.Response{}, errWorker },
				"panic": func() (runtime.Response, error) { panic("broken") },
			} {
				settled, sent := o.settled, len(o.sent)
				o.last = fail
				w := o.post(name, "{}")
				o.last = nil
				if w.Code < 500 {
					t.Errorf("%s: %d", name, w.Code)
				}
				after(t, w)
				w = o.post(name, "{}")
				for w.Code == http.StatusConflict || w.Code == http.StatusServiceUnavailable { // it rests for a while
					after(t, w)
					w = o.post(name, "{}")
				}
				o.want(name+", the same key", w, http.StatusCreated, false)
				if o.settled != settled+1 || len(o.sent) != sent+1 {
					t.Errorf("%s: settled %d times, sent %d times", name, o.settled-settled, len(o.sent)-sent)
				}
				o.want(name+", a new key", o.post(name+"-new", "{}"), http.StatusCreated, false)
				if o.settled != settled+2 || len(o.sent) != sent+2 { // which is why it says never
					t.Errorf("%s, with a new key: settled %d times, sent %d times", name, o.settled-settled, len(o.sent)-sent)
				}
			}
		},
	},
	PromiseFinished: {
		"Work that has begun is finished, after a failure on this side too, whether or not the request is sent again.",
		func(t *testing.T, o *office) {
			for i, fail := range []func(){
				func() {},
				func() { panic("broken") },
				func() { // the process and the database with it, for an hour
					o.store.down.Store(true)
					time.AfterFunc(time.Hour, func() { o.store.down.Store(false) })
				},
			} {
				o.last = once(fail)
				if w := o.post(fmt.Sprint("key-", i), "{}"); w.Code != http.StatusServiceUnavailable {
					t.Errorf("failure %d: %d %s", i, w.Code, w.Body)
				}
				o.recover()
				o.wantDone(fmt.Sprint("failure ", i), i+1)
			}
			// A failure within the call, after which the request is sent again and again.
			o.bank = func(n int) error {
				o.sent[strings.TrimPrefix(o.log[n-1], "call ")] = 1
				return errWorker
			}
			for w := o.post("key-9", "{}"); w.Code != http.StatusCreated; w = o.post("key-9", "{}") {
				after(t, w)
			}
			o.wantDone("sent again", 4)
		},
	},
	PromiseCalls: {
		"Where it calls another service, each attempt carries the same key, which is derived from yours. " +
			"Where it is not known what became of a call, that service is asked before the call is made again.",
		func(t *testing.T, o *office) {
			o.bank = func(n int) error {
				if n < 8 { // of what it was asked
					return errWorker
				}
				return nil
			}
			o.post("key-1", "{}")
			o.unsure = true
			o.recover()
			if calls := len(slices.DeleteFunc(slices.Clone(o.log), func(line string) bool { return strings.HasPrefix(line, "ask ") })); calls != 1 {
				t.Errorf("the call was made %d times while nobody knew what became of it", calls)
			}
			o.log, o.unsure = o.log[:1], false
			o.recover()
			o.wantDone("in all", 1)
			key := strings.TrimPrefix(o.log[0], "call ")
			for i, line := range o.log {
				if want := [2]string{"call ", "ask "}[i%2] + key; line != want {
					t.Errorf("the bank's request %d is %q, want %q", i, line, want)
				}
			}
			if len(o.log) < 9 {
				t.Errorf("too little was asked: %q", o.log)
			}
			o.bank = nil
			o.post("key-2", "{}")
			other := newOffice(t, o.op.Policy)
			other.post("key-1", "{}")
			if len(o.sent) != 2 || other.sent[key] != 1 {
				t.Errorf("two keys of the client are %v; with its first one, another database gives %v", o.sent, other.sent)
			}
		},
	},
	PromiseReplay: {
		"A repetition gets the first answer again, with the same status and the same bytes.",
		func(t *testing.T, o *office) {
			first := o.post("key-1", "{}")
			o.want("first", first, http.StatusCreated, false)
			for process := range o.processes {
				w := o.postTo(process, "key-1", "{}")
				o.want("repetition", w, http.StatusCreated, true)
				if w.Body.String() != first.Body.String() || w.Header().Get("Location") != "/payouts/1" || w.Header().Get("Content-Type") != "text/plain" {
					t.Errorf("%q %v, and first %q %v", w.Body, w.Header(), first.Body, first.Header())
				}
			}
		},
	},
	PromiseInFlight: {
		"A repetition that comes while the work is not finished is answered at once with 409 and a Retry-After that says when to ask again.",
		func(t *testing.T, o *office) {
			leave, done := make(chan struct{}), make(chan struct{})
			o.last = once(func() { <-leave })
			o.store.deaf.Store(true) // the worker is as good as dead
			go func() {
				defer close(done)
				o.post("key-1", "{}")
			}()
			synctest.Wait()
			began := time.Now()
			for process := range o.processes {
				w := o.postTo(process, "key-1", "{}")
				o.want("meanwhile", w, http.StatusConflict, false)
				if time.Since(began) != 0 {
					t.Errorf("it is answered after %v", time.Since(began))
				}
			}
			after(t, o.postOther("key-1", "{}"))
			if waited := time.Since(began); waited > o.op.Policy.Lease.Duration {
				t.Errorf("it says to ask again after %v", waited)
			}
			o.want("asked again", o.postOther("key-1", "{}"), http.StatusCreated, false)
			o.wantDone("in all", 1)
			close(leave)
			<-done
		},
	},
	PromiseMismatch: {
		"A key that comes back with another request is refused with 422: nothing is done, and the first answer is not shown.",
		func(t *testing.T, o *office) {
			leave := make(chan struct{})
			o.last = func() (runtime.Response, error) {
				<-leave
				return runtime.Response{}, errWorker
			}
			refused := func(when string) {
				t.Helper()
				reserved, settled := o.reserved, o.settled
				w := o.postOther("key-1", `{"amount":2}`)
				o.want(when, w, http.StatusUnprocessableEntity, false)
				if o.reserved != reserved || o.settled != settled || len(o.sent) != 1 || strings.Contains(w.Body.String(), "sent as") {
					t.Errorf("%s: reserved %d, settled %d, sent %d times: %s", when, o.reserved, o.settled, len(o.sent), w.Body)
				}
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				o.post("key-1", `{"amount":1}`)
			}()
			synctest.Wait()
			refused("while the first is at work")
			close(leave)
			<-done
			refused("while the work rests")
			time.Sleep(time.Hour)
			refused("when nobody does the work")
			o.last = nil
			o.want("the first request again", o.post("key-1", `{"amount":1}`), http.StatusCreated, false)
			refused("when it is done")
			o.want("the first request once more", o.post("key-1", `{"amount":1}`), http.StatusCreated, true)
			o.wantDone("in all", 1)
		},
	},
	PromiseUnavailable: {
		"While keys cannot be checked, requests are refused with 503, and nothing is done.",
		func(t *testing.T, o *office) {
			o.store.down.Store(true)
			o.want("without a database", o.post("key-1", "{}"), http.StatusServiceUnavailable, false)
			o.wantDone("without a database", 0)
		},
	},
	PromiseOutcomeUnknown: {
		"When work that has begun cannot be finished at once, the answer is 503, and the same key finds out what came of it.",
		func(t *testing.T, o *office) {
			o.last = once(func() { o.store.down.Store(true) })
			w := o.post("key-1", "{}")
			o.want("first", w, http.StatusServiceUnavailable, false)
			if !strings.Contains(w.Body.String(), "#outcome-unknown") {
				t.Errorf("the answer is %s", w.Body)
			}
			o.store.down.Store(false)
			o.recover()
			o.want("the same key", o.postOther("key-1", "{}"), http.StatusCreated, true)
			o.wantDone("in all", 1)
		},
	},
}

// Each sentence of lease mode's page that transaction mode's does not have is shown to be true, and so are those on which
// clients rely most.
func TestPage_P1_P3_LeaseModeIsTrue(t *testing.T) {
	page := func(p policy.Policy) map[string]string {
		said := map[string]string{}
		for _, promise := range promises(&policy.Operation{ID: "createPayout", Policy: p}) {
			said[promise.ID] = promise.Text.Plain()
		}
		return said
	}
	other := leaseMode()
	other.Mode = policy.Transaction
	said, others := page(leaseMode()), page(other)
	for id, says := range said {
		if _, shown := leaseTruths[id]; !shown && says != others[id] {
			t.Errorf("nothing shows that this is true (%s): %s", id, says)
		}
	}
	for id, truth := range leaseTruths {
		t.Run(id, func(t *testing.T) {
			if said[id] != truth.says {
				t.Errorf("the page says %q; what is shown here is %q", said[id], truth.says)
			}
			synctest.Test(t, func(t *testing.T) { truth.show(t, newOffice(t, leaseMode())) })
		})
	}
	local := leaseMode()
	local.Downstream = nil
	if says := page(local)[PromiseCalls]; says != "" {
		t.Errorf("without a call the page says: %s", says)
	}
}

// Where the policy has repetitions wait, they do so in both processes, and are answered when the work is finished.
func TestPage_C2_C3_LeaseModeWaits(t *testing.T) {
	p := leaseMode()
	p.InFlight.Answer, p.InFlight.MaxWait = policy.Wait, 5*time.Second
	const says = "A repetition that comes while the work is not finished waits up to 5 seconds for its answer, and is then answered with 409 and a Retry-After that says when to ask again."
	if got := inFlight(&p).Plain(); got != says {
		t.Errorf("the page says %q; what is shown here is %q", got, says)
	}
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, p)
		o.last = func() (runtime.Response, error) {
			time.Sleep(8 * time.Second)
			return runtime.Response{}, nil
		}
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() { o.want("first", o.post("key-1", "{}"), http.StatusCreated, false) })
		time.Sleep(time.Second)
		for process := range o.processes {
			all.Go(func() {
				w := o.postTo(process, "key-1", "{}")
				o.want("too early", w, http.StatusConflict, false)
				if waited := time.Since(began); waited != 6*time.Second {
					t.Errorf("it is answered after %v", waited)
				}
				if seconds, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || seconds < 1 || seconds > 30 {
					t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
				}
			})
		}
		time.Sleep(5500 * time.Millisecond)
		for process := range o.processes {
			all.Go(func() {
				o.want("in time", o.postTo(process, "key-1", "{}"), http.StatusCreated, true)
				if waited := time.Since(began); waited > 9*time.Second {
					t.Errorf("it is answered after %v", waited)
				}
			})
		}
		all.Wait()
		o.wantDone("in all", 1)
	})
}
