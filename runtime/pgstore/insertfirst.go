package pgstore

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// insertFirst is the strategy [InsertFirst]. The unique index is the lock: an insert waits for another transaction that
// has inserted the same id, for as long as lock_timeout lets it.
//
// ON CONFLICT DO NOTHING, never DO UPDATE: the latter would lock and so write to a live row for every duplicate.
type insertFirst struct{ store *Store }

func (f insertFirst) claim(ctx context.Context, conn *pgxpool.Conn, t *target) (verdict, error) {
	s := f.store
	batch := &pgx.Batch{}
	batch.BeginTx(s.settings.tx)
	batch.Queue(boundSQL, f.bound(ctx, t))
	batch.Queue(s.sql.placeholder, t.scope, t.key)
	batch.Queue(unboundSQL)
	batch.Queue(s.sql.find, t.scope, t.key)
	results := conn.SendBatch(ctx, batch)
	tx := results.Tx()

	_, err := results.Exec() // begin
	if err == nil {
		_, err = results.Exec() // bound
	}
	won, found, err := readInsert(results, err)
	switch {
	case err != nil:
		return f.failed(ctx, conn, t, err)
	case won:
		return verdict{won: newWork(s, conn, tx, t, false)}, nil
	case found.live != nil || found.leased:
		leave(ctx, conn)
		return verdict{record: found.live, leased: found.leased}, nil
	case found.expired:
		return f.takeOver(ctx, conn, tx, t)
	default: // the row that was in the way has gone
		undo(ctx, conn)
		conn.Release()
		return verdict{again: true}, nil
	}
}

// takeOver replaces an expired row. Of several that try, the first to delete wins; the others wait for it and then find
// its row in the way.
func (f insertFirst) takeOver(ctx context.Context, conn *pgxpool.Conn, tx pgx.Tx, t *target) (verdict, error) {
	s := f.store
	batch := &pgx.Batch{}
	batch.Queue(boundSQL, f.bound(ctx, t))
	batch.Queue(s.sql.deleteExpired, t.scope, t.key)
	batch.Queue(s.sql.placeholder, t.scope, t.key)
	batch.Queue(unboundSQL)
	batch.Queue(s.sql.find, t.scope, t.key)
	results := conn.SendBatch(ctx, batch)

	_, err := results.Exec() // bound
	if err == nil {
		_, err = results.Exec() // delete
	}
	won, found, err := readInsert(results, err)
	switch {
	case err != nil:
		return f.failed(ctx, conn, t, err)
	case won:
		return verdict{won: newWork(s, conn, tx, t, false)}, nil
	case found.live != nil || found.leased:
		leave(ctx, conn)
		return verdict{record: found.live, leased: found.leased}, nil
	default:
		undo(ctx, conn)
		conn.Release()
		return verdict{again: true}, nil
	}
}

// readInsert reads the answers from the placeholder's on, and closes the batch. err is what went wrong before.
func readInsert(results pgx.BatchResults, err error) (won bool, found look, _ error) {
	if err == nil {
		err = results.QueryRow().Scan(&won)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
	}
	if err == nil {
		_, err = results.Exec() // unbound
	}
	if err == nil {
		found, err = scanLook(results.Query())
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return won, found, err
}

func (f insertFirst) failed(ctx context.Context, conn *pgxpool.Conn, t *target, err error) (verdict, error) {
	if waitedInVain(err) {
		leave(ctx, conn)
		return verdict{}, t.inVain(ctx)
	}
	return verdict{}, leaveFailed(ctx, conn, err)
}

// bound is the lock_timeout of a claim. The least is a millisecond, as 0 means for ever.
func (f insertFirst) bound(ctx context.Context, t *target) string {
	left, ok := t.patience(ctx)
	if !ok {
		left = time.Millisecond
	}
	return strconv.FormatInt(milliseconds(left), 10)
}

func (f insertFirst) write(batch *pgx.Batch, w *work, rec *runtime.Record) {
	batch.Queue(f.store.sql.complete, parameters(w.target, rec)...)
}
