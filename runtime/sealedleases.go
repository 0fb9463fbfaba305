package runtime

import (
	"context"
	"errors"
	"slices"
	"time"
)

// sealedLeases is a sealed store that also keeps work in progress.
type sealedLeases[TX any] struct {
	*sealedStore[TX]
	leases LeaseStore[TX]
}

// Claim implements [Store].
func (s *sealedLeases[TX]) Claim(ctx context.Context, id ID, wait time.Duration) (Claim[TX], error) {
	claim, err := s.sealedStore.Claim(ctx, id, wait)
	if err == nil && claim.Progress != nil {
		claim.Progress = s.openProgress(ctx, id, claim.Progress)
	}
	return claim, err
}

// ClaimLease implements [LeaseStore]. The given intent stays as it is.
func (s *sealedLeases[TX]) ClaimLease(ctx context.Context, id ID, intent *Intent) (LeaseClaim, error) {
	request, err := s.seal(ctx, intent.Request, requestOf(id, intent.Fingerprint))
	if err != nil {
		return LeaseClaim{}, Explain("a request cannot be sealed", err)
	}
	sealed := *intent
	sealed.Request = request
	claim, err := s.leases.ClaimLease(ctx, id, &sealed)
	switch {
	case err != nil:
		return LeaseClaim{}, err
	case claim.Record != nil:
		claim.Record, err = s.openRecord(ctx, id, claim.Record)
	case claim.Progress != nil:
		claim.Progress = s.openProgress(ctx, id, claim.Progress)
	case claim.Held.Fence.Epoch == 1: // nobody else has held it: the request is this one, and no step is done
		claim.Held.Request = slices.Clone(intent.Request)
	default:
		s.openHeld(ctx, claim.Held)
	}
	if err != nil {
		return LeaseClaim{}, err
	}
	return claim, nil
}

// Look implements [LeaseStore].
func (s *sealedLeases[TX]) Look(ctx context.Context, id ID) (Look, error) {
	look, err := s.leases.Look(ctx, id)
	if err != nil {
		return Look{}, err
	}
	if look.Progress != nil {
		look.Progress = s.openProgress(ctx, id, look.Progress)
	}
	if look.Record != nil {
		if look.Record, err = s.openRecord(ctx, id, look.Record); err != nil {
			return Look{}, err
		}
	}
	return look, nil
}

// Renew implements [LeaseStore].
func (s *sealedLeases[TX]) Renew(ctx context.Context, id ID, fence Fence, d time.Duration) error {
	return s.leases.Renew(ctx, id, fence, d)
}

// BeginFenced implements [LeaseStore].
func (s *sealedLeases[TX]) BeginFenced(ctx context.Context, id ID, fence Fence) (FencedWork[TX], error) {
	work, err := s.leases.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	return &sealedFenced[TX]{FencedWork: work, store: s, id: id, fence: fence}, nil
}

// Advance implements [LeaseStore].
func (s *sealedLeases[TX]) Advance(ctx context.Context, id ID, fence Fence, to *Advance) error {
	sealed, err := s.sealAdvance(ctx, id, fence, to)
	if err != nil {
		return err
	}
	return s.leases.Advance(ctx, id, fence, sealed)
}

// Yield implements [LeaseStore].
func (s *sealedLeases[TX]) Yield(ctx context.Context, id ID, fence Fence, after time.Duration) error {
	return s.leases.Yield(ctx, id, fence, after)
}

// Release implements [LeaseStore].
func (s *sealedLeases[TX]) Release(ctx context.Context, id ID, fence Fence) error {
	return s.leases.Release(ctx, id, fence)
}

// TakeOver implements [LeaseStore]. What does not open is taken over all the same, so that it does not stand in the way of
// the others; it is marked as unreadable.
func (s *sealedLeases[TX]) TakeOver(ctx context.Context, operations []OperationLease, limit int) ([]Held, error) {
	taken, err := s.leases.TakeOver(ctx, operations, limit)
	for i := range taken {
		s.openHeld(ctx, &taken[i])
	}
	return taken, err
}

// Backlog implements [LeaseStore].
func (s *sealedLeases[TX]) Backlog(ctx context.Context, operations []string) (Backlog, error) {
	return s.leases.Backlog(ctx, operations)
}

// openHeld opens what a record in progress holds, all or nothing.
func (s *sealedLeases[TX]) openHeld(ctx context.Context, held *Held) {
	request, err := s.open(ctx, held.Request, requestOf(held.ID, held.Fingerprint))
	if err != nil {
		err = Explain("a stored request does not open", err)
	}
	steps, fault := s.openSteps(ctx, held.ID, held.Steps)
	if err = errors.Join(err, fault); err != nil {
		held.Request, held.Steps, held.Unreadable = nil, nil, err
		return
	}
	held.Request, held.Steps = request, steps
}

// openProgress opens the results that somebody else's work has so far. Those that do not open are nil: nobody goes on with
// work by them, and that it is in progress is no less true.
func (s *sealedLeases[TX]) openProgress(ctx context.Context, id ID, progress *Progress) *Progress {
	opened := *progress
	opened.Steps, _ = s.openSteps(ctx, id, progress.Steps)
	return &opened
}

// openSteps opens the results of steps; one that does not open is nil.
func (s *sealedLeases[TX]) openSteps(ctx context.Context, id ID, steps []StepResult) ([]StepResult, error) {
	var faults []error
	opened := slices.Clone(steps)
	for i := range opened {
		result, err := s.open(ctx, opened[i].Result, resultOf(id, opened[i].Name))
		if err != nil {
			faults = append(faults, Explain("the stored result of a step does not open", err))
		}
		opened[i].Result = result
	}
	return opened, errors.Join(faults...)
}

// sealAdvance is to with what it stores sealed. The given one stays as it is.
func (s *sealedLeases[TX]) sealAdvance(ctx context.Context, id ID, fence Fence, to *Advance) (*Advance, error) {
	if to == nil {
		return nil, nil // the store's to refuse
	}
	sealed := *to
	if to.Record != nil {
		record := *to.Record
		record.Attempt = fence.Owner // as the store writes it
		var err error
		sealed.Record, err = s.sealRecord(ctx, id, &record)
		return &sealed, err
	}
	sealed.Steps = slices.Clone(to.Steps)
	for i := range sealed.Steps {
		step := &sealed.Steps[i]
		result, err := s.seal(ctx, step.Result, resultOf(id, step.Name))
		if err != nil {
			return nil, Explain("the result of a step cannot be sealed", err)
		}
		step.Result = result
	}
	return &sealed, nil
}

type sealedFenced[TX any] struct {
	FencedWork[TX]
	store *sealedLeases[TX]
	id    ID
	fence Fence
}

// Commit implements [FencedWork].
func (w *sealedFenced[TX]) Commit(ctx context.Context, to *Advance) error {
	sealed, err := w.store.sealAdvance(ctx, w.id, w.fence, to)
	if err != nil {
		return errors.Join(err, w.Rollback(ctx))
	}
	return w.FencedWork.Commit(ctx, sealed)
}

// requestOf is what a sealed request belongs to.
func requestOf(id ID, fingerprint []byte) []byte {
	f := make(fields, 0, 128)
	f.text("request")
	f.text(id.Scope)
	f.text(id.Key)
	f.bytes(fingerprint)
	return f
}

// resultOf is what the sealed result of a step belongs to.
func resultOf(id ID, step string) []byte {
	f := make(fields, 0, 128)
	f.text("result of a step")
	f.text(id.Scope)
	f.text(id.Key)
	f.text(step)
	return f
}
