// Package locks has what makes callers wait for each other.
package locks

import (
	"context"
	"database/sql"
	"sync"

	"golang.org/x/sync/singleflight"
)

type House struct{}

func (*House) Hold(name string) func() { return func() {} }

type guarded struct {
	mu    sync.Mutex
	group singleflight.Group
	db    *sql.DB
	house *House
}

func (g *guarded) mutex(ctx context.Context) {
	g.mu.Lock() // want "lock of one process"
	defer g.mu.Unlock()
	g.db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over pool"
}

func (g *guarded) flight(ctx context.Context) {
	g.group.Do("x", func() (any, error) { // want "lock of one process"
		return g.db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over pool"
	})
}

func (g *guarded) advisory(ctx context.Context, tx *sql.Tx) {
	tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", "x") // want "lock over tx 1"
	tx.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x")   // want "insert accounts over tx 1"
	g.db.QueryRow("SELECT GET_LOCK(?, 10)", "x")                           // want "lock over pool"
}

func (g *guarded) helper(ctx context.Context, tx *sql.Tx) {
	advisoryLock(ctx, tx)        // want "lock over tx 1 via advisoryLock"
	g.mutex(ctx)                 // want "insert accounts over pool via mutex"
	release := g.house.Hold("x") // want "^lock$"
	defer release()
	g.hold() // want "lock of one process"
}

func (g *guarded) hold() { g.mu.Lock() } // want "lock of one process"

func advisoryLock(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)") // want "lock over tx 1"
	return err
}
