package modeltest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// drift is how far a store's clock may be from the model's, which takes no time for anything.
const drift = 30 * time.Second

// world is one sequence of operations, with the model beside the store.
type world[TX any] struct {
	storetest.Instance[TX]
	ctx    context.Context
	t      *testing.T
	r      *rapid.T
	stores []runtime.LeaseStore[TX]
	name   string
	now    time.Duration
	serial int
	model  model
	// holds are all leases that there have been, those that were lost since included: their workers do not know it.
	holds   []*hold
	intents []claimedIntent
	fenced  []*fencedWork[TX]
	claims  map[runtime.ID]*claimed[TX]
	// effects counts the effects that stand with a complete record.
	effects map[generation]int
}

// hold is a lease, as its worker knows it.
type hold struct {
	id    runtime.ID
	fence runtime.Fence
	steps []runtime.StepResult
	// ended is the record that the worker completed the work with.
	ended *runtime.Record
}

type claimedIntent struct {
	id     runtime.ID
	intent *runtime.Intent
}

// fencedWork is an open transaction of a lease with one effect in it.
type fencedWork[TX any] struct {
	*hold
	work   runtime.FencedWork[TX]
	effect string
	sight
}

// claimed is an open transaction of transaction mode with one effect in it.
type claimed[TX any] struct {
	work   runtime.Work[TX]
	effect string
	sight
}

// sight is what a transaction that is open has seen.
type sight struct {
	// row is what the model had when it was begun, and writes how often that had been written to.
	row    *row
	writes int
	// crowded says that another transaction was open at the same time.
	crowded bool
}

// sees is the sight of a transaction that begins now. Others that are open see it too.
func (w *world[TX]) sees(id runtime.ID) sight {
	s := sight{row: w.model[id]}
	if s.row != nil {
		s.writes = s.row.writes
	}
	for _, f := range w.fenced {
		f.crowded, s.crowded = true, true
	}
	for _, c := range w.claims {
		c.crowded, s.crowded = true, true
	}
	return s
}

// outdated says that the record of id was written to since.
func (w *world[TX]) outdated(s *sight, id runtime.ID) bool {
	return w.model[id] != s.row || s.row != nil && s.row.writes != s.writes
}

// mayFail says that a store whose transactions see a snapshot may ask for this one to be run again, instead of saying what
// it comes to: its snapshot is out of date, or, where they are to be as if one came after the other, there were others. It
// may not do so for ever: one that is run again with nothing between is answered.
func (w *world[TX]) mayFail(s *sight, id runtime.ID) bool { return s.crowded || w.outdated(s, id) }

// next is a name that this world has not had yet.
func (w *world[TX]) next(kind string) string {
	w.serial++
	return fmt.Sprintf("%s: %s %d", w.name, kind, w.serial)
}

func (w *world[TX]) owner() (owner [16]byte) {
	w.serial++
	copy(owner[:], w.name)
	binary.BigEndian.PutUint32(owner[12:], uint32(w.serial))
	return owner
}

func (w *world[TX]) operation(n string) string { return w.name + ": " + n }

// ids are few, so that workers meet.
func (w *world[TX]) ids() []runtime.ID {
	return []runtime.ID{{Scope: w.name, Key: "a"}, {Scope: w.name, Key: "b"}}
}

func (w *world[TX]) drawID(r *rapid.T) runtime.ID { return rapid.SampledFrom(w.ids()).Draw(r, "id") }

// store is one of the two processes' stores.
func (w *world[TX]) store(r *rapid.T) runtime.LeaseStore[TX] {
	return w.stores[rapid.IntRange(0, len(w.stores)-1).Draw(r, "process")]
}

// length is that of a lease.
func (w *world[TX]) length(r *rapid.T) time.Duration {
	return rapid.SampledFrom([]time.Duration{10 * time.Minute, 25 * time.Minute}).Draw(r, "lease")
}

// record is an answer that nobody else gives.
func (w *world[TX]) record(r *rapid.T) *runtime.Record {
	record := &runtime.Record{
		FingerprintVersion: 1,
		Status:             rapid.SampledFrom([]int{201, 402, 503}).Draw(r, "status"),
		Retention:          rapid.SampledFrom([]time.Duration{time.Hour, 100 * time.Hour}).Draw(r, "retention"),
	}
	if rapid.Bool().Draw(r, "body kept") {
		record.Body = []byte(w.next("body"))
	} else {
		record.BodyState = runtime.BodyOmitted
	}
	return record
}

