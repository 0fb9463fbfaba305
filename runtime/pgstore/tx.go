package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// ErrManaged is returned to a handler that tries to commit or roll back the transaction it was given. The transaction
// ends with the record: return an error to undo it.
var ErrManaged = runtime.Explain("the transaction belongs to the idempotency store; return an error from the handler to undo it, or use Begin for a part that can be undone", nil)

// handlerTx is the pgx.Tx that a handler works with: the real one, but for its end. After the end every method that sends
// something refuses, so that a handler which kept it cannot reach into another request's transaction. What Conn and
// LargeObjects return is pgx's own and is not watched: it must not be kept.
//
// A savepoint that Begin makes is a handlerTx as well; that one the handler does end.
type handlerTx struct {
	pgx.Tx
	work      *work
	savepoint bool
}

func (tx *handlerTx) Begin(ctx context.Context) (pgx.Tx, error) {
	if tx.work.ended.Load() {
		return nil, pgx.ErrTxClosed
	}
	inner, err := tx.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &handlerTx{Tx: inner, work: tx.work, savepoint: true}, nil
}

func (tx *handlerTx) Commit(ctx context.Context) error {
	switch {
	case tx.work.ended.Load():
		return pgx.ErrTxClosed
	case !tx.savepoint:
		return ErrManaged
	}
	return tx.Tx.Commit(ctx)
}

func (tx *handlerTx) Rollback(ctx context.Context) error {
	switch {
	case tx.work.ended.Load():
		return pgx.ErrTxClosed
	case !tx.savepoint:
		return ErrManaged
	}
	return tx.Tx.Rollback(ctx)
}

func (tx *handlerTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if tx.work.ended.Load() {
		return 0, pgx.ErrTxClosed
	}
	n, err := tx.Tx.CopyFrom(ctx, table, columns, rows)
	tx.work.note(err)
	return n, err
}

func (tx *handlerTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	if tx.work.ended.Load() {
		return pgx.FailedBatchResults(batch, pgx.ErrTxClosed)
	}
	return tx.Tx.SendBatch(ctx, batch)
}

func (tx *handlerTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if tx.work.ended.Load() {
		return nil, pgx.ErrTxClosed
	}
	return tx.Tx.Prepare(ctx, name, sql)
}

func (tx *handlerTx) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	if tx.work.ended.Load() {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	tag, err := tx.Tx.Exec(ctx, sql, arguments...)
	tx.work.note(err)
	return tag, err
}

func (tx *handlerTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if tx.work.ended.Load() {
		return closedRows{}, pgx.ErrTxClosed
	}
	rows, err := tx.Tx.Query(ctx, sql, args...)
	tx.work.note(err)
	return rows, err
}

func (tx *handlerTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if tx.work.ended.Load() {
		return closedRows{}
	}
	return handlerRow{tx.Tx.QueryRow(ctx, sql, args...), tx.work}
}

// handlerRow is a row on its way to the handler.
type handlerRow struct {
	pgx.Row
	work *work
}

func (r handlerRow) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	r.work.note(err)
	return err
}

// closedRows is the empty answer of a transaction that has ended.
type closedRows struct{}

func (closedRows) Close()                                       {}
func (closedRows) Err() error                                   { return pgx.ErrTxClosed }
func (closedRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (closedRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (closedRows) Next() bool                                   { return false }
func (closedRows) Scan(...any) error                            { return pgx.ErrTxClosed }
func (closedRows) Values() ([]any, error)                       { return nil, pgx.ErrTxClosed }
func (closedRows) RawValues() [][]byte                          { return nil }
func (closedRows) Conn() *pgx.Conn                              { return nil }
func (closedRows) TypeMap() *pgtype.Map                         { return nil }
