package leasemodel_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// fault is what is switched off of the protocol.
type fault struct {
	unfenced  bool // the fence
	randomKey bool // that the key for the other side is the same for each attempt
	blind     bool // that a takeover compares before it sets
	unaware   bool // that a worker is told that there was another before it
	separate  bool // that the last write is in one transaction with the record
}

// unfenced writes whoever holds the record, as long as it is in progress.
type unfenced struct {
	*memstore.Store
	trial *trial
}

func (u *unfenced) Renew(ctx context.Context, id runtime.ID, _ runtime.Fence, d time.Duration) error {
	return u.Store.Renew(ctx, id, u.trial.fence(), d)
}

func (u *unfenced) Advance(ctx context.Context, id runtime.ID, _ runtime.Fence, to *runtime.Advance) error {
	return u.Store.Advance(ctx, id, u.trial.fence(), to)
}

func (u *unfenced) Yield(ctx context.Context, id runtime.ID, _ runtime.Fence, after time.Duration) error {
	return u.Store.Yield(ctx, id, u.trial.fence(), after)
}

func (u *unfenced) Release(ctx context.Context, id runtime.ID, _ runtime.Fence) error {
	return u.Store.Release(ctx, id, u.trial.fence())
}

func (u *unfenced) BeginFenced(ctx context.Context, id runtime.ID, _ runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := u.Store.Begin(ctx)
	return &unfencedWork{work, u, id}, err
}

type unfencedWork struct {
	runtime.Work[pgx.Tx]
	store *unfenced
	id    runtime.ID
}

func (w *unfencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	fence := w.store.trial.fence()
	if fence == (runtime.Fence{}) {
		_ = w.Rollback(ctx)
		return runtime.ErrLeaseLost
	}
	if err := w.Work.Commit(ctx, nil); err != nil {
		return err
	}
	return w.store.Store.Advance(ctx, w.id, fence, to)
}

// blind takes a record over in two steps: it looks whether the lease is over, and then writes, whatever is there by then.
type blind struct{ *leases }

func (b *blind) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (claim runtime.LeaseClaim, err error) {
	b.trial.claims(id, intent, b.process)
	var seen *runtime.Progress
	killed := b.do(nil, "claim", func() string {
		if seen = b.trial.look().Progress; seen != nil && seen.Left == 0 {
			return "over"
		}
		seen = nil
		claim, err = b.trial.base.ClaimLease(context.WithoutCancel(ctx), id, intent)
		return b.given(claim, err)
	})
	if killed == nil && seen != nil {
		claim.Held, killed = b.overwrite(seen, intent.Owner)
	}
	return claim, first(killed, err)
}

func (b *blind) TakeOver(context.Context, []runtime.OperationLease, int) ([]runtime.Held, error) {
	var seen *runtime.Progress
	killed := b.do(nil, "take over", func() string {
		seen = b.trial.look().Progress
		return "over"
	})
	if killed != nil || seen == nil {
		return nil, killed
	}
	owner := [16]byte{byte(b.kind), byte(b.attempt)}
	b.trial.owned(b.trial.id, owner, b.process)
	held, killed := b.overwrite(seen, owner)
	if killed != nil {
		return nil, killed
	}
	return []runtime.Held{*held}, nil
}

// overwrite puts the record into progress, one epoch after what was seen, in a store in place of the present one.
func (b *blind) overwrite(seen *runtime.Progress, owner [16]byte) (held *runtime.Held, killed error) {
	killed = b.do(nil, "overwrite", func() string {
		ctx, tr := context.Background(), b.trial
		tr.base = memstore.New()
		tr.store = tr.base
		for epoch := range seen.Fence.Epoch + 1 {
			intent := tr.intent
			intent.Owner = [16]byte{0: 0xff, 1: byte(epoch)}
			if epoch == seen.Fence.Epoch {
				intent.Owner = owner
			}
			claim, err := tr.base.ClaimLease(ctx, tr.id, &intent)
			if err != nil {
				tr.t.Fatal(err)
			}
			held = claim.Held
			if err := tr.base.Advance(ctx, tr.id, held.Fence, &runtime.Advance{Steps: seen.Steps}); err != nil {
				tr.t.Fatal(err)
			}
		}
		if err := tr.base.Renew(ctx, tr.id, held.Fence, leaseTime); err != nil {
			tr.t.Fatal(err)
		}
		held.Steps = seen.Steps
		return b.given(runtime.LeaseClaim{Held: held}, nil)
	})
	return held, killed
}
