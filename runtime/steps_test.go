package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

func local(ctx context.Context, lease *runtime.Lease[pgx.Tx], name string) error {
	_, err := runtime.DoLocal(ctx, lease.Local(name), func(context.Context, pgx.Tx) (int, error) { return 1, nil })
	return err
}

func external(ctx context.Context, lease *runtime.Lease[pgx.Tx], name string) error {
	_, err := runtime.DoExternal(ctx, lease.External(name), func(context.Context, *runtime.Outbound) (int, error) { return 1, nil })
	return err
}

func completes(ctx context.Context, lease *runtime.Lease[pgx.Tx]) error {
	return lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return runtime.Response{Status: 201}, nil })
}

// A lease that is used in another way than it is made for says so, and nothing is done.
func TestSteps_I1_Misuse(t *testing.T) {
	type lease = *runtime.Lease[pgx.Tx]
	for _, c := range []struct {
		name string
		use  func(ctx context.Context, l lease) error // the last call, which is refused
		want string
	}{
		{"an unknown step", func(ctx context.Context, l lease) error { return local(ctx, l, "refund") }, `no step "refund"`},
		{"local, and has a call", func(ctx context.Context, l lease) error { return local(ctx, l, "transfer") }, "use DoExternal"},
		{"external, and has no call", func(ctx context.Context, l lease) error { return external(ctx, l, "reserve") }, "use DoLocal"},
		{"twice", func(ctx context.Context, l lease) error {
			return errors.Join(local(ctx, l, "reserve"), wrap(local(ctx, l, "reserve")))
		}, "run twice"},
		{"out of order", func(ctx context.Context, l lease) error {
			return errors.Join(local(ctx, l, "book"), wrap(external(ctx, l, "transfer")))
		}, "after a later one"},
		{"a step after Complete", func(ctx context.Context, l lease) error {
			return errors.Join(completes(ctx, l), wrap(local(ctx, l, "reserve")))
		}, "after Complete"},
		{"Complete twice", func(ctx context.Context, l lease) error {
			return errors.Join(completes(ctx, l), wrap(completes(ctx, l)))
		}, "after Complete"},
		{"a step within a step", func(ctx context.Context, l lease) error {
			_, err := runtime.DoLocal(ctx, l.Local("reserve"), func(ctx context.Context, _ pgx.Tx) (int, error) {
				return 0, wrap(local(ctx, l, "book"))
			})
			return err
		}, "within one of its own steps"},
		{"a step after a call that failed", func(ctx context.Context, l lease) error {
			_, _ = runtime.DoExternal(ctx, l.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) { return 0, errors.New("timeout") })
			return wrap(local(ctx, l, "book"))
		}, "return its error"},
		{"Complete after a call that failed", func(ctx context.Context, l lease) error {
			_, _ = runtime.DoExternal(ctx, l.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) { return 0, errors.New("timeout") })
			return wrap(completes(ctx, l))
		}, "return its error"},
		{"a result that is no JSON", func(ctx context.Context, l lease) error {
			_, err := runtime.DoLocal(ctx, l.Local("reserve"), func(context.Context, pgx.Tx) (func(), error) { return func() {}, nil })
			return wrap(err)
		}, "cannot be encoded as JSON"},
		{"a result that does not come back", func(ctx context.Context, l lease) error {
			_, err := runtime.DoLocal(ctx, l.Local("reserve"), func(context.Context, pgx.Tx) (interface{ Foo() }, error) { return foo{}, nil })
			return wrap(err)
		}, "cannot be decoded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout())
			var err error
			o.run = func(ctx context.Context, l *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				err = c.use(ctx, l)
				return runtime.Response{Status: 201}, nil
			}
			o.post("k", body)
			var explained runtime.Explained
			if !errors.As(err, &explained) || !strings.Contains(explained.LogText(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

type foo struct{}

func (foo) Foo() {}

// wrap shows which call of several has failed: an error of an earlier one would stand before it.
func wrap(err error) error {
	if err == nil {
		return errors.New("it was not refused")
	}
	return err
}

// A lease that is kept beyond the handler does nothing any more.
func TestSteps_I1_KeptLease(t *testing.T) {
	o := newOffice(t, payout())
	var kept *runtime.Lease[pgx.Tx]
	o.run = func(_ context.Context, l *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		kept = l
		return runtime.Response{Status: 201}, nil
	}
	o.post("k", body)
	ctx := context.Background()
	for name, err := range map[string]error{
		"local": local(ctx, kept, "reserve"), "external": external(ctx, kept, "transfer"), "Complete": completes(ctx, kept),
	} {
		if err == nil || !strings.Contains(err.Error(), "after its handler had returned") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A handler that returns while a goroutine of its own is in a step is not finished: whatever the step comes to, it is not
// run a second time.
func TestSteps_I1_AStepThatIsLeftBehind(t *testing.T) {
	o := newOffice(t, payout())
	calling, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	o.run = func(ctx context.Context, l *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		go func() {
			defer close(ended)
			_, _ = runtime.DoExternal(ctx, l.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
				close(calling)
				<-goOn
				return o.bank.transfer(out.Key())
			})
		}()
		<-calling
		if err := local(ctx, l, "book"); err == nil || !strings.Contains(err.Error(), "two goroutines") {
			t.Errorf("%v", err)
		}
		return runtime.Response{Status: 201}, nil
	}
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	close(goOn)
	<-ended
	o.run = nil
	o.overdue("k")
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("%d %s", a.status, a.body)
	}
	o.wantPaid()
}

// What the other side says of an interrupted step decides: done is not run again, not done is run with the same key, and
// without a clear answer nothing is run.
func TestSteps_A5_Reconcile(t *testing.T) {
	for _, c := range []struct {
		name      string
		happened  bool
		reconcile runtime.ReconcileFunc // nil: tells the truth
		completed bool
		calls     int
		steps     string
		logged    string
	}{
		{name: "done", happened: true, completed: true, calls: 1, steps: "reserve stored transfer reconciled"},
		{name: "not done", completed: true, calls: 2, steps: "reserve stored transfer done"},
		{
			name: "unknown", happened: true, calls: 1, steps: "reserve stored transfer unknown",
			reconcile: func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
				return runtime.Unknown(), nil
			},
		},
		{
			name: "an error", happened: true, calls: 1, steps: "reserve stored transfer unknown", logged: "cannot be reconciled",
			reconcile: func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
				return runtime.NotDone(), errors.New("secret")
			},
		},
		{
			name: "a panic", happened: true, calls: 1, steps: "reserve stored transfer unknown", logged: "*runtime.PanicError",
			reconcile: func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) { panic("secret") },
		},
		{
			name: "done with another type", happened: true, calls: 1, steps: "reserve stored transfer unknown", logged: "gave Done a int",
			reconcile: func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
				return runtime.Done(7), nil
			},
		},
		{
			name: "done with nothing", happened: true, calls: 1, steps: "reserve stored transfer unknown", logged: "gave Done a <nil>",
			reconcile: func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
				return runtime.Done(nil), nil
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout())
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if _, err := o.reserve(ctx, lease); err != nil {
					return runtime.Response{}, err
				}
				_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
					if c.happened {
						_, _ = o.bank.transfer(out.Key())
					} else {
						o.bank.calls = append(o.bank.calls, out.Key())
					}
					return "", errors.New("the answer was lost")
				})
				return runtime.Response{}, err
			}
			o.post("k", body).wantProblem(t, 503, "outcome-unknown")
			o.overdue("k")
			o.seen.steps = nil
			o.run = nil
			asked := 0
			o.reconcile = func(ctx context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
				asked++
				var reserved int64
				if ok, err := step.Result("reserve", &reserved); !ok || err != nil || reserved != 7 {
					t.Errorf("the earlier step: %v, %v, %v", reserved, ok, err)
				}
				if ok, err := step.Result("book", &reserved); ok || err != nil {
					t.Errorf("a later step: %v, %v", ok, err)
				}
				var text string
				if ok, err := step.Result("reserve", &text); !ok || err == nil {
					t.Errorf("as another type: %v, %v", ok, err)
				}
				if step.Principal != "acct_1" || step.ClientKey != "k" || step.Epoch != 2 || step.Began.IsZero() || step.Key() != o.bank.calls[0] || step.Step != "transfer" {
					t.Errorf("%+v", step)
				}
				if c.reconcile != nil {
					return c.reconcile(ctx, step)
				}
				if o.bank.has(step.Key()) {
					return runtime.Done("found"), nil
				}
				return runtime.NotDone(), nil
			}
			report := o.recover()
			if asked != 1 || len(o.bank.calls) != c.calls || o.bank.calls[0] != o.bank.calls[len(o.bank.calls)-1] {
				t.Errorf("asked %d times, calls %q", asked, o.bank.calls)
			}
			if got := strings.Join(o.seen.steps, " "); got != c.steps {
				t.Errorf("steps: %s", got)
			}
			if !strings.Contains(o.log.String(), c.logged) || strings.Contains(o.log.String(), "secret") {
				t.Errorf("log: %s", o.log)
			}
			if !c.completed {
				if report.Yielded != 1 || o.look("k").Progress == nil || o.effects.Load() != 0 {
					t.Errorf("%+v", report)
				}
				return
			}
			if report.Completed != 1 {
				t.Errorf("%+v; log %s", report, o.log)
			}
			o.wantPaid()
			if a := o.post("k", body); c.happened && !strings.Contains(a.body, "by found") {
				t.Errorf("the result is not what was found: %s", a.body)
			}
		})
	}
}

