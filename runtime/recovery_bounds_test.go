package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// A commit that fails each time in a way that the store does not explain, such as by a deferred trigger, is not tried
// again at once for ever: recovery puts the work off like any other that fails.
func TestRecovery_A3_CommitThatAlwaysFailsIsPutOff(t *testing.T) {
	o := newOffice(t, payout())
	o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
		if to.Record != nil {
			return errors.Join(errors.New("a deferred trigger says no"), work.Rollback(ctx))
		}
		return work.Commit(ctx, to)
	}
	o.post("k", body)
	recovery, err := o.engine.NewRecovery(runtime.WithRecoveryConcurrency(1), runtime.WithRecoveryInterval(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	o.overdue("k")
	before := o.runs.Load()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if err := recovery.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if runs := o.runs.Load() - before; runs > 5 {
		t.Errorf("recovery has run the work %d times within 0.3 s", runs)
	}
}

// The context of recovered work ends with it: recovery holds nothing of what it has done, and what a handler has left behind
// is told to stop.
func TestRecovery_A3_ContextOfTheWorkEndsWithIt(t *testing.T) {
	o := newOffice(t, payout())
	var last context.Context
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		last = ctx
		return o.pay(ctx, lease)
	}
	ended := func(when string) {
		t.Helper()
		if last.Err() == nil {
			t.Errorf("the handler's context goes on after %s", when)
		}
	}
	o.bank.fail = func(n int) error {
		if n == 1 {
			return errors.New("timeout")
		}
		return nil
	}
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	ended("its request")
	o.overdue("k")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	recovery, err := o.engine.NewRecovery(runtime.WithRecoveryInterval(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- recovery.Run(ctx) }()
	for deadline := time.Now().Add(5 * time.Second); o.look("k").Record == nil && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for deadline := time.Now().Add(time.Second); last.Err() == nil && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	ended("recovery has done its work")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	o.wantPaid()
}

// How much work there is is told while recovery has its hands full, too: that is when somebody has to know.
func TestRecovery_A5_TellsTheBacklogWhileItIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.strand(40)
		o.run = o.slow(20 * time.Second)
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() {
			returned <- o.recovery(runtime.WithRecoveryInterval(time.Second), runtime.WithRecoveryConcurrency(2)).Run(ctx)
		}()
		time.Sleep(time.Minute)
		o.seen.mu.Lock()
		told := len(o.seen.backlogs)
		o.seen.mu.Unlock()
		if told < 30 || told > 130 {
			t.Errorf("the backlog was told %d times within a minute, want about once a second", told)
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}

// panickyObserver panics when it is told of recovery.
type panickyObserver struct{ runtime.Unobserved }

func (panickyObserver) Backlog(context.Context, runtime.Backlog) { panic("an observer's fault") }
func (panickyObserver) Recovered(context.Context, runtime.RecoveryEvent) {
	panic("an observer's fault")
}

// An observer that panics ends neither the process nor recovery.
func TestRecovery_A10_AnObserverPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithObserver(panickyObserver{}))
		o.strand(3)
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() { returned <- o.recovery(runtime.WithRecoveryConcurrency(1)).Run(ctx) }()
		time.Sleep(time.Minute)
		for _, key := range []string{"k0", "k1", "k2"} {
			if look := o.look(key); look.Record == nil {
				t.Errorf("recovery has not gone on: %+v; log %s", look, o.log)
			}
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}

// A context function that fails has the work put off, as a program does, and not held until its lease ends.
func TestRecovery_A5_AContextFunctionThatFails(t *testing.T) {
	for name, f := range map[string]func(context.Context, string) context.Context{
		"panics":       func(context.Context, string) context.Context { panic("secret") },
		"gives no one": func(context.Context, string) context.Context { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, payout())
			o.strand(1)
			if report := o.recover(runtime.WithRecoveryContext(f)); report != (runtime.RecoveryReport{Taken: 1, Failed: 1}) {
				t.Errorf("%+v", report)
			}
			if log := o.log.String(); !strings.Contains(log, "cannot be taken up") || strings.Contains(log, "secret") {
				t.Errorf("log %s", log)
			}
			if look := o.look("k0"); look.Progress == nil || look.Progress.Left > 11*time.Second {
				t.Errorf("it is held: %+v", look.Progress)
			}
		})
	}
}

// Recovery does not ask the store once for each place that comes free: each time it has to look through all that is in progress.
// Yet no work waits for the rest of a quarter to come free for longer than until the next round.
func TestRecovery_A5_AsksForAQuarterOfItsPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.strand(64)
		var asked, most int
		o.leases.takeOver = func(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
			asked, most = asked+1, max(most, limit)
			return o.leases.Store.TakeOver(ctx, operations, limit)
		}
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			time.Sleep(time.Duration(o.runs.Load()) * 10 * time.Millisecond) // no two end at once
			return o.pay(ctx, lease)
		}
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() {
			returned <- o.recovery(runtime.WithRecoveryConcurrency(32), runtime.WithRecoveryInterval(time.Minute)).Run(ctx)
		}()
		time.Sleep(30 * time.Second)
		if done := o.completed(64); done != 64 || asked > 8 || most != 32 {
			t.Errorf("%d done; asked %d times, for up to %d: want 64, at most 8, and 32", done, asked, most)
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}

// completed is how many of the first n stranded requests are complete.
func (o *office) completed(n int) (done int) {
	for i := range n {
		if o.look(fmt.Sprint("k", i)).Record != nil {
			done++
		}
	}
	return done
}

func TestRecovery_A5_APlaceWaitsForTheNextRoundAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.strand(9)
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() > 1 && o.runs.Load() <= 8 {
				time.Sleep(10 * time.Minute)
			}
			return o.pay(ctx, lease)
		}
		ctx, stop := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() {
			returned <- o.recovery(runtime.WithRecoveryConcurrency(8), runtime.WithRecoveryInterval(time.Minute), runtime.WithRecoveryDrain(0)).Run(ctx)
		}()
		time.Sleep(2 * time.Minute) // one place of eight is free
		if done := o.completed(9); done != 2 {
			t.Errorf("%d done, want 2", done)
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}
