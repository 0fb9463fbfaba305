package modeltest

import (
	"context"
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
)

// claimLease is a request in lease mode, by a worker of its own.
func (w *world[TX]) claimLease(r *rapid.T) {
	id := w.drawID(r)
	if w.claims[id] != nil && rapid.IntRange(0, 3).Draw(r, "patience") > 0 {
		r.SkipNow() // a store may take its time over it
	}
	fingerprint := rapid.SampledFrom([]string{"f", "f", "f", "g"}).Draw(r, "fingerprint")
	intent := &runtime.Intent{
		Operation:          w.operation("one"),
		FingerprintVersion: 1,
		Fingerprint:        []byte(fingerprint),
		Owner:              w.owner(),
		Lease:              w.length(r),
		Request:            []byte(w.next("request")),
	}
	if fingerprint == "g" {
		intent.Operation = w.operation("two")
	}
	w.intents = append(w.intents, claimedIntent{id, intent})
	w.claimWith(r, id, intent)
}

// claimAgain is a claim whose answer was lost.
func (w *world[TX]) claimAgain(r *rapid.T) {
	if len(w.intents) == 0 {
		r.SkipNow() // nobody has claimed anything yet
	}
	last := w.intents[len(w.intents)-1]
	w.claimWith(r, last.id, last.intent)
}

func (w *world[TX]) claimWith(r *rapid.T, id runtime.ID, intent *runtime.Intent) {
	claim, err := w.store(r).ClaimLease(w.ctx, id, intent)
	row := w.model.live(id, w.now)
	if errors.Is(err, runtime.ErrBusy) && row == nil && w.claims[id] != nil {
		return // a store may have it wait for the transaction
	}
	if err != nil {
		r.Fatalf("ClaimLease: %v", err)
	}
	switch {
	case row == nil:
		row = w.model.fresh(id)
		row.operation, row.fingerprint, row.request = intent.Operation, string(intent.Fingerprint), string(intent.Request)
		row.fence, row.until = runtime.Fence{Epoch: 1, Owner: intent.Owner}, w.now+intent.Lease
	case row.record != nil:
		if claim.Record == nil || claim.Held != nil || claim.Progress != nil || !sameRecord(claim.Record, row.record) {
			r.Fatalf("ClaimLease: %+v, want the record %+v", claim, row.record)
		}
		return
	case row.fence.Owner == intent.Owner: // its own claim
	case row.overdue(w.now) && row.fingerprint == string(intent.Fingerprint):
		row.writes++
		row.fence, row.until = runtime.Fence{Epoch: row.fence.Epoch + 1, Owner: intent.Owner}, w.now+intent.Lease
	default:
		if claim.Progress == nil || claim.Held != nil || claim.Record != nil {
			r.Fatalf("ClaimLease: %+v, want that it is in progress", claim)
		}
		w.wantProgress(r, claim.Progress, row)
		return
	}
	if claim.Held == nil || claim.Record != nil || claim.Progress != nil {
		r.Fatalf("ClaimLease: %+v, want that it is held", claim)
	}
	w.wantHeld(r, claim.Held, row)
}

func (w *world[TX]) renew(r *rapid.T) {
	h, d := w.drawHold(r), w.length(r)
	err := w.store(r).Renew(w.ctx, h.id, h.fence, d)
	row := w.model.held(h.id, h.fence)
	w.want(r, "Renew", err, row)
	if row != nil {
		row.writes++
		row.until = w.now + d
	}
}

func (w *world[TX]) yield(r *rapid.T) {
	h := w.drawHold(r)
	after := rapid.SampledFrom([]time.Duration{0, 10 * time.Minute}).Draw(r, "after")
	err := w.store(r).Yield(w.ctx, h.id, h.fence, after)
	row := w.model.held(h.id, h.fence)
	w.want(r, "Yield", err, row)
	if row != nil {
		row.writes++
		row.until = w.now + after
	}
}

func (w *world[TX]) release(r *rapid.T) {
	h := w.drawHold(r)
	err := w.store(r).Release(w.ctx, h.id, h.fence)
	row := w.model.held(h.id, h.fence)
	w.want(r, "Release", err, row)
	if row != nil {
		row.writes++
		row.fence = runtime.Fence{}
	}
}

