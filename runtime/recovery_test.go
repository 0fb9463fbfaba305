package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// strand leaves the work of n keys, "k0" and so on, in progress, interrupted in its call, with its lease over.
func (o *office) strand(n int) {
	o.t.Helper()
	run := o.run
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (string, error) { return "", errors.New("timeout") })
		return runtime.Response{}, err
	}
	for i := range n {
		if a := o.post(fmt.Sprint("k", i), body); a.status != 503 {
			o.t.Fatalf("%d %s", a.status, a.body)
		}
		o.overdue(fmt.Sprint("k", i))
	}
	o.run = run
	o.runs.Store(0)
}

func (o *office) recovery(opts ...runtime.RecoveryOption) *runtime.Recovery[pgx.Tx] {
	o.t.Helper()
	recovery, err := o.engine.NewRecovery(opts...)
	if err != nil {
		o.t.Fatal(err)
	}
	return recovery
}

// A5: several processes take each record once.
func TestRecovery_A5_SeveralProcessesTakeEachRecordOnce(t *testing.T) {
	const n = 60
	o := newOffice(t, payout())
	o.strand(n)
	var all sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	for range 4 {
		engine := o.newEngine()
		engine.LeaseHandler(o.op, o.program)
		recovery, err := engine.NewRecovery(runtime.WithRecoveryInterval(2*time.Millisecond), runtime.WithRecoveryBatch(5), runtime.WithRecoveryConcurrency(3))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := recovery.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	for begun := time.Now(); o.effects.Load() < n && time.Since(begun) < 20*time.Second; {
		time.Sleep(time.Millisecond)
	}
	stop()
	all.Wait()
	if o.effects.Load() != n || o.bank.effects() != n || o.runs.Load() != n || len(o.seen.recovered) != n {
		t.Errorf("%d completed, %d transferred, %d runs, %d told", o.effects.Load(), o.bank.effects(), o.runs.Load(), len(o.seen.recovered))
	}
	for _, event := range o.seen.recovered {
		if event.Outcome != "completed" || event.Epoch != 2 || event.Operation != "createPayout" {
			t.Errorf("%+v", event)
		}
	}
	if len(o.seen.backlogs) == 0 {
		t.Error("no backlog was told")
	}
}

// Work that fails again and again rests longer and longer, and is not forgotten.
func TestRecovery_A5_PoisonedWorkBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, _ = o.reserve(ctx, lease)
			panic("poison")
		}
		o.post("k", body)
		began := time.Now()
		ctx, stop := context.WithCancel(context.Background())
		var all sync.WaitGroup
		all.Go(func() { _ = o.recovery(runtime.WithRecoveryInterval(time.Second)).Run(ctx) })
		var tried []time.Duration
		for time.Since(began) < 6*time.Hour {
			time.Sleep(10 * time.Second)
			if n := int(o.runs.Load()); n-1 > len(tried) {
				tried = append(tried, time.Since(began))
			}
		}
		stop()
		all.Wait()
		// After its first tries it rests 2.5 minutes in the middle.
		if n := len(tried); n < 60 || n > 300 {
			t.Errorf("tried %d times in 6 hours", n)
		}
		if look := o.look("k"); look.Progress == nil || look.Progress.Left > 5*time.Minute {
			t.Errorf("%+v", look)
		}
		if o.reserved.Load() != 1 {
			t.Errorf("reserved %d times", o.reserved.Load())
		}
	})
}

// Once takes one batch, of what can be begun at once.
func TestRecovery_A5_Once(t *testing.T) {
	o := newOffice(t, payout())
	o.strand(7)
	if report := o.recover(runtime.WithRecoveryBatch(3), runtime.WithRecoveryConcurrency(2)); report.Taken != 2 || report.Completed != 2 {
		t.Errorf("%+v", report)
	}
	if report := o.recover(runtime.WithRecoveryBatch(3), runtime.WithRecoveryConcurrency(9)); report.Taken != 3 {
		t.Errorf("%+v", report)
	}
	if report := o.recover(); report.Taken != 2 {
		t.Errorf("%+v", report)
	}
	if report := o.recover(); report.Taken != 0 {
		t.Errorf("%+v", report)
	}
	if b := o.seen.backlogs; len(b) != 4 || b[0].Overdue != 5 || b[3].InProgress != 0 {
		t.Errorf("%+v", b)
	}
}

