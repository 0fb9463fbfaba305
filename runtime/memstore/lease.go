package memstore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// lease is a record in progress.
type lease struct {
	operation          string
	fingerprintVersion int
	fingerprint        []byte
	request            []byte
	fence              runtime.Fence
	steps              []runtime.StepResult
	created, until     time.Time
}

// ClaimLease implements runtime.LeaseStore.
func (s *Store) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if err := ctx.Err(); err != nil {
		return runtime.LeaseClaim{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.purge(now)
	e := s.live(id, now)
	switch {
	case e == nil:
		l := &lease{
			operation:          intent.Operation,
			fingerprintVersion: intent.FingerprintVersion,
			fingerprint:        bytes.Clone(intent.Fingerprint),
			request:            bytes.Clone(intent.Request),
			created:            now,
		}
		l.hold(runtime.Fence{Epoch: 1, Owner: intent.Owner}, now.Add(intent.Lease))
		s.records[id] = &entry{id: id, lease: l}
		return runtime.LeaseClaim{Held: l.held(id)}, nil
	case e.lease == nil:
		record := clone(&e.record)
		return runtime.LeaseClaim{Record: &record}, nil
	case e.lease.fence.Owner == intent.Owner: // the same claim again
		return runtime.LeaseClaim{Held: e.lease.held(id)}, nil
	case e.lease.over(now) && e.lease.isFor(intent):
		e.lease.hold(runtime.Fence{Epoch: e.lease.fence.Epoch + 1, Owner: intent.Owner}, now.Add(intent.Lease))
		return runtime.LeaseClaim{Held: e.lease.held(id)}, nil
	default:
		return runtime.LeaseClaim{Progress: e.lease.progress(now)}, nil
	}
}

// Look implements runtime.LeaseStore.
func (s *Store) Look(ctx context.Context, id runtime.ID) (runtime.Look, error) {
	if err := ctx.Err(); err != nil {
		return runtime.Look{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	e := s.live(id, now)
	switch {
	case e == nil:
		return runtime.Look{}, nil
	case e.lease != nil:
		return runtime.Look{Progress: e.lease.progress(now)}, nil
	default:
		record := clone(&e.record)
		return runtime.Look{Record: &record}, nil
	}
}

// Renew implements runtime.LeaseStore.
func (s *Store) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	return s.fenced(ctx, id, fence, func(l *lease) { l.until = s.now().Add(d) })
}

// Yield implements runtime.LeaseStore.
func (s *Store) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	return s.fenced(ctx, id, fence, func(l *lease) { l.until = s.now().Add(after) })
}

// Release implements runtime.LeaseStore.
func (s *Store) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	return s.fenced(ctx, id, fence, func(*lease) { delete(s.records, id) })
}

// Advance implements runtime.LeaseStore.
func (s *Store) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.records[id]; to.Record != nil && e != nil && e.lease == nil && e.record.Attempt == fence.Owner {
		return nil // the same write has happened already
	}
	return s.advance(id, fence, to)
}

// BeginFenced implements runtime.LeaseStore. Whether the fence holds is asked at the commit, which is where it counts.
func (s *Store) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &fencedWork{store: s, id: id, fence: fence, tx: &Tx{}}, nil
}

// TakeOver implements runtime.LeaseStore. It begins with the record whose lease ended first.
func (s *Store) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	leases := make(map[string]time.Duration, len(operations))
	for _, o := range operations {
		leases[o.Operation] = o.Lease
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var overdue []*entry
	for _, e := range s.records {
		if e.lease == nil || !e.lease.over(now) {
			continue
		}
		if _, asked := leases[e.lease.operation]; asked {
			overdue = append(overdue, e)
		}
	}
	slices.SortFunc(overdue, func(a, b *entry) int {
		return cmp.Or(a.lease.until.Compare(b.lease.until), cmp.Compare(a.id.Scope, b.id.Scope), cmp.Compare(a.id.Key, b.id.Key))
	})
	var taken []runtime.Held
	for _, e := range overdue[:min(max(limit, 0), len(overdue))] {
		fence := runtime.Fence{Epoch: e.lease.fence.Epoch + 1}
		_, _ = rand.Read(fence.Owner[:]) // never fails
		e.lease.hold(fence, now.Add(leases[e.lease.operation]))
		taken = append(taken, *e.lease.held(e.id))
	}
	return taken, nil
}