// step is one more step, as the worker sees it; or the last one again, as after a lost answer.
func (w *world[TX]) step(r *rapid.T, h *hold) *runtime.Advance {
	if len(h.steps) == 0 || rapid.Bool().Draw(r, "another step") {
		h.steps = append(slices.Clip(h.steps), runtime.StepResult{Name: w.next("step"), Result: []byte(w.next("result"))})
	}
	return &runtime.Advance{Steps: h.steps, Lease: w.length(r)}
}

// stepped notes the step in the model.
func (w *world[TX]) stepped(row *row, to *runtime.Advance) {
	if row != nil {
		row.writes++
		row.steps, row.until = to.Steps, w.now+to.Lease
	}
}

func (w *world[TX]) advanceStep(r *rapid.T) {
	h := w.drawHold(r)
	to := w.step(r, h)
	err := w.store(r).Advance(w.ctx, h.id, h.fence, to)
	row := w.model.held(h.id, h.fence)
	w.want(r, "Advance by a step", err, row)
	w.stepped(row, to)
}

// advanceRecord completes a record. A worker that has done so does it again as it did it then.
func (w *world[TX]) advanceRecord(r *rapid.T) {
	h := w.drawHold(r)
	to := &runtime.Advance{Record: h.ended}
	if h.ended == nil {
		to.Record = w.record(r)
	}
	err := w.store(r).Advance(w.ctx, h.id, h.fence, to)
	row := w.model.held(h.id, h.fence)
	if row == nil && w.completedBy(h) {
		// Where the owner has written another answer since, under a later claim when the first had expired, this one is refused.
		if err != nil && h.ended != nil && w.model.live(h.id, w.now) != nil && sameAnswer(w.model[h.id].record, h.ended) {
			r.Fatalf("Advance to the end, for the second time: %v", err)
		}
		return
	}
	w.want(r, "Advance to the end", err, row)
	if row != nil {
		row.complete(to.Record, h.fence.Owner, w.now)
		h.ended = to.Record
	}
}

// completedBy says that the worker, maybe under another epoch, completed the record that there is or was last.
func (w *world[TX]) completedBy(h *hold) bool {
	row := w.model[h.id]
	return row.record != nil && row.record.Attempt == h.fence.Owner
}

// beginFenced opens a transaction of a lease, and leaves it open.
func (w *world[TX]) beginFenced(r *rapid.T) {
	if len(w.fenced) == 3 {
		r.SkipNow() // there are enough
	}
	h := w.drawHold(r)
	if f := w.openFenced(r, h); f != nil {
		w.fenced = append(w.fenced, f)
	}
}

// openFenced begins a transaction of a lease, with an effect in it; nil where the store tells at once that the lease is lost.
func (w *world[TX]) openFenced(r *rapid.T, h *hold) *fencedWork[TX] {
	work, err := w.store(r).BeginFenced(w.ctx, h.id, h.fence)
	if errors.Is(err, runtime.ErrLeaseLost) && w.model.held(h.id, h.fence) == nil {
		return nil
	}
	if err != nil {
		r.Fatalf("BeginFenced: %v", err)
	}
	f := &fencedWork[TX]{hold: h, work: work, effect: w.next("effect"), sight: w.sees(h.id)}
	if err := w.Effect(w.ctx, work.Tx(), f.effect); err != nil {
		r.Fatalf("Effect: %v", err)
	}
	return f
}

// drawFenced takes one of the open transactions.
func (w *world[TX]) drawFenced(r *rapid.T) *fencedWork[TX] {
	if len(w.fenced) == 0 {
		r.SkipNow() // none is open
	}
	f := rapid.SampledFrom(w.fenced).Draw(r, "transaction")
	w.fenced = slices.DeleteFunc(w.fenced, func(other *fencedWork[TX]) bool { return other == f })
	return f
}

// commitFenced commits, and returns the row where that counts. Where the store asks for the transaction to be run again, it
// is, at once, and answered then.
func (w *world[TX]) commitFenced(r *rapid.T, f *fencedWork[TX], to *runtime.Advance) *row {
	row := w.model.held(f.id, f.fence)
	err := f.work.Commit(w.ctx, to)
	if errors.Is(err, runtime.ErrSerialization) && w.mayFail(&f.sight, f.id) {
		w.ended(r, f.work, f.effect, false)
		if f = w.openFenced(r, f.hold); f == nil {
			return nil
		}
		err = f.work.Commit(w.ctx, to)
	}
	w.want(r, "FencedWork.Commit", err, row)
	w.ended(r, f.work, f.effect, row != nil)
	return row
}

