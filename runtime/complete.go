package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Complete runs work and commits what it writes through tx together with the answer that it returns, which completes the
// record. work may be called again with a new tx when the database asks for a repetition. The handler returns what it got
// from work; once Complete has returned nil, that answer is what is sent.
//
// An error undoes what work wrote. So does an answer that the policy does not keep: before any step it is sent all the same
// and the request forgotten, as in transaction mode; after one, a status below 500 is kept whatever the policy says, since
// what was done cannot be forgotten, and one from 500 on is an error.
func (l *Lease[TX]) Complete(ctx context.Context, work func(ctx context.Context, tx TX) (Response, error)) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.leave()
	if err := l.detach(); err != nil {
		return err
	}
	if err := l.resolve(ctx, len(l.call.plan.steps)); err != nil {
		return err
	}
	if err := l.begins(); err != nil {
		return err
	}
	var answer Response
	var record *Record
	err := l.transact(ctx, true, func(ctx context.Context, tx TX) (*Advance, error) {
		var err error
		if answer, err = work(ctx, tx); err != nil {
			return nil, err
		}
		if answer, err = normalise(answer); err != nil {
			return nil, err
		}
		l.call.dropMarker(answer)
		record = nil
		switch {
		case l.keeps(answer.Status):
			record = l.call.leaseRecord(answer, l.held)
			l.record, l.pending = record, answer // to be known again after a commit of unknown outcome
			return &Advance{Record: record}, nil
		case l.effects:
			return nil, Explain(fmt.Sprintf("Complete was given an answer with status %d, which the policy does not keep, after a step: return an error to have the work taken up again", answer.Status), nil)
		default:
			return nil, nil
		}
	})
	if err != nil && l.fate != fateUnknown {
		l.record = nil
	}
	if err != nil {
		return err
	}
	l.answer, l.record = &answer, record
	return nil
}

// keeps reports whether an answer of the given status completes the record.
func (l *Lease[TX]) keeps(status int) bool {
	return l.call.plan.op.Policy.Store.Statuses.Contains(status) || l.effects && status < 500
}

// leaseRecord is what is kept of an answer. It belongs to the request that the record was made for.
func (c *Call[TX]) leaseRecord(answer Response, held *Held) *Record {
	record := c.record(answer, held.Fence.Owner)
	record.FingerprintVersion, record.Fingerprint = held.FingerprintVersion, held.Fingerprint
	return record
}

// transact runs work in a transaction of its own that counts under the lease only, again where the database asks for it,
// and commits what it writes with what it returns; nil has it rolled back. After an error nothing was committed, unless
// l.fate says that this is not certain.
func (l *Lease[TX]) transact(ctx context.Context, final bool, work func(ctx context.Context, tx TX) (*Advance, error)) error {
	ctx, stop := l.within(ctx)
	defer stop()
	for runs := 1; ; runs++ {
		again, err := l.attempt(ctx, final, work)
		if !again || runs >= l.call.engine.settings.attempts {
			return err
		}
		pause(ctx, runs)
	}
}

// attempt is one run of transact. again says that the database asks for another.
func (l *Lease[TX]) attempt(ctx context.Context, final bool, work func(ctx context.Context, tx TX) (*Advance, error)) (again bool, err error) {
	tx, err := l.beginFenced(ctx)
	if err != nil {
		return false, err
	}
	defer l.rollback(tx) // which is free after the commit
	l.keeper.during(true)
	defer l.keeper.during(false)
	to, err := work(ctx, tx.Tx())
	if err != nil {
		return l.store.Retryable(err), err
	}
	if to == nil {
		return false, nil
	}
	if final {
		l.keeper.final(true)
	}
	l.fate = fateUnknown // also where what the store is given to commit with panics
	sent := time.Now()
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.call.engine.settings.commitTimeout)
	defer cancel()
	err = tx.Commit(detached, to)
	if final && err != nil {
		l.keeper.final(false)
	}
	return l.committed(ctx, sent, err)
}

// committed finds what a commit came to.
func (l *Lease[TX]) committed(ctx context.Context, sent time.Time, err error) (again bool, _ error) {
	_, violated := l.store.Violation(err)
	l.fate = fateCertain
	switch {
	case err == nil:
		l.keeper.renewed(sent)
	case errors.Is(err, ErrLeaseLost):
		l.lost = true
	case errors.Is(err, ErrSerialization):
		return true, err
	case errors.Is(err, ErrUnrecorded):
		l.fate = fateUnrecorded
		l.call.observe(ctx, "work without a record", err)
	case errors.Is(err, ErrAborted) || violated:
	default:
		l.fate = fateUnknown
		l.call.observe(ctx, "commit of unknown outcome", err)
	}
	return false, err
}

func (l *Lease[TX]) beginFenced(ctx context.Context) (FencedWork[TX], error) {
	bounded, cancel := context.WithTimeout(ctx, l.call.engine.settings.claimTimeout)
	defer cancel()
	tx, err := l.store.BeginFenced(bounded, l.held.ID, l.held.Fence)
	switch {
	case err == nil:
		return tx, nil
	case errors.Is(err, ErrLeaseLost):
		l.lost = true
	default:
		l.down = true
	}
	return nil, fmt.Errorf("no transaction for the work: %w", err)
}

func (l *Lease[TX]) rollback(tx FencedWork[TX]) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), l.call.engine.settings.commitTimeout)
	defer cancel()
	if err := tx.Rollback(detached); err != nil {
		l.call.observe(l.ctx, "rollback failed", err)
	}
}

// advance writes to, with no work of the handler's, and tries again while the store does not answer: what it stands for has
// happened.
func (l *Lease[TX]) advance(to *Advance) error {
	if to.Record != nil {
		l.keeper.final(true)
	}
	sent := time.Now()
	err := l.persist(func(ctx context.Context) error {
		sent = time.Now()
		return l.store.Advance(ctx, l.held.ID, l.held.Fence, to)
	})
	switch {
	case err == nil:
		l.keeper.renewed(sent)
		return nil
	case errors.Is(err, ErrLeaseLost):
		l.lost = true
	default:
		l.call.observe(l.ctx, "store failed", err)
	}
	if to.Record != nil {
		l.keeper.final(false)
	}
	return err
}

// persist repeats a write until the store has answered it, within the bound of a commit. It goes on when the lease's own
// time is over: the fence decides. The write is one that can be repeated.
func (l *Lease[TX]) persist(write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), l.call.engine.settings.commitTimeout)
	defer cancel()
	for runs := 1; ; runs++ {
		err := caught(func() error { return write(ctx) })
		if err == nil || errors.Is(err, ErrLeaseLost) || ctx.Err() != nil {
			return err
		}
		pause(ctx, runs)
	}
}

// caught makes an error of a panic, for what the store is given by others to work with, such as a [Sealer].
func caught(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
