package memstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// ErrNoSQL is what every SQL method of a [Tx] returns.
var ErrNoSQL = runtime.Explain("memstore has no SQL: stage effects with memstore.OnCommit, or use pgstore with a database", nil)

// ErrNotYours is what Commit and Rollback of a [Tx] return.
var ErrNotYours = runtime.Explain("a handler does not end its transaction: return an answer to commit, an error to roll back", nil)

// Tx is the transaction that a handler is given. It is a pgx.Tx, so that a handler written for PostgreSQL has the same
// signature; its SQL methods return [ErrNoSQL].
type Tx struct {
	mu      sync.Mutex
	ended   bool
	effects []func()
}

var _ pgx.Tx = (*Tx)(nil)

// OnCommit has effect run when tx commits, in the same step in which its record becomes visible; never when it rolls back.
// effect runs under the store's lock: it is short and does not call the store. It is an error to stage an effect in a
// transaction of another store, or in one that has ended.
func OnCommit(tx pgx.Tx, effect func()) error {
	t, ok := tx.(*Tx)
	if !ok {
		return fmt.Errorf("memstore.OnCommit: the transaction is a %T, of another store", tx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return fmt.Errorf("memstore.OnCommit: %w", pgx.ErrTxClosed)
	}
	t.effects = append(t.effects, effect)
	return nil
}

// end closes the transaction and returns what was staged.
func (t *Tx) end() []func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	effects := t.effects
	t.effects = nil
	return effects
}

// Begin implements pgx.Tx.
func (t *Tx) Begin(context.Context) (pgx.Tx, error) { return nil, ErrNoSQL }

// Commit implements pgx.Tx.
func (t *Tx) Commit(context.Context) error { return ErrNotYours }

// Rollback implements pgx.Tx.
func (t *Tx) Rollback(context.Context) error { return ErrNotYours }

// CopyFrom implements pgx.Tx.
func (t *Tx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, ErrNoSQL
}

// SendBatch implements pgx.Tx.
func (t *Tx) SendBatch(_ context.Context, batch *pgx.Batch) pgx.BatchResults {
	return pgx.FailedBatchResults(batch, ErrNoSQL)
}

// LargeObjects implements pgx.Tx. The objects it returns panic when they are used: pgx gives them no way to fail.
func (t *Tx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Prepare implements pgx.Tx.
func (t *Tx) Prepare(context.Context, string, string) (*pgconn.StatementDescription, error) {
	return nil, ErrNoSQL
}

// Exec implements pgx.Tx.
func (t *Tx) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, ErrNoSQL
}

// Query implements pgx.Tx.
func (t *Tx) Query(context.Context, string, ...any) (pgx.Rows, error) { return noRows{}, ErrNoSQL }

// QueryRow implements pgx.Tx.
func (t *Tx) QueryRow(context.Context, string, ...any) pgx.Row { return noRows{} }

// Conn implements pgx.Tx; there is none.
func (t *Tx) Conn() *pgx.Conn { return nil }

// noRows is a result that only tells why there is none.
type noRows struct{}

func (noRows) Close()                                       {}
func (noRows) Err() error                                   { return ErrNoSQL }
func (noRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (noRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (noRows) Next() bool                                   { return false }
func (noRows) Scan(...any) error                            { return ErrNoSQL }
func (noRows) Values() ([]any, error)                       { return nil, ErrNoSQL }
func (noRows) RawValues() [][]byte                          { return nil }
func (noRows) Conn() *pgx.Conn                              { return nil }
func (noRows) TypeMap() *pgtype.Map                         { return nil }
