package pgstore

import "sync/atomic"

// recent remembers which ids this process has seen a live record of lately. It only decides which question is asked
// first: of an id in it the record is looked for before a transaction is begun, so that a replay takes one round trip and
// no transaction; every other id is claimed at once. A wrong guess costs one round trip and changes no answer.
//
// It is a table without chains: an id displaces another that falls on its slot.
type recent struct {
	slots [4096]atomic.Int64
}

func (r *recent) slot(lock int64) *atomic.Int64 { return &r.slots[uint64(lock)%uint64(len(r.slots))] }

func (r *recent) has(lock int64) bool { return r.slot(lock).Load() == lock }

func (r *recent) add(lock int64) { r.slot(lock).Store(lock) }

func (r *recent) forget(lock int64) { r.slot(lock).CompareAndSwap(lock, 0) }