// nil will do for a result that is empty, and only then.
func TestSteps_A5_DoneWithNothing(t *testing.T) {
	o := newOffice(t, payout())
	first := true
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, err := runtime.DoExternal(ctx, lease.External("notify"), func(context.Context, *runtime.Outbound) (struct{}, error) {
			if !first {
				t.Error("it is called again")
			}
			first = false
			return struct{}{}, errors.New("timeout")
		})
		return runtime.Response{Status: 204}, err
	}
	o.reconcile = func(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
		if step.Step != "notify" {
			return runtime.NotDone(), nil // left out, by both
		}
		return runtime.Done(nil), nil
	}
	o.post("k", body)
	o.overdue("k")
	if report := o.recover(); report.Completed != 1 {
		t.Errorf("%+v; log %s", report, o.log)
	}
}

// A call that certainly had no effect may be made again, in the same run too.
func TestSteps_NoEffect(t *testing.T) {
	o := newOffice(t, payout())
	o.bank.fail = func(n int) error {
		if n < 3 {
			return runtime.NoEffect(errors.New("connection refused"))
		}
		return nil
	}
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		for {
			if _, err := o.transfer(ctx, lease); err == nil {
				break
			}
		}
		return o.complete(ctx, lease, runtime.Response{Status: 201})
	}
	if a := o.post("k", body); a.status != 201 || o.bank.effects() != 1 || len(o.bank.calls) != 3 || o.bank.calls[0] != o.bank.calls[2] {
		t.Errorf("%d %s, calls %q", a.status, a.body, o.bank.calls)
	}
	if runtime.NoEffect(nil) != nil {
		t.Error("NoEffect(nil) is an error")
	}
	if err := errors.New("x"); !errors.Is(runtime.NoEffect(err), err) {
		t.Error("NoEffect hides its error")
	}
}

