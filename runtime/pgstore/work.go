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
	if w.ended.Load() {
		return fmt.Errorf("pgstore: commit: %w", pgx.ErrTxClosed)
	}
	if err := w.ready(ctx, rec); err != nil {
		_ = w.Rollback(ctx) // cannot fail
		return fmt.Errorf("pgstore: commit: %w", err)
	}
	err := w.send(ctx, rec)
	switch {
	case err != nil && errors.Is(err, runtime.ErrCommitUnknown):
		w.ended.Store(true)
		discard(w.conn)
	case err != nil:
		_ = w.Rollback(ctx) // cannot fail; free where the server has rolled back already
	default:
		w.ended.Store(true)
		w.conn.Release()
		if rec != nil {
			w.store.recent.add(w.target.lock)
		}
		return nil
	}
	return fmt.Errorf("pgstore: commit: %w", err)
}

// ready finds what makes a commit impossible or wrong, without asking the server: the protocol says after each statement
// in which state the transaction is.
func (w *work) ready(ctx context.Context, rec *runtime.Record) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nothing was committed: %w", err)
	}
	switch {
	case rec == nil && w.target != nil:
		return errors.New("work that was claimed cannot be committed without its record")
	case rec != nil && w.target == nil:
		return errors.New("work without a claim cannot be committed with a record")
	case rec != nil:
		if err := checkRecord(rec); err != nil {
			return err
		}
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

// send writes record and commit and reads the answers.
func (w *work) send(ctx context.Context, rec *runtime.Record) error {
	batch := &pgx.Batch{}
	if rec != nil {
		w.store.strategy.write(batch, w, rec)
	}
	batch.Queue(w.store.sql.commit)
	results := w.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // an error has been returned by then; later calls repeat it

	rows := int64(0)
	for range batch.Len() - 1 {
		tag, err := results.Exec()
		if err != nil {
			if sqlstate(err) == uniqueViolation {
				return fmt.Errorf("%w: %w", runtime.ErrLostRace, err)
			}
			return outcome(err)
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
	case rec != nil && rows != 1:
		return runtime.Explain("the table took no record; a trigger or rule on "+w.store.settings.table+" may be the cause", runtime.ErrUnrecorded)
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
