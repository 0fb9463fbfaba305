package modeltest

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type store = runtime.LeaseStore[pgx.Tx]

// faults are stores that each break the contract in one way, as stores are broken in real life.
var faults = map[string]func(*memstore.Store) store{
	"that the fence is dropped":                 func(s *memstore.Store) store { return unfenced{s} },
	"that only the renewal is not fenced":       func(s *memstore.Store) store { return unfencedRenewal{s} },
	"that a release is not fenced":              func(s *memstore.Store) store { return unfencedRelease{s} },
	"that a takeover does not compare and set":  func(s *memstore.Store) store { return &blindTakeover{Store: s, seen: map[runtime.ID]bool{}} },
	"that a takeover needs no end of the lease": func(s *memstore.Store) store { return impatient{s} },
	"that another request takes the work over":  func(s *memstore.Store) store { return anyRequest{s} },
	"that a takeover forgets the steps":         func(s *memstore.Store) store { return forgetful{s} },
	"that a complete record is written again":   func(s *memstore.Store) store { return &rewriting{Store: s, later: map[runtime.ID]*runtime.Record{}} },
	"that a complete record never expires":      func(s *memstore.Store) store { return &everlasting{Store: s, known: map[runtime.ID]*runtime.Record{}} },
	"that leases do not end":                    func(s *memstore.Store) store { return endless{s} },
	"that an effect is committed by itself":     func(s *memstore.Store) store { return separate{s} },
	"that a claim does not know its own row":    func(s *memstore.Store) store { return stranger{s} },
	"that a yield gives nothing up":             func(s *memstore.Store) store { return keeping{s} },
	"that work is to be run again for ever":     func(s *memstore.Store) store { return hesitant{s, false} },
	"that work is done and to be run again":     func(s *memstore.Store) store { return hesitant{s, true} },
}

// present is the fence that the record has now, whoever holds it.
func present(ctx context.Context, s *memstore.Store, id runtime.ID, fence runtime.Fence) runtime.Fence {
	if look, err := s.Look(ctx, id); err == nil && look.Progress != nil {
		return look.Progress.Fence
	}
	return fence
}

type unfenced struct{ *memstore.Store }

func (u unfenced) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	return u.Store.Advance(ctx, id, present(ctx, u.Store, id, fence), to)
}

func (u unfenced) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	return u.Store.BeginFenced(ctx, id, present(ctx, u.Store, id, fence))
}

type unfencedRenewal struct{ *memstore.Store }

func (u unfencedRenewal) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	return u.Store.Renew(ctx, id, present(ctx, u.Store, id, fence), d)
}

type unfencedRelease struct{ *memstore.Store }

func (u unfencedRelease) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	return u.Store.Release(ctx, id, present(ctx, u.Store, id, fence))
}

// blindTakeover looks first whether the lease is over, and writes later without a look at who has it then.
type blindTakeover struct {
	*memstore.Store
	seen map[runtime.ID]bool // the lease was over when somebody looked last
}

func (b *blindTakeover) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	over := b.seen[id]
	look, err := b.Store.Look(ctx, id)
	if err != nil {
		return runtime.LeaseClaim{}, err
	}
	b.seen[id] = look.Progress != nil && look.Progress.Left == 0
	if over && look.Progress != nil {
		_ = b.Store.Yield(ctx, id, look.Progress.Fence, 0)
	}
	return b.Store.ClaimLease(ctx, id, intent)
}

type impatient struct{ *memstore.Store }

func (i impatient) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if look, err := i.Store.Look(ctx, id); err == nil && look.Progress != nil && look.Progress.Fence.Owner != intent.Owner {
		_ = i.Store.Yield(ctx, id, look.Progress.Fence, 0)
	}
	return i.Store.ClaimLease(ctx, id, intent)
}

type anyRequest struct{ *memstore.Store }