// A step may be left out, and each is done once however often the work is taken up.
func TestSteps_A5_DoneStepsAreNotRunAgain(t *testing.T) {
	o := newOffice(t, payout())
	ran := map[string]int{}
	boom := 0
	do := func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) error {
		for _, name := range []string{"reserve", "book"} {
			got, err := runtime.DoLocal(ctx, lease.Local(name), func(context.Context, pgx.Tx) (string, error) {
				ran[name]++
				return name, nil
			})
			if err != nil {
				return err
			}
			if got != name {
				t.Errorf("the result of %s is %q", name, got)
			}
			if boom++; boom < 4 {
				return errors.New("boom")
			}
		}
		_, err := runtime.DoExternal(ctx, lease.External("notify"), func(_ context.Context, out *runtime.Outbound) (string, error) {
			ran["notify"]++
			h := http.Header{}
			out.SetHeaders(h)
			if h.Get("Mail-Key") == "" || h.Get("Mail-Key") != out.KeyFor("mail") || out.KeyFor("bank") != "" || len(out.Keys()) != 1 || out.Step != "notify" {
				t.Errorf("%+v %v", out, h)
			}
			return "", nil
		})
		return err
	}
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{Status: 201}, do(ctx, lease)
	}
	o.post("k", body)
	for range 5 {
		if o.look("k").Progress != nil {
			o.overdue("k")
		}
		o.recover()
	}
	if fmt.Sprint(ran) != "map[book:1 notify:1 reserve:1]" || o.look("k").Record == nil {
		t.Errorf("ran %v; log %s", ran, o.log)
	}
}