// What the work of a record comes to is counted.
func TestRecovery_A5_Report(t *testing.T) {
	local := func(p *policy.Policy) { p.Steps, p.Downstream = []string{"reserve", "book"}, nil }
	for _, c := range []struct {
		name   string
		change func(*policy.Policy)
		run    handler
		spoil  func(o *office)
		want   runtime.RecoveryReport
		logged string
	}{
		{"completed", nil, nil, nil, runtime.RecoveryReport{Completed: 1}, ""},
		{"an answer", nil, returns(runtime.Response{Status: 404}, nil), nil, runtime.RecoveryReport{Completed: 1}, ""},
		{"yielded", nil, returns(runtime.Response{}, errors.New("boom")), nil, runtime.RecoveryReport{Yielded: 1}, "handler failed"},
		{"goexit", nil, func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			goruntime.Goexit()
			return runtime.Response{}, nil
		}, nil, runtime.RecoveryReport{Yielded: 1}, "Goexit"},
		{"released, for nothing can have been called", local, returns(runtime.Response{}, errors.New("boom")), nil, runtime.RecoveryReport{Released: 1}, "handler failed"},
		{"lost", nil, nil, func(o *office) {
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				o.overdue("k")
				_, _ = o.leases.Store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: time.Hour}}, 1)
				return o.pay(ctx, lease)
			}
		}, runtime.RecoveryReport{Lost: 1}, ""},
		{"a request of another version", nil, nil, func(o *office) { o.spoil(func(request []byte) { request[0]++ }) }, runtime.RecoveryReport{Failed: 1}, "newer version"},
		{"a request that is damaged", nil, nil, func(o *office) { o.spoil(func(request []byte) { request[1] = 0xff }) }, runtime.RecoveryReport{Failed: 1}, "damaged"},
		{"a request that the program refuses now", nil, nil, func(o *office) {
			o.engine.LeaseHandler(o.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
				return runtime.LeaseWork[pgx.Tx]{}, errors.New("secret")
			})
		}, runtime.RecoveryReport{Failed: 1}, "cannot be taken up"},
		{"a program that panics", nil, nil, func(o *office) {
			o.engine.LeaseHandler(o.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) { panic("secret") })
		}, runtime.RecoveryReport{Failed: 1}, "cannot be taken up"},
		{"the completion is unknown", nil, returns(runtime.Response{Status: 201}, nil), func(o *office) {
			o.leases.advance = func(context.Context, runtime.ID, runtime.Fence, *runtime.Advance) error { return errDown }
		}, runtime.RecoveryReport{Failed: 1}, "store failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := c.change
			if change == nil {
				change = func(*policy.Policy) {}
			}
			o := newOffice(t, payout(change), runtime.WithCommitTimeout(20*time.Millisecond))
			o.abandon("k")
			o.overdue("k")
			o.run = c.run
			if c.spoil != nil {
				c.spoil(o)
			}
			report := o.recover()
			c.want.Taken = 1
			if report != c.want {
				t.Errorf("%+v, want %+v; log %s", report, c.want, o.log)
			}
			if log := o.log.String(); !strings.Contains(log, c.logged) || strings.Contains(log, "secret") {
				t.Errorf("log: %s", log)
			}
			if len(o.seen.recovered) != 1 {
				t.Errorf("told %+v", o.seen.recovered)
			}
			look := o.look("k")
			switch {
			case c.want.Completed == 1 && look.Record == nil, c.want.Released == 1 && look != (runtime.Look{}):
				t.Errorf("%+v", look)
			case c.want.Yielded == 1 && (look.Progress == nil || look.Progress.Left > 20*time.Second):
				t.Errorf("%+v", look)
			}
		})
	}
}

