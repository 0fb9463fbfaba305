package runtime

import (
	"context"
	"time"
)

// unrecorded keeps no leases: it is what the steps of a request without a key are run over. Whoever asks holds his work, and
// what it comes to is not kept.
type unrecorded[TX any] struct{ Store[TX] }

func (unrecorded[TX]) ClaimLease(_ context.Context, id ID, intent *Intent) (LeaseClaim, error) {
	return LeaseClaim{Held: &Held{ID: id, Fence: Fence{Epoch: 1, Owner: intent.Owner}, Operation: intent.Operation}}, nil
}

func (unrecorded[TX]) Look(context.Context, ID) (Look, error) { return Look{}, nil }

func (unrecorded[TX]) Renew(context.Context, ID, Fence, time.Duration) error { return nil }

func (u unrecorded[TX]) BeginFenced(ctx context.Context, _ ID, _ Fence) (FencedWork[TX], error) {
	work, err := u.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return unrecordedWork[TX]{work}, nil
}

func (unrecorded[TX]) Advance(context.Context, ID, Fence, *Advance) error { return nil }

func (unrecorded[TX]) Yield(context.Context, ID, Fence, time.Duration) error { return nil }

func (unrecorded[TX]) Release(context.Context, ID, Fence) error { return nil }

func (unrecorded[TX]) TakeOver(context.Context, []OperationLease, int) ([]Held, error) {
	return nil, nil
}

func (unrecorded[TX]) Backlog(context.Context, []string) (Backlog, error) { return Backlog{}, nil }

// unrecordedWork is a transaction that commits the work alone.
type unrecordedWork[TX any] struct{ work Work[TX] }

func (w unrecordedWork[TX]) Tx() TX { return w.work.Tx() }

func (w unrecordedWork[TX]) Commit(ctx context.Context, _ *Advance) error {
	return w.work.Commit(ctx, nil)
}

func (w unrecordedWork[TX]) Rollback(ctx context.Context) error { return w.work.Rollback(ctx) }
