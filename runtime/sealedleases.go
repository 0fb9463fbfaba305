package runtime

import (
	"bytes"
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
		claim.Record = s.openRecord(ctx, id, claim.Record)
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
		look.Record = s.openRecord(ctx, id, look.Record)
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

// Advance implements [LeaseStore]. No two seals of the same are the same, so whether a write that is refused has happened
// already is found out here and not by the store within.
func (s *sealedLeases[TX]) Advance(ctx context.Context, id ID, fence Fence, to *Advance) error {
	sealed, err := s.sealAdvance(ctx, id, fence, to)
	if err != nil {
		return err
	}
	err = s.leases.Advance(ctx, id, fence, sealed)
	if err == nil || to == nil {
		return err
	}
	look, fault := s.leases.Look(ctx, id)
	if fault != nil {
		return err
	}
	switch record, progress := look.Record, look.Progress; {
	case to.Record != nil && record != nil && record.Attempt == fence.Owner && s.sameBody(ctx, id, record, to.Record):
		return nil
	case to.Record == nil && progress != nil && progress.Fence == fence && s.keep(ctx, id, to.Steps, progress.Steps):
		if sealed, err = s.sealAdvance(ctx, id, fence, to); err == nil {
			err = s.leases.Advance(ctx, id, fence, sealed)
		}
	}
	return err
}

// sameBody reports whether a record is stored with the status and the body of the given one.
func (s *sealedLeases[TX]) sameBody(ctx context.Context, id ID, stored, record *Record) bool {
	opened := s.openRecord(ctx, id, stored)
	return opened.Unreadable == nil && opened.Status == record.Status && opened.BodyState == record.BodyState && bytes.Equal(opened.Body, record.Body)
}

// keptResult is how a sealed store keeps the result of a step that is done. It is written again as it is, since the steps
// that are stored have to be the beginning of those that are written.
type keptResult struct {
	id           ID
	name         string
	opened, kept []byte
}

// is reports whether k is the result of step under id.
func (k *keptResult) is(id ID, step *StepResult) bool {
	return k != nil && k.id == id && k.name == step.Name && bytes.Equal(k.opened, step.Result)
}

// keep notes with each step how it is stored. It reports whether that was news of any.
func (s *sealedLeases[TX]) keep(ctx context.Context, id ID, steps, stored []StepResult) (news bool) {
	opened, _ := s.openSteps(ctx, id, stored) // one that does not open is none of ours
	for i := range min(len(steps), len(opened)) {
		kept := opened[i].kept
		if !kept.is(id, &steps[i]) {
			return news
		}
		if last := steps[i].kept; !last.is(id, &steps[i]) || !bytes.Equal(last.kept, kept.kept) {
			steps[i].kept, news = kept, true
		}
	}
	return news
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
	if held.Unreadable != nil {
		return
	}
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
		if err == nil {
			opened[i].kept = &keptResult{id, opened[i].Name, bytes.Clone(result), steps[i].Result}
		}
	}
	return opened, errors.Join(faults...)
}

// sealAdvance is to with what it stores sealed. The given one stays as it is, but that its steps have noted how they are
// kept.
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
		step := &to.Steps[i]
		if !step.kept.is(id, step) {
			result, err := s.seal(ctx, step.Result, resultOf(id, step.Name))
			if err != nil {
				return nil, Explain("the result of a step cannot be sealed", err)
			}
			step.kept = &keptResult{id, step.Name, bytes.Clone(step.Result), result}
		}
		sealed.Steps[i] = StepResult{Name: step.Name, Result: step.kept.kept}
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