// ended checks what has become of a transaction that was to be committed.
func (w *world[TX]) ended(r *rapid.T, work interface{ Rollback(context.Context) error }, effect string, stands bool) {
	w.wantEffect(r, effect, stands)
	if err := work.Rollback(w.ctx); err != nil {
		r.Fatalf("Rollback after the end: %v", err)
	}
}

func (w *world[TX]) commitStep(r *rapid.T) {
	f := w.drawFenced(r)
	to := w.step(r, f.hold)
	w.stepped(w.commitFenced(r, f, to), to)
}

func (w *world[TX]) commitRecord(r *rapid.T) {
	f := w.drawFenced(r)
	to := &runtime.Advance{Record: w.record(r)}
	if row := w.commitFenced(r, f, to); row != nil {
		w.completed(r, row)
		row.complete(to.Record, f.fence.Owner, w.now)
		f.ended = to.Record
	}
}

func (w *world[TX]) rollbackFenced(r *rapid.T) {
	f := w.drawFenced(r)
	if err := f.work.Rollback(w.ctx); err != nil {
		r.Fatalf("Rollback: %v", err)
	}
	w.wantEffect(r, f.effect, false)
}

// takeOver is one round of recovery, of one operation or of both.
func (w *world[TX]) takeOver(r *rapid.T) {
	length := w.length(r)
	operations := []runtime.OperationLease{{Operation: w.operation("one"), Lease: length}}
	if rapid.Bool().Draw(r, "both operations") {
		operations = append(operations, runtime.OperationLease{Operation: w.operation("two"), Lease: 2 * length})
	}
	limit := rapid.IntRange(1, 3).Draw(r, "limit")
	taken, err := w.store(r).TakeOver(w.ctx, operations, limit)
	if err != nil {
		r.Fatalf("TakeOver: %v", err)
	}
	overdue := 0
	for _, id := range w.ids() {
		row := w.model.live(id, w.now)
		if row != nil && row.overdue(w.now) && (row.operation == operations[0].Operation || len(operations) == 2) {
			overdue++
		}
	}
	if len(taken) != min(overdue, limit) {
		r.Fatalf("TakeOver took %d records of %d that are overdue, with the limit %d", len(taken), overdue, limit)
	}
	for i := range taken {
		held := &taken[i]
		row := w.model.live(held.ID, w.now)
		if row == nil || !row.overdue(w.now) || row.operation != operations[0].Operation && len(operations) == 1 {
			r.Fatalf("TakeOver took %+v, which is not overdue", held)
		}
		if held.Fence.Epoch != row.fence.Epoch+1 || slices.ContainsFunc(w.holds, func(h *hold) bool { return h.id == held.ID && h.fence.Owner == held.Fence.Owner }) {
			r.Fatalf("TakeOver gave %s the fence %+v after %+v", held.ID.Key, held.Fence, row.fence)
		}
		row.writes++
		row.fence, row.until = held.Fence, w.now+length
		if row.operation == w.operation("two") {
			row.until += length
		}
		w.wantHeld(r, held, row)
	}
}

func (w *world[TX]) backlog(r *rapid.T) {
	got, err := w.store(r).Backlog(w.ctx, []string{w.operation("one"), w.operation("two")})
	if err != nil {
		r.Fatalf("Backlog: %v", err)
	}
	var want runtime.Backlog
	for _, id := range w.ids() {
		row := w.model.live(id, w.now)
		if row == nil || row.record != nil {
			continue
		}
		want.InProgress++
		if row.overdue(w.now) {
			want.Overdue++
			want.OldestOverdue = max(want.OldestOverdue, w.now-row.until)
		}
	}
	if got.InProgress != want.InProgress || got.Overdue != want.Overdue || (got.OldestOverdue-want.OldestOverdue).Abs() > drift {
		r.Fatalf("Backlog: %+v, want %+v", got, want)
	}
}

