package leasemodel_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// leases is the store, as one process has it: each write and each look waits until the scheduler lets it happen, and is
// held against the invariants. Once it is on its way, the end of its context does not stop it.
type leases struct {
	store
	*process
}

// store is what the trials run on: memstore, or a broken one.
type store = runtime.LeaseStore[pgx.Tx]

func (l *leases) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (claim runtime.LeaseClaim, err error) {
	l.trial.claims(id, intent, l.process)
	killed := l.do(nil, "claim", func() string {
		claim, err = l.trial.store.ClaimLease(context.WithoutCancel(ctx), id, intent)
		return l.given(claim, err)
	})
	return claim, first(killed, err)
}

func (l *leases) Look(ctx context.Context, id runtime.ID) (look runtime.Look, err error) {
	killed := l.do(nil, "look", func() string {
		look, err = l.trial.store.Look(context.WithoutCancel(ctx), id)
		return l.learnt(nil, look.Record, look.Progress, err)
	})
	return look, first(killed, err)
}

// Renew is the one write that gives up when its context ends: the worker waits for it when it stops its heartbeat.
func (l *leases) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	return l.fenced(ctx, "renew", fence, func() error { return l.trial.store.Renew(context.WithoutCancel(ctx), id, fence, d) })
}

func (l *leases) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	return l.fenced(nil, "advance"+target(to), fence, func() error { return l.trial.store.Advance(context.WithoutCancel(ctx), id, fence, to) })
}

// Yield has every pause as long as any: the engine draws it at random.
func (l *leases) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	if after > 0 {
		after = longestPause
	}
	return l.fenced(nil, "yield", fence, func() error { return l.trial.store.Yield(context.WithoutCancel(ctx), id, fence, after) })
}

func (l *leases) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	return l.fenced(nil, "release", fence, func() error { return l.trial.store.Release(context.WithoutCancel(ctx), id, fence) })
}

func (l *leases) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) (taken []runtime.Held, err error) {
	killed := l.do(nil, "take over", func() string {
		taken, err = l.trial.store.TakeOver(context.WithoutCancel(ctx), operations, limit)
		var all strings.Builder
		for i := range taken {
			l.trial.owned(taken[i].ID, taken[i].Fence.Owner, l.process)
			all.WriteString(l.given(runtime.LeaseClaim{Held: &taken[i]}, nil))
		}
		return fmt.Sprint(all.String(), err)
	})
	return taken, first(killed, err)
}

// Backlog is not looked at by the engine, so it is no step.
func (l *leases) Backlog(context.Context, []string) (runtime.Backlog, error) {
	return runtime.Backlog{}, nil
}

// BeginFenced does nothing that another process could see, so it is no step.
func (l *leases) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	if l.killed.Load() {
		return nil, errKilled
	}
	work, err := l.trial.store.BeginFenced(ctx, id, fence)
	return &fencedWork{work, l, fence, l.trial.base}, err
}

type fencedWork struct {
	runtime.FencedWork[pgx.Tx]
	leases *leases
	fence  runtime.Fence
	base   *memstore.Store
}

func (w *fencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	return w.leases.fenced(nil, "commit"+target(to), w.fence, func() error {
		if w.base != w.leases.trial.base { // somebody has overwritten all that there was
			return runtime.ErrLeaseLost
		}
		return w.FencedWork.Commit(context.WithoutCancel(ctx), to)
	})
}

// target is where a write brings the record.
func target(to *runtime.Advance) string {
	if to.Record != nil {
		return " the end"
	}
	return " " + to.Steps[len(to.Steps)-1].Name
}

// given notes what was done when the process was given the record, and returns what it has learnt.
func (l *leases) given(claim runtime.LeaseClaim, err error) string {
	if claim.Held != nil {
		l.began = map[string]bool{}
		for _, step := range claim.Held.Steps {
			l.began[step.Name] = true
		}
	}
	return l.learnt(claim.Held, claim.Record, claim.Progress, err)
}

// fenced is a write that must count only under its fence (I6).
func (l *leases) fenced(ctx context.Context, name string, fence runtime.Fence, write func() error) (err error) {
	killed := l.do(ctx, name, func() string {
		before, holds := l.trial.exactly(), l.trial.fence() == fence
		err = write()
		if !holds && l.trial.exactly() != before {
			l.trial.violated("I6: %s did %q under a fence that does not hold any more, and it counted", l.name, name)
		}
		return fmt.Sprint(err)
	})
	return first(killed, err)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
