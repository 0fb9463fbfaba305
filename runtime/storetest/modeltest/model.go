package modeltest

import (
	"bytes"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// model is what the store should hold. It is as simple as the contract allows: no locks, no clock, one map. Times are
// counted from the beginning of the sequence.
type model map[runtime.ID]*row

// row is what there is under one id.
type row struct {
	id          runtime.ID
	operation   string
	fingerprint string
	request     string
	// fence, steps and until are of a record in progress, record and expires of a complete one.
	fence   runtime.Fence
	steps   []runtime.StepResult
	until   time.Duration
	record  *runtime.Record
	expires time.Duration
	// writes counts the writes to it.
	writes int
	// generation counts the records that there have been under the id.
	generation int
}

// generation is one record of an id: from the claim to the end of its retention, or to its release.
type generation struct {
	id runtime.ID
	n  int
}

// live returns the row of id, and nil where there is none or it has expired.
func (m model) live(id runtime.ID, now time.Duration) *row {
	r := m[id]
	if r == nil || r.free() || r.record != nil && r.expires <= now {
		return nil
	}
	return r
}

// fresh puts an empty row under id.
func (m model) fresh(id runtime.ID) *row {
	n := 1
	if old := m[id]; old != nil {
		n = old.generation + 1
	}
	m[id] = &row{id: id, generation: n}
	return m[id]
}

// free says that the row was released.
func (r *row) free() bool { return r.record == nil && r.fence.Epoch == 0 }

// overdue says that the row's lease is over.
func (r *row) overdue(now time.Duration) bool { return r.record == nil && !r.free() && r.until <= now }

// held returns the row of id where it is in progress under fence, and nil otherwise.
func (m model) held(id runtime.ID, fence runtime.Fence) *row {
	r := m[id]
	if r == nil || r.free() || r.record != nil || r.fence != fence {
		return nil
	}
	return r
}

// complete ends the row's work.
func (r *row) complete(record *runtime.Record, attempt [16]byte, now time.Duration) {
	kept := *record
	kept.Operation, kept.Fingerprint, kept.Attempt = r.operation, []byte(r.fingerprint), attempt
	r.writes++
	r.record, r.expires = &kept, now+record.Retention
}

func sameSteps(a, b []runtime.StepResult) bool {
	return slices.EqualFunc(a, b, func(x, y runtime.StepResult) bool { return x.Name == y.Name && bytes.Equal(x.Result, y.Result) })
}

// sameRecord compares what does not depend on the store's clock.
func sameRecord(a, b *runtime.Record) bool {
	return a.Operation == b.Operation && a.FingerprintVersion == b.FingerprintVersion && bytes.Equal(a.Fingerprint, b.Fingerprint) &&
		a.Attempt == b.Attempt && sameAnswer(a, b)
}

// sameAnswer compares what a worker gives of a record; the model's have no headers.
func sameAnswer(a, b *runtime.Record) bool {
	return a.Status == b.Status && bytes.Equal(a.Body, b.Body) && a.BodyState == b.BodyState
}