// claim is a request in transaction mode; its transaction is left open.
func (w *world[TX]) claim(r *rapid.T) {
	id := w.drawID(r)
	claim, err := w.store(r).Claim(w.ctx, id, 0)
	if err != nil {
		r.Fatalf("Claim: %v", err)
	}
	row := w.model.live(id, w.now)
	switch {
	case row != nil && row.record != nil:
		if claim.Record == nil || claim.Work != nil || claim.Progress != nil || !sameRecord(claim.Record, row.record) {
			r.Fatalf("Claim: %+v, want the record %+v", claim, row.record)
		}
	case row != nil:
		if claim.Progress == nil || claim.Work != nil || claim.Record != nil {
			r.Fatalf("Claim: %+v, want that it is in progress", claim)
		}
		w.wantProgress(r, claim.Progress, row)
	case w.claims[id] != nil:
		if claim != (runtime.Claim[TX]{}) {
			r.Fatalf("Claim of an id that another transaction holds: %+v", claim)
		}
	default:
		if claim.Work == nil || claim.Record != nil || claim.Progress != nil {
			r.Fatalf("Claim of a free id: %+v", claim)
		}
		w.claims[id] = w.claimed(r, id, claim.Work)
	}
}

// claimed is a transaction that was claimed, with an effect in it.
func (w *world[TX]) claimed(r *rapid.T, id runtime.ID, work runtime.Work[TX]) *claimed[TX] {
	c := &claimed[TX]{work: work, effect: w.next("effect"), sight: w.sees(id)}
	if err := w.Effect(w.ctx, work.Tx(), c.effect); err != nil {
		r.Fatalf("Effect: %v", err)
	}
	return c
}

// drawClaim takes one of the open transactions of transaction mode.
func (w *world[TX]) drawClaim(r *rapid.T) (runtime.ID, *claimed[TX]) {
	id := w.drawID(r)
	c := w.claims[id]
	if c == nil {
		r.SkipNow() // none is open
	}
	delete(w.claims, id)
	return id, c
}

// commit ends a request in transaction mode. It loses the race where lease mode has had the id meanwhile. Where what lease mode
// had has expired since, and where the store asks for it, it is run again at once, and wins then.
func (w *world[TX]) commit(r *rapid.T) {
	id, c := w.drawClaim(r)
	record := w.record(r)
	record.Operation, record.Fingerprint, record.Attempt = w.operation("three"), []byte("f"), w.owner()
	err := c.work.Commit(w.ctx, record)
	lost := errors.Is(err, runtime.ErrLostRace) && w.outdated(&c.sight, id)
	again := errors.Is(err, runtime.ErrSerialization) && w.mayFail(&c.sight, id)
	if w.model.live(id, w.now) != nil {
		if !lost && !again {
			r.Fatalf("Commit of an id that lease mode has: %v, want ErrLostRace", err)
		}
		w.ended(r, c.work, c.effect, false)
		return
	}
	if lost || again {
		w.ended(r, c.work, c.effect, false)
		claim, failed := w.store(r).Claim(w.ctx, id, 0)
		if failed != nil || claim.Work == nil {
			r.Fatalf("Claim of a free id, again: %+v, %v", claim, failed)
		}
		c = w.claimed(r, id, claim.Work)
		err = c.work.Commit(w.ctx, record)
	}
	if err != nil {
		r.Fatalf("Commit: %v", err)
	}
	w.ended(r, c.work, c.effect, true)
	row := w.model.fresh(id)
	row.operation, row.fingerprint = record.Operation, string(record.Fingerprint)
	row.complete(record, record.Attempt, w.now)
	w.completed(r, row)
}

func (w *world[TX]) rollback(r *rapid.T) {
	_, c := w.drawClaim(r)
	if err := c.work.Rollback(w.ctx); err != nil {
		r.Fatalf("Rollback: %v", err)
	}
	w.wantEffect(r, c.effect, false)
}

func (w *world[TX]) timePasses(r *rapid.T) {
	d := rapid.SampledFrom([]time.Duration{7 * time.Minute, 31 * time.Minute, 3 * time.Hour, 200 * time.Hour}).Draw(r, "for")
	w.Advance(d)
	w.now += d
	for _, row := range w.model { // a clock that cannot be moved is moved by writing to the records
		row.writes++
	}
}