func (w *world[TX]) drawHold(r *rapid.T) *hold {
	if len(w.holds) == 0 {
		r.SkipNow() // nobody has held anything yet
	}
	return rapid.SampledFrom(w.holds).Draw(r, "lease")
}

// GoString lets a draw be read.
func (h *hold) GoString() string { return fmt.Sprintf("%s, epoch %d", h.id.Key, h.fence.Epoch) }

// want fails unless err is what the model says.
func (w *world[TX]) want(r *rapid.T, what string, err error, held *row) {
	switch {
	case held != nil && err != nil:
		r.Fatalf("%s by the worker that holds the record: %v", what, err)
	case held == nil && err == nil:
		r.Fatalf("%s by a worker that does not hold the record counts", what)
	case held == nil && !errors.Is(err, runtime.ErrLeaseLost):
		r.Fatalf("%s by a worker that does not hold the record: %v, want ErrLeaseLost", what, err)
	}
}

// wantEffect fails unless the effect stands exactly if it should.
func (w *world[TX]) wantEffect(r *rapid.T, effect string, stands bool) {
	want := 0
	if stands {
		want = 1
	}
	if got := w.Effects(w.t, effect); got != want {
		r.Fatalf("the effect of the transaction is there %d times, want %d", got, want)
	}
}

// completed counts an effect that was committed with a complete record: there is one at most (I1).
func (w *world[TX]) completed(r *rapid.T, row *row) {
	g := generation{row.id, row.generation}
	w.effects[g]++
	if w.effects[g] > 1 {
		r.Fatalf("%s has %d effects", row.id.Key, w.effects[g])
	}
}

// compare holds all that the store has against the model.
func (w *world[TX]) compare(r *rapid.T) {
	for _, id := range w.ids() {
		look, err := w.stores[w.serial%len(w.stores)].Look(w.ctx, id)
		if err != nil {
			r.Fatalf("Look: %v", err)
		}
		row := w.model.live(id, w.now)
		switch {
		case row == nil:
			if look.Record != nil || look.Progress != nil {
				r.Fatalf("%s: there is %s, want nothing", id.Key, describe(look))
			}
		case row.record != nil:
			if look.Record == nil || look.Progress != nil || !sameRecord(look.Record, row.record) {
				r.Fatalf("%s: there is %s, want %s", id.Key, describe(look), describe(runtime.Look{Record: row.record}))
			}
		default:
			if look.Record != nil || look.Progress == nil {
				r.Fatalf("%s: there is %s, want work in progress", id.Key, describe(look))
			}
			w.wantProgress(r, look.Progress, row)
		}
	}
}

func (w *world[TX]) wantProgress(r *rapid.T, p *runtime.Progress, row *row) {
	left := max(row.until-w.now, 0)
	if p.Operation != row.operation || string(p.Fingerprint) != row.fingerprint || p.FingerprintVersion != 1 || p.Fence != row.fence ||
		!sameSteps(p.Steps, row.steps) || (p.Left-left).Abs() > drift || (p.Left > 0) != (left > 0) {
		r.Fatalf("%s: in progress is %+v, want %+v with %v left", row.id.Key, p, row, left)
	}
}

func (w *world[TX]) wantHeld(r *rapid.T, held *runtime.Held, row *row) {
	if held.ID != row.id || held.Operation != row.operation || string(held.Fingerprint) != row.fingerprint || held.FingerprintVersion != 1 ||
		string(held.Request) != row.request || held.Fence != row.fence || !sameSteps(held.Steps, row.steps) {
		r.Fatalf("%s: held is %+v, want %+v", row.id.Key, held, row)
	}
	for _, h := range w.holds {
		if h.id == row.id && h.fence == row.fence { // the same attempt claims once more
			h.steps, h.ended = held.Steps, nil
			return
		}
	}
	w.holds = append(w.holds, &hold{id: row.id, fence: row.fence, steps: held.Steps})
}

func describe(look runtime.Look) string {
	switch {
	case look.Record != nil:
		return fmt.Sprintf("a record %d %q of %x", look.Record.Status, look.Record.Body, look.Record.Attempt)
	case look.Progress != nil:
		return fmt.Sprintf("work in progress, epoch %d", look.Progress.Fence.Epoch)
	default:
		return "nothing"
	}
}

// close ends what the sequence has left open.
func (w *world[TX]) close() {
	for _, f := range w.fenced {
		_ = f.work.Rollback(w.ctx)
	}
	for _, c := range w.claims {
		_ = c.work.Rollback(w.ctx)
	}
}