// Work that is taken up is run with the request that was stored, which has no credentials.
func TestSteps_A5_TheStoredRequest(t *testing.T) {
	op := payout(func(p *policy.Policy) {
		p.Scope = append(p.Scope, "header:Tenant")
		p.Fingerprint.Headers = []string{"Api-Version"}
		p.Fingerprint.Exclude = []string{"/trace"}
	})
	op.RequestHeaders = []string{"x-kept", "Authorization", "Cookie"}
	o := newOffice(t, op)
	var requests []string
	program := func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		work, err := o.program(call)
		work.Run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			r := call.Request()
			requests = append(requests, fmt.Sprint(r.Method, r.Host, r.URL, r.PathValue("order"), r.Header["X-Kept"], r.Header["Tenant"], r.Header["Api-Version"],
				r.Header["Content-Type"], r.Header["Idempotency-Key"], string(call.Body()), call.Key(), call.Principal(), r.ContentLength))
			if _, err := o.reserve(ctx, lease); err != nil || len(requests) == 1 {
				return runtime.Response{}, errors.Join(err, errors.New("boom"))
			}
			for _, secret := range []string{"Authorization", "Cookie", "X-Other"} {
				if r.Header.Get(secret) != "" {
					t.Errorf("%s is stored", secret)
				}
			}
			return runtime.Response{Status: 201}, r.Context().Err()
		}
		return work, err
	}
	handler := http.NewServeMux()
	handler.Handle("POST /orders/{order}/payments", o.engine.LeaseHandler(op, program))
	post := func(trace string) answer {
		return do(handler, o.request(`{"amount":1,"trace":"`+trace+`"}`, header("Idempotency-Key", `"k"`), header("X-Kept", "1"), header("Tenant", "t"),
			header("Api-Version", "2"), header("Cookie", "secret"), header("X-Other", "x"), path("/orders/a%2Fb/payments?q=1")))
	}
	if a := post("1"); a.status != 503 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	id := runtime.ID{Scope: "p6:acct_1o12:createPayouth1:t", Key: "k"}
	look, err := o.leases.Store.Look(context.Background(), id)
	if err != nil || look.Progress == nil {
		t.Fatalf("%+v, %v", look, err)
	}
	_ = o.leases.Store.Yield(context.Background(), id, look.Progress.Fence, 0)
	if a := post("2"); a.status != 201 { // the same request, but for what does not count
		t.Fatalf("%d %s; log %s", a.status, a.body, o.log)
	}
	if len(requests) != 2 || requests[0] != requests[1] || !strings.Contains(requests[1], `"trace":"1"`) {
		t.Errorf("%q", requests)
	}
}

// Where the key is optional and absent, the same steps run without a record, with keys of their own.
func TestLease_OptionalKey(t *testing.T) {
	o := newOffice(t, payout(func(p *policy.Policy) { p.Key.Required = false }))
	for range 2 {
		if a := o.do(o.request(body)); a.status != 201 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if o.reserved.Load() != 2 || o.bank.effects() != 2 || o.effects.Load() != 2 || o.bank.calls[0] == o.bank.calls[1] || o.leases.Len() != 0 {
		t.Errorf("reserved %d, calls %q", o.reserved.Load(), o.bank.calls)
	}
	o.bank.fail = func(int) error { return errors.New("timeout") }
	o.do(o.request(body)).wantProblem(t, 500, "outcome-unknown") // nobody is going to find out
	o.run = returns(runtime.Response{}, errors.New("boom"))
	o.do(o.request(body)).wantProblem(t, 500, "internal-error")
	if got := fmt.Sprint(o.seen.outcomes()); got != "[unprotected unprotected unknown failed]" {
		t.Errorf("outcomes %s", got)
	}
}

// What a program refuses is answered before anything is claimed.
func TestLease_R2_ProgramRefuses(t *testing.T) {
	o := newOffice(t, payout())
	handler := o.engine.LeaseHandler(o.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		return runtime.LeaseWork[pgx.Tx]{}, errors.New("amount is missing")
	})
	a := do(handler, o.request(body, header("Idempotency-Key", "k")))
	a.wantProblem(t, 400, "invalid-request")
	for name, work := range map[string]runtime.LeaseWork[pgx.Tx]{
		"no Run":                {Reconcile: map[string]runtime.ReconcileFunc{"transfer": o.ask, "notify": o.ask}},
		"no reconcile function": {Run: o.pay, Reconcile: map[string]runtime.ReconcileFunc{"transfer": o.ask}},
	} {
		handler := o.engine.LeaseHandler(o.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) { return work, nil })
		do(handler, o.request(body, header("Idempotency-Key", "k"))).wantProblem(t, 500, "internal-error")
		if !strings.Contains(o.log.String(), name) {
			t.Errorf("%s: log %s", name, o.log)
		}
	}
	o.wantNothing()
}

// A failed step can be answered for: what it wrote is rolled back, and the handler goes on.
func TestSteps_AFailedLocalStepIsRolledBack(t *testing.T) {
	o := newOffice(t, payout())
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int, error) {
			_ = memstore.OnCommit(tx, func() { t.Error("an effect of a step that failed") })
			return 0, errors.New("no funds")
		})
		if err == nil {
			t.Error("no error")
		}
		return o.complete(ctx, lease, runtime.Response{Status: 402})
	}
	first := o.post("k", body)
	wantReplay(t, first, o.post("k", body))
	if first.status != 402 || o.effects.Load() != 1 {
		t.Errorf("%d %s", first.status, first.body)
	}
}

