package pgstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// work is an open transaction on a connection of its own.
type work struct {
	store   *Store
	conn    *pgxpool.Conn
	tx      handlerTx
	target  *target // nil for work without a claim
	expired bool    // an expired row has to make room
	// ended and failed are atomic because a handler may have leaked the transaction to a goroutine.
	ended atomic.Bool
	// failed is the last failure of a statement that was seen on its way to the handler.
	failed atomic.Pointer[pgconn.PgError]
}

// note sees a statement's error on its way to the handler.
func (w *work) note(err error) {
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code != inFailedTransaction {
		w.failed.Store(server)
	}
}

// swallowed is why the transaction is aborted, as far as it was seen. With it the log tells which statement it was, the
// violation of a guard has its documented answer and a deadlock is run again, as where the handler returns the error.
func (w *work) swallowed() error {
	if server := w.failed.Load(); server != nil {
		return fmt.Errorf("%w: %w", runtime.ErrAborted, server)
	}
	return runtime.ErrAborted
}

func newWork(s *Store, conn *pgxpool.Conn, tx pgx.Tx, t *target, expired bool) *work {
	w := &work{store: s, conn: conn, target: t, expired: expired}
	w.tx = handlerTx{Tx: tx, work: w}
	return w
}

// Tx implements [runtime.Work].
func (w *work) Tx() pgx.Tx { return &w.tx }

// Rollback implements [runtime.Work].
func (w *work) Rollback(ctx context.Context) error {
	if w.ended.Swap(true) {
		return nil
	}
	undo(ctx, w.conn)
	w.conn.Release()
	return nil
}

// Commit implements [runtime.Work]: the record and the commit go out together, in one round trip. If ctx ends meanwhile
// the outcome is unknown, so it had better not end with the client's patience; runtime.Engine sees to that.
func (w *work) Commit(ctx context.Context, rec *runtime.Record) error {
	how := ending{check: func() error { return w.accepts(rec) }}
	if rec != nil {
		how.write = func(batch *pgx.Batch) { w.store.strategy.write(batch, w, rec) }
		how.refused = func(err error) error {
			if sqlstate(err) == uniqueViolation {
				return fmt.Errorf("%w: %w", runtime.ErrLostRace, err)
			}
			return outcome(err)
		}
	}
	err := w.end(ctx, how)
	if err == nil && rec != nil {
		w.store.recent.add(w.target.lock)
	}
	return wrap("commit", err)
}

// accepts refuses a record that does not go with the work, or that the table cannot hold.
func (w *work) accepts(rec *runtime.Record) error {
	switch {
	case rec == nil && w.target != nil:
		return errors.New("work that was claimed cannot be committed without its record")
	case rec != nil && w.target == nil:
		return errors.New("work without a claim cannot be committed with a record")
	case rec != nil:
		return checkRecord(rec)
	}
	return nil
}

// ending is what a transaction ends with.
type ending struct {
	// check refuses what cannot be written, before anything is sent.
	check func() error
	// write queues what is written just before the commit, the last of which writes one row; nil for nothing.
	write func(*pgx.Batch)
	// refused says what the failure of such a statement means.
	refused func(error) error
}

// end ends the transaction: by a commit, or by a rollback where that cannot be.
func (w *work) end(ctx context.Context, how ending) error {
	if w.ended.Load() {
		return pgx.ErrTxClosed
	}
	if err := w.ready(ctx, how); err != nil {
		_ = w.Rollback(ctx) // cannot fail
		return err
	}
	err := w.send(ctx, how)
	switch {
	case err != nil && errors.Is(err, runtime.ErrCommitUnknown):
		w.ended.Store(true)
		discard(w.conn)
	case err != nil:
		_ = w.Rollback(ctx) // cannot fail; free where the server has rolled back already
	default:
		w.ended.Store(true)
		w.conn.Release()
	}
	return err
}

// ready finds what makes a commit impossible or wrong, without asking the server: the protocol says after each statement
// in which state the transaction is.
func (w *work) ready(ctx context.Context, how ending) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nothing was committed: %w", err)
	}
	if err := how.check(); err != nil {
		return err
	}
	pg := w.conn.Conn().PgConn()
	switch {
	case pg.IsClosed():
		return fmt.Errorf("nothing was committed: the connection was lost: %w", pgconn.ErrConnClosed)
	case pg.IsBusy():
		return runtime.Explain("the handler left the rows of a query open; close them or read them to the end", runtime.ErrAborted)
	case pg.TxStatus() == 'E':
		return runtime.Explain("the handler went on after a statement had failed; it returns the error, does what may fail in tx.Begin, or uses ON CONFLICT", w.swallowed())
	case pg.TxStatus() != 'T':
		return runtime.Explain("the handler ended the transaction by SQL of its own; it uses only the given transaction, and no COMMIT or ROLLBACK", runtime.ErrUnrecorded)
	}
	return nil
}

// send sends what is written together with the commit and reads the answers.
func (w *work) send(ctx context.Context, how ending) error {
	batch := &pgx.Batch{}
	if how.write != nil {
		how.write(batch)
	}
	batch.Queue(w.store.sql.commit)
	results := w.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // an error has been returned by then; later calls repeat it

	rows := int64(1)
	for range batch.Len() - 1 {
		tag, err := results.Exec()
		if err != nil {
			return how.refused(err)
		}
		rows = tag.RowsAffected() // the last one is the record's
	}
	tag, err := results.Exec()
	if err == nil {
		err = results.Close()
	}
	switch {
	case err != nil:
		return outcome(err)
	case tag.String() == "ROLLBACK":
		return runtime.Explain("the server answered the commit by a rollback", runtime.ErrAborted)
	case rows != 1:
		return unrecorded(w.store.settings.table)
	}
	return nil
}

// outcome says what an error of the last round trip means. Record and commit were sent together: unless nothing was sent,
// or the server itself refused a statement, the commit may have happened.
func outcome(err error) error {
	switch {
	case retryable(err):
		return fmt.Errorf("%w: %w", runtime.ErrSerialization, err)
	case pgconn.SafeToRetry(err), refused(err):
		return fmt.Errorf("nothing was committed: %w", err)
	default:
		return fmt.Errorf("%w: %w", runtime.ErrCommitUnknown, err)
	}
}