// spoil has the stored request be given out changed.
func (o *office) spoil(change func(request []byte)) {
	o.leases.takeOver = func(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
		held, err := o.leases.Store.TakeOver(ctx, operations, limit)
		for i := range held {
			change(held[i].Request)
		}
		return held, err
	}
}

// Keys for external calls are made with the secret that the work was begun with; without it nothing is called.
func TestRecovery_A3_Secrets(t *testing.T) {
	first, second := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	secrets := func(current string, known map[string][]byte) runtime.Option {
		return runtime.WithDownstreamSecrets(current, known)
	}
	o := newOffice(t, payout(), secrets("a", map[string][]byte{"a": first}))
	plain := ""
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
			plain = out.Key()
			return "", errors.New("timeout")
		})
		return runtime.Response{}, err
	}
	o.post("k", body)
	o.overdue("k")
	o.run = nil

	o.engine = o.newEngine(secrets("b", map[string][]byte{"b": second}))
	o.engine.LeaseHandler(o.op, o.program)
	if report := o.recover(); report.Failed != 1 || len(o.bank.calls) != 0 || !strings.Contains(o.log.String(), "WithDownstreamSecrets") {
		t.Errorf("%+v, calls %q, log %s", report, o.bank.calls, o.log)
	}
	o.overdue("k")
	o.engine = o.newEngine(secrets("b", map[string][]byte{"a": first, "b": second}))
	o.engine.LeaseHandler(o.op, o.program)
	if report := o.recover(); report.Completed != 1 || len(o.bank.calls) != 1 || o.bank.calls[0] != plain {
		t.Errorf("%+v, calls %q, want %s", report, o.bank.calls, plain)
	}
}

// When it is to stop, recovery finishes what it holds, within the bound; what is not finished then is left to others at
// once, and no goroutine stays.
func TestRecovery_A5_Drain(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes time.Duration
		done  bool
		run   time.Duration // until Run returns, after it was told to stop
	}{
		{"finishes", 3 * time.Second, true, 2 * time.Second},
		{"yields", time.Hour, false, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, payout())
				o.strand(1)
				o.run = o.slow(c.takes)
				ctx, stop := context.WithCancel(context.Background())
				returned := make(chan time.Time)
				go func() {
					_ = o.recovery(runtime.WithRecoveryDrain(5 * time.Second)).Run(ctx)
					returned <- time.Now()
				}()
				time.Sleep(time.Second)
				began := time.Now()
				stop()
				if took := (<-returned).Sub(began); took != c.run {
					t.Errorf("it stopped after %v", took)
				}
				look := o.look("k0")
				if c.done != (look.Record != nil) {
					t.Errorf("%+v", look)
				}
				if !c.done && (look.Progress == nil || look.Progress.Left != 0) {
					t.Errorf("it is not left to others: %+v", look)
				}
			})
		})
	}
}

// A store that fails is asked more and more seldom, and Run does not end by it.
func TestRecovery_A9_StoreDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.strand(1)
		asked := 0
		o.leases.takeOver = func(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
			if asked++; asked == 3 {
				panic("a store's panic")
			}
			if asked < 8 {
				return nil, errDown
			}
			return o.leases.Store.TakeOver(ctx, operations, limit)
		}
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error)
		began := time.Now()
		go func() { returned <- o.recovery(runtime.WithRecoveryInterval(time.Second)).Run(ctx) }()
		for o.effects.Load() == 0 {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(began); took < 30*time.Second || took > 6*time.Minute {
			t.Errorf("it recovered after %v", took)
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
		if _, err := o.recovery().Once(context.Background()); err != nil {
			t.Error(err)
		}
		asked = 0
		if report, err := o.recovery().Once(context.Background()); !errors.Is(err, errDown) || report.Taken != 0 {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

// The next round comes at once when there may be more work.
func TestRecovery_A5_NextRoundAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.strand(20)
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error)
		began := time.Now()
		go func() {
			returned <- o.recovery(runtime.WithRecoveryInterval(time.Hour), runtime.WithRecoveryBatch(2), runtime.WithRecoveryConcurrency(2)).Run(ctx)
		}()
		for o.effects.Load() < 20 && time.Since(began) < time.Minute {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		stop()
		<-returned
	})
}

