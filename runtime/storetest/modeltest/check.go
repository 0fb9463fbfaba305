package modeltest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// worlds numbers the sequences, so that they can share a store and each has ids and operations of its own.
var worlds atomic.Int64

// Check runs random sequences of the operations of several workers, some of which have lost their lease, and of requests in
// transaction mode, against the store that open returns and against the model. The instance needs Advance; its Store and
// Other have to be a runtime.LeaseStore each.
func Check[TX any](t *testing.T, open func(t *testing.T) storetest.Instance[TX]) {
	t.Helper()
	check(t, t, open(t))
}

// check is [Check] with the failure reported to tb.
func check[TX any](t *testing.T, tb rapid.TB, instance storetest.Instance[TX]) {
	t.Helper()
	if instance.Advance == nil {
		t.Fatal("modeltest: Instance.Advance is nil; without it no lease ends")
	}
	var stores []runtime.LeaseStore[TX]
	for _, s := range []runtime.Store[TX]{instance.Store, instance.Other} {
		store, ok := s.(runtime.LeaseStore[TX])
		if !ok {
			t.Fatalf("modeltest: a %T is no runtime.LeaseStore", s)
		}
		stores = append(stores, store)
	}
	rapid.Check(tb, func(r *rapid.T) {
		w := &world[TX]{
			ctx:      context.Background(),
			t:        t,
			r:        r,
			stores:   stores,
			Instance: instance,
			name:     fmt.Sprintf("world %d", worlds.Add(1)),
			model:    model{},
			claims:   map[runtime.ID]*claimed[TX]{},
			effects:  map[generation]int{},
		}
		defer w.close()
		r.Repeat(map[string]func(*rapid.T){
			"":                      w.compare,
			"claim a lease":         w.claimLease,
			"claim again":           w.claimAgain,
			"renew":                 w.renew,
			"advance by a step":     w.advanceStep,
			"advance to the end":    w.advanceRecord,
			"begin fenced":          w.beginFenced,
			"commit a step":         w.commitStep,
			"commit the end":        w.commitRecord,
			"roll back fenced":      w.rollbackFenced,
			"yield":                 w.yield,
			"release":               w.release,
			"take over":             w.takeOver,
			"backlog":               w.backlog,
			"claim a transaction":   w.claim,
			"commit a transaction":  w.commit,
			"roll back transaction": w.rollback,
			"time passes":           w.timePasses,
		})
	})
}
