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

// claimCourses are how a claim and a takeover can go. A round of recovery is not made again, so that it is all the same how
// long it has waited.
var claimCourses = map[string][]course{
	"claim":     {answerLost, lost, answerGone, gone},
	"take over": {answerLost},
}

// writeCourses are how a write can go that the engine makes again where no answer comes, commitCourses how one that it
// does not.
var (
	writeCourses  = []course{answerLost, lost, answerGone, gone}
	commitCourses = []course{answerLost, lost}
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
	unheard := l.venture(ctx, "claim", claimCourses["claim"], func() string {
		claim, err = l.trial.store.ClaimLease(context.WithoutCancel(ctx), id, intent)
		return l.given(claim, err)
	})
	if unheard != nil {
		return runtime.LeaseClaim{}, unknown(unheard)
	}
	return claim, err
}

func (l *leases) Look(ctx context.Context, id runtime.ID) (look runtime.Look, err error) {
	unheard := l.venture(ctx, "look", []course{lost}, func() string {
		look, err = l.trial.store.Look(context.WithoutCancel(ctx), id)
		return l.learnt(nil, look.Record, look.Progress, err)
	})
	return look, first(unheard, err)
}

// Renew is the one write that gives up when its context ends: the worker waits for it when it stops its heartbeat.
func (l *leases) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	fence = l.trial.real(fence)
	var err error
	killed := l.do(ctx, "renew", l.held("renew", fence, &err, func() error { return l.trial.store.Renew(context.WithoutCancel(ctx), id, fence, d) }))
	return first(killed, err)
}

func (l *leases) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	fence = l.trial.real(fence)
	return l.fenced(ctx, "advance"+target(to), fence, writeCourses, func() error { return l.trial.store.Advance(context.WithoutCancel(ctx), id, fence, to) })
}

// Yield has every pause as long as any: the engine draws it at random.
func (l *leases) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	if after > 0 {
		after = longestPause
	}
	fence = l.trial.real(fence)
	return l.fenced(ctx, "yield", fence, writeCourses, func() error { return l.trial.store.Yield(context.WithoutCancel(ctx), id, fence, after) })
}

func (l *leases) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	fence = l.trial.real(fence)
	return l.fenced(ctx, "release", fence, writeCourses, func() error { return l.trial.store.Release(context.WithoutCancel(ctx), id, fence) })
}

func (l *leases) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) (taken []runtime.Held, err error) {
	unheard := l.venture(ctx, "take over", claimCourses["take over"], func() string {
		taken, err = l.trial.store.TakeOver(context.WithoutCancel(ctx), operations, limit)
		var all strings.Builder
		for i := range taken {
			l.trial.owned(taken[i].ID, taken[i].Fence.Owner, l.process)
			all.WriteString(l.given(runtime.LeaseClaim{Held: &taken[i]}, nil))
		}
		return fmt.Sprint(all.String(), err)
	})
	if unheard != nil {
		return nil, unheard
	}
	return taken, err
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
	fence = l.trial.real(fence)
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
	err := w.leases.fenced(ctx, "commit"+target(to), w.fence, commitCourses, func() error {
		if w.base != w.leases.trial.base { // somebody has overwritten all that there was
			return runtime.ErrLeaseLost
		}
		return w.FencedWork.Commit(context.WithoutCancel(ctx), to)
	})
	return unknown(err)
}

// unknown is err as a store tells it of what is committed.
func unknown(err error) error {
	if err == errLost { //nolint:errorlint // which nobody wraps
		return fmt.Errorf("%w: %w", runtime.ErrCommitUnknown, err)
	}
	return err
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
		l.claimed = l.trial.number(claim.Held.Fence)
		if l.trial.fault.unaware {
			claim.Held.Fence.Epoch = 1
		}
		l.began = map[string]bool{}
		for _, step := range claim.Held.Steps {
			l.began[step.Name] = true
		}
	}
	return l.learnt(claim.Held, claim.Record, claim.Progress, err)
}

// fenced is a write that must count only under its fence (I6).
func (l *leases) fenced(ctx context.Context, name string, fence runtime.Fence, courses []course, write func() error) (err error) {
	unheard := l.venture(ctx, name, courses, l.held(name, fence, &err, write))
	return first(unheard, err)
}

// held does a fenced write, and says what it came to.
func (l *leases) held(name string, fence runtime.Fence, err *error, write func() error) func() string {
	return func() string {
		before, holds := l.trial.exactly(), l.trial.fence() == fence
		*err = write()
		if !holds && l.trial.exactly() != before {
			l.trial.violated("I6: %s did %q under a fence that does not hold any more, and it counted", l.name, name)
		}
		return fmt.Sprint(*err)
	}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