// Backlog implements runtime.LeaseStore.
func (s *Store) Backlog(ctx context.Context, operations []string) (runtime.Backlog, error) {
	if err := ctx.Err(); err != nil {
		return runtime.Backlog{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var backlog runtime.Backlog
	for _, e := range s.records {
		if e.lease == nil || !slices.Contains(operations, e.lease.operation) {
			continue
		}
		backlog.InProgress++
		if e.lease.over(now) {
			backlog.Overdue++
			backlog.OldestOverdue = max(backlog.OldestOverdue, now.Sub(e.lease.until))
		}
	}
	return backlog, nil
}

// fencedWork is a transaction of a worker that holds a record.
type fencedWork struct {
	store *Store
	id    runtime.ID
	fence runtime.Fence
	tx    *Tx
	ended bool
}

func (w *fencedWork) Tx() pgx.Tx { return w.tx }

// Commit runs the staged effects and writes to, in one step as seen by everybody else, if the fence holds.
func (w *fencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	if w.ended {
		return errEnded
	}
	w.ended = true
	effects := w.tx.end()
	if to == nil {
		return errors.New("memstore: fenced work is committed with what it advances the record to")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if err := w.store.advance(w.id, w.fence, to); err != nil {
		return err
	}
	for _, effect := range effects {
		effect()
	}
	return nil
}

// Rollback drops the staged effects.
func (w *fencedWork) Rollback(context.Context) error {
	w.ended = true
	w.tx.end()
	return nil
}

// fenced has write change the record in progress under id, if it is held under fence.
func (s *Store) fenced(ctx context.Context, id runtime.ID, fence runtime.Fence, write func(*lease)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.heldUnder(id, fence)
	if l == nil {
		return runtime.ErrLeaseLost
	}
	write(l)
	return nil
}

// heldUnder returns the record in progress under id; nil unless it is held under fence. A lease that is over makes no
// difference, as long as nobody has taken the work over. The store is locked.
func (s *Store) heldUnder(id runtime.ID, fence runtime.Fence) *lease {
	if e := s.records[id]; e != nil && e.lease != nil && e.lease.fence == fence {
		return e.lease
	}
	return nil
}

// advance writes to, if the fence holds. What the record is for remains as it was claimed. The store is locked.
func (s *Store) advance(id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	l := s.heldUnder(id, fence)
	if l == nil {
		return runtime.ErrLeaseLost
	}
	if to.Record == nil {
		if !goOn(to.Steps, l.steps) {
			return errors.New("memstore: nothing was written: the steps do not go on from those that are stored")
		}
		l.steps, l.until = cloneSteps(to.Steps), s.now().Add(to.Lease)
		return nil
	}
	record := *to.Record
	record.Operation, record.FingerprintVersion, record.Fingerprint = l.operation, l.fingerprintVersion, l.fingerprint
	record.Attempt = fence.Owner
	s.keep(id, &record, s.now())
	return nil
}

// hold gives the record to the worker with the given fence.
func (l *lease) hold(fence runtime.Fence, until time.Time) { l.fence, l.until = fence, until }

func (l *lease) over(now time.Time) bool { return !l.until.After(now) }

// isFor says whether the record in progress is for the same request.
func (l *lease) isFor(intent *runtime.Intent) bool {
	return l.operation == intent.Operation && l.fingerprintVersion == intent.FingerprintVersion && bytes.Equal(l.fingerprint, intent.Fingerprint)
}

func (l *lease) held(id runtime.ID) *runtime.Held {
	return &runtime.Held{
		ID:                 id,
		Fence:              l.fence,
		Operation:          l.operation,
		FingerprintVersion: l.fingerprintVersion,
		Fingerprint:        bytes.Clone(l.fingerprint),
		Request:            bytes.Clone(l.request),
		Steps:              cloneSteps(l.steps),
		CreatedAt:          l.created,
	}
}

func (l *lease) progress(now time.Time) *runtime.Progress {
	return &runtime.Progress{
		Operation:          l.operation,
		FingerprintVersion: l.fingerprintVersion,
		Fingerprint:        bytes.Clone(l.fingerprint),
		Fence:              l.fence,
		Steps:              cloneSteps(l.steps),
		CreatedAt:          l.created,
		Left:               max(l.until.Sub(now), 0),
	}
}

// goOn reports whether steps begin with those that are stored.
func goOn(steps, stored []runtime.StepResult) bool {
	return len(steps) >= len(stored) && slices.EqualFunc(steps[:len(stored)], stored, func(a, b runtime.StepResult) bool {
		return a.Name == b.Name && bytes.Equal(a.Result, b.Result)
	})
}

func cloneSteps(steps []runtime.StepResult) []runtime.StepResult {
	clones := slices.Clone(steps)
	for i := range clones {
		clones[i].Result = bytes.Clone(clones[i].Result)
	}
	return clones
}