type principalKey struct{}

func TestRecovery_Context(t *testing.T) {
	o := newOffice(t, payout())
	o.strand(1)
	var got any
	o.run = func(ctx context.Context, _ *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		got = ctx.Value(principalKey{})
		return runtime.Response{Status: 201}, nil
	}
	o.recover(runtime.WithRecoveryContext(func(ctx context.Context, principal string) context.Context {
		return context.WithValue(ctx, principalKey{}, principal)
	}))
	if got != "acct_1" {
		t.Errorf("the context says %v", got)
	}
}

func TestNewRecovery_Options(t *testing.T) {
	engine := newOffice(t, payout()).engine
	for name, option := range map[string]runtime.RecoveryOption{
		"interval": runtime.WithRecoveryInterval(0), "batch": runtime.WithRecoveryBatch(0), "concurrency": runtime.WithRecoveryConcurrency(0),
		"drain": runtime.WithRecoveryDrain(-1), "context": runtime.WithRecoveryContext(nil),
	} {
		if _, err := engine.NewRecovery(option); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Without an operation in lease mode there is nothing to take up, and nobody is asked.
	idle := newService(t, payment())
	recovery, err := idle.engine.NewRecovery()
	if err != nil {
		t.Fatal(err)
	}
	if report, err := recovery.Once(context.Background()); err != nil || report.Taken != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// I8: whatever store operation a worker dies after, its lease frees the record, and recovery completes it: every effect is
// had once.
func TestRecovery_I8_I1_DeathAtEachStoreOperation(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := range 5 { // claim, the step's begin and commit, the result, the completion's commit
			t.Run(fmt.Sprint("operation ", n, ", done ", after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := newOffice(t, payout())
					at := 0
					dies := func(do func() error) error {
						if at++; at-1 != n {
							return do()
						}
						if after {
							_ = do()
						}
						goruntime.Goexit() // it is never heard of again
						return nil
					}
					dead := func() bool { return at > n }
					o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (claim runtime.LeaseClaim, err error) {
						err = dies(func() (err error) { claim, err = o.leases.Store.ClaimLease(ctx, id, intent); return err })
						return claim, err
					}
					o.leases.begin = func(ctx context.Context, id runtime.ID, fence runtime.Fence) (work runtime.FencedWork[pgx.Tx], err error) {
						err = dies(func() (err error) { work, err = o.leases.Store.BeginFenced(ctx, id, fence); return err })
						return &faultyFenced{FencedWork: work, store: o.leases}, err
					}
					o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
						return dies(func() error { return work.Commit(ctx, to) })
					}
					o.leases.advance = func(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
						return dies(func() error { return o.leases.Store.Advance(ctx, id, fence, to) })
					}
					o.leases.yield = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
						if dead() {
							return errDown
						}
						return o.leases.Store.Yield(ctx, id, fence, d)
					}
					ended := make(chan struct{})
					go func() {
						defer close(ended)
						o.post("k", body)
					}()
					<-ended
					o.leases.claimLease, o.leases.begin, o.leases.commit, o.leases.advance, o.leases.yield = nil, nil, nil, nil, nil
					time.Sleep(time.Minute)
					o.recover()
					if look := o.look("k"); look.Progress != nil {
						t.Errorf("it is stuck: %+v", look)
					}
					if a := o.post("k", body); a.status != 201 {
						t.Errorf("%d %s; log %s", a.status, a.body, o.log)
					}
					o.wantPaid()
				})
			})
		}
	}
}