func TestRegister_Lease(t *testing.T) {
	engine := newOffice(t, payout()).engine
	for part, change := range map[string]func(*runtime.Operation){
		"lease.duration is":      func(o *runtime.Operation) { o.Policy.Lease.Duration = 0 },
		"lease.heartbeat is 16s": func(o *runtime.Operation) { o.Policy.Lease.Heartbeat = 16 * time.Second },
		"lease.heartbeat is 0s":  func(o *runtime.Operation) { o.Policy.Lease.Heartbeat = 0 },
		"longer than lease":      func(o *runtime.Operation) { o.Policy.Lease.Duration = 48 * time.Hour },
		"a name is empty":        func(o *runtime.Operation) { o.Policy.Steps[1] = "" },
		`"reserve" stands twice`: func(o *runtime.Operation) { o.Policy.Steps[1] = "reserve" },
		`"bank" stands twice`:    func(o *runtime.Operation) { o.Policy.Downstream[1] = o.Policy.Downstream[0] },
		"both need a name":       func(o *runtime.Operation) { o.Policy.Downstream[1].Step = "" },
		`"a b" is not a header`:  func(o *runtime.Operation) { o.Policy.Downstream[1].Header = "a b" },
		`format "ulid"`:          func(o *runtime.Operation) { o.Policy.Downstream[1].Format = "ulid" },
		"RequestHeaders":         func(o *runtime.Operation) { o.RequestHeaders = []string{"a:b"} },
		"has 1XX":                func(o *runtime.Operation) { o.Policy.Store.Statuses = policy.Statuses{"1XX"} },
		"inFlight.maxWait":       func(o *runtime.Operation) { o.Policy.InFlight = policy.InFlight{Answer: policy.Wait} },
	} {
		op := payout()
		change(op)
		if err := engine.Register(op); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
	good := payout(func(p *policy.Policy) { p.Store.Statuses = append(p.Store.Statuses, "5XX") })
	if err := engine.Register(good); err != nil {
		t.Error(err)
	}

	plain, err := runtime.New[pgx.Tx](struct{ runtime.Store[pgx.Tx] }{memstore.New()}, bearer)
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Register(payout()); err == nil || !strings.Contains(err.Error(), "runtime.LeaseStore") {
		t.Errorf("over a store without leases: %v", err)
	}
	if _, err := plain.NewRecovery(); err == nil {
		t.Error("recovery over a store without leases")
	}
	for name, f := range map[string]func(){
		"over a store without leases": func() { plain.LeaseHandler(payout(), (&office{}).program) },
		"in transaction mode":         func() { engine.LeaseHandler(payment(), (&office{}).program) },
		"without a program":           func() { engine.LeaseHandler(payout(), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}

	// An operation in lease mode is not served in transaction mode by mistake.
	s := newOffice(t, payout())
	a := do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if call, ok := s.engine.Begin(w, r, s.op); ok {
			call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) {
				t.Error("the work ran")
				return runtime.Response{Status: 201}, nil
			})
		}
	}), s.request(body, header("Idempotency-Key", "k")))
	a.wantProblem(t, 500, "internal-error")
}

// A large result is kept, as nothing else would do, and said so once for each step, without what is in it.
func TestStep_A5_LargeResults(t *testing.T) {
	o := newOffice(t, payout())
	size, read := 64<<10, 0
	secret := func() string { return strings.Repeat("s", size-2) } // in quotes
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		local, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(context.Context, pgx.Tx) (string, error) { return secret(), nil })
		if err != nil {
			return runtime.Response{}, err
		}
		external, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (string, error) { return secret(), nil })
		read = len(local) + len(external) + 4
		return runtime.Response{Status: 201}, err
	}
	for i, want := range []int{0, 2, 2} {
		if a := o.post(fmt.Sprint("k", i), body); a.status != 201 || read != 2*size {
			t.Fatalf("%d %s; %d bytes of results", a.status, a.body, read)
		}
		log := o.log.String()
		if got := strings.Count(log, "the result of a step is large"); got != want {
			t.Errorf("results of %d bytes: %d entries, want %d", size, got, want)
		}
		if strings.Contains(log, "sss") || want > 0 && (!strings.Contains(log, "step=reserve bytes=65537") || !strings.Contains(log, "step=transfer bytes=65537")) {
			t.Errorf("log %s", log)
		}
		size = 64<<10 + 1
	}
}