func (a anyRequest) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if look, err := a.Store.Look(ctx, id); err == nil && look.Progress != nil {
		same := *intent
		same.Operation, same.Fingerprint = look.Progress.Operation, look.Progress.Fingerprint
		intent = &same
	}
	return a.Store.ClaimLease(ctx, id, intent)
}

type forgetful struct{ *memstore.Store }

func (f forgetful) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
	taken, err := f.Store.TakeOver(ctx, operations, limit)
	for i := range taken {
		taken[i].Steps = nil
	}
	return taken, err
}

// rewriting lets whoever completes a record last have the last word.
type rewriting struct {
	*memstore.Store
	later map[runtime.ID]*runtime.Record
}

func (r *rewriting) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	err := r.Store.Advance(ctx, id, fence, to)
	if look, lookErr := r.Store.Look(ctx, id); errors.Is(err, runtime.ErrLeaseLost) && lookErr == nil && look.Record != nil && to.Record != nil {
		later := *look.Record
		later.Status, later.Body, later.BodyState, later.Attempt = to.Record.Status, to.Record.Body, to.Record.BodyState, fence.Owner
		r.later[id] = &later
		return nil
	}
	return err
}

func (r *rewriting) Look(ctx context.Context, id runtime.ID) (runtime.Look, error) {
	look, err := r.Store.Look(ctx, id)
	if look.Record != nil && r.later[id] != nil {
		look.Record = r.later[id]
	}
	return look, err
}

type everlasting struct {
	*memstore.Store
	known map[runtime.ID]*runtime.Record
}

func (e *everlasting) Look(ctx context.Context, id runtime.ID) (runtime.Look, error) {
	look, err := e.Store.Look(ctx, id)
	if look.Record != nil {
		e.known[id] = look.Record
	}
	if look == (runtime.Look{}) && e.known[id] != nil {
		look.Record = e.known[id]
	}
	return look, err
}

type endless struct{ *memstore.Store }

func (endless) TakeOver(context.Context, []runtime.OperationLease, int) ([]runtime.Held, error) {
	return nil, nil
}

// separate commits an effect on its own, and the record after it.
type separate struct{ *memstore.Store }

type separateWork struct {
	runtime.FencedWork[pgx.Tx]
	alone runtime.Work[pgx.Tx]
}

func (s separate) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := s.Store.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	alone, err := s.Store.Begin(ctx)
	return separateWork{work, alone}, err
}

func (w separateWork) Tx() pgx.Tx { return w.alone.Tx() }

func (w separateWork) Commit(ctx context.Context, to *runtime.Advance) error {
	if err := w.alone.Commit(ctx, nil); err != nil {
		return err
	}
	return w.FencedWork.Commit(ctx, to)
}

func (w separateWork) Rollback(ctx context.Context) error {
	return errors.Join(w.alone.Rollback(ctx), w.FencedWork.Rollback(ctx))
}

// stranger takes a record of its own for somebody else's.
type stranger struct{ *memstore.Store }

func (s stranger) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	look, err := s.Store.Look(ctx, id)
	if err == nil && look.Progress != nil && look.Progress.Fence.Owner == intent.Owner {
		return runtime.LeaseClaim{Progress: look.Progress}, nil
	}
	return s.Store.ClaimLease(ctx, id, intent)
}

type keeping struct{ *memstore.Store }

func (k keeping) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	return k.Store.Yield(ctx, id, fence, after+time.Hour)
}

// hesitant asks for each transaction of a lease to be run again, and may have committed it.
type hesitant struct {
	*memstore.Store
	commits bool
}

type hesitantWork struct {
	runtime.FencedWork[pgx.Tx]
	commits bool
}

func (h hesitant) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := h.Store.BeginFenced(ctx, id, fence)
	return hesitantWork{work, h.commits}, err
}

func (w hesitantWork) Commit(ctx context.Context, to *runtime.Advance) error {
	if w.commits {
		_ = w.FencedWork.Commit(ctx, to)
	}
	return errors.Join(runtime.ErrSerialization, w.Rollback(ctx))
}
