package memstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Microsecond) // no two moments are the same
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// effects counts committed effects by name.
type effects struct {
	mu    sync.Mutex
	count map[string]int
}

func (e *effects) stage(_ context.Context, tx pgx.Tx, name string) error {
	return memstore.OnCommit(tx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.count[name]++
	})
}

func (e *effects) of(_ *testing.T, name string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count[name]
}

// open is the way to a store with a clock that is moved.
func open(*testing.T) storetest.Instance[pgx.Tx] {
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	e := &effects{count: map[string]int{}}
	s := memstore.New(memstore.WithClock(c.Now))
	return storetest.Instance[pgx.Tx]{Store: s, Other: s, Effect: e.stage, Effects: e.of, Advance: c.Advance}
}

func TestStore_Conforms(t *testing.T) {
	storetest.Run(t, storetest.Suite[pgx.Tx]{Open: open})
}

func TestStore_KeepsLeases(t *testing.T) {
	storetest.RunLeases(t, storetest.Suite[pgx.Tx]{Open: open})
}
