package pgstore

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// advisoryLock is the strategy [AdvisoryLock].
//
// The lock comes before the look, as two statements: under READ COMMITTED each statement sees what was committed before
// it began, so the look sees whatever the lock's former holder committed. As one statement, or under a stronger isolation
// level, the look may be older than the lock; then the primary key refuses the row at the end.
type advisoryLock struct{ store *Store }

func (a advisoryLock) claim(ctx context.Context, conn *pgxpool.Conn, t *target) (verdict, error) {
	s := a.store
	batch := &pgx.Batch{}
	batch.BeginTx(s.settings.tx)
	batch.Queue(tryLockSQL, t.lock)
	batch.Queue(s.sql.find, t.scope, t.key)
	results := conn.SendBatch(ctx, batch)
	tx := results.Tx()

	var locked, readOnly bool
	_, err := results.Exec()
	if err == nil {
		err = results.QueryRow().Scan(&locked, &readOnly)
	}
	if err == nil && readOnly {
		err = errReadOnly
	}
	var found look
	if err == nil {
		found, err = scanLook(results.Query())
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return verdict{}, leaveFailed(ctx, conn, err)
	case found.live != nil || found.leased: // whoever holds the lock, the work was done
		leave(ctx, conn)
		return verdict{record: found.live, leased: found.leased}, nil
	case locked:
		return verdict{won: newWork(s, conn, tx, t, found.expired)}, nil
	default:
		return a.wait(ctx, conn, tx, t)
	}
}

// wait queues for the lock of another process's transaction, on this one connection, and looks again.
func (a advisoryLock) wait(ctx context.Context, conn *pgxpool.Conn, tx pgx.Tx, t *target) (verdict, error) {
	s := a.store
	left, ok := t.patience(ctx)
	if !ok {
		leave(ctx, conn)
		return verdict{}, nil
	}
	batch := &pgx.Batch{}
	batch.Queue(boundSQL, strconv.FormatInt(milliseconds(left), 10))
	batch.Queue(waitLockSQL, t.lock)
	batch.Queue(unboundSQL)
	batch.Queue(s.sql.find, t.scope, t.key)
	results := conn.SendBatch(ctx, batch)

	var isolation string
	_, err := results.Exec()
	if err == nil {
		err = results.QueryRow().Scan(nil, &isolation)
	}
	if err == nil {
		_, err = results.Exec()
	}
	var found look
	if err == nil {
		found, err = scanLook(results.Query())
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil && waitedInVain(err):
		leave(ctx, conn)
		return verdict{}, t.inVain(ctx)
	case err != nil:
		return verdict{}, leaveFailed(ctx, conn, err)
	case found.live != nil || found.leased:
		leave(ctx, conn)
		return verdict{record: found.live, leased: found.leased}, nil
	case isolation != "read committed" && isolation != "read uncommitted":
		// This transaction's snapshot is older than the wait: it cannot see what the former holder did.
		undo(ctx, conn)
		conn.Release()
		return verdict{again: true}, nil
	default:
		return verdict{won: newWork(s, conn, tx, t, found.expired)}, nil
	}
}

// waitedInVain reports whether err is the end of a wait: by our own bound, or by the session's statement_timeout, which
// may be shorter.
func waitedInVain(err error) bool {
	code := sqlstate(err)
	return code == lockNotAvailable || code == queryCanceled
}

func (a advisoryLock) write(batch *pgx.Batch, w *work, rec *runtime.Record) {
	sql := &a.store.sql
	if w.expired {
		batch.Queue(sql.deleteExpired, w.target.scope, w.target.key)
	}
	batch.Queue(sql.insert, parameters(w.target, rec)...)
}
