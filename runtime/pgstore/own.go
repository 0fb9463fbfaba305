package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// Transactions of the store's own: READ COMMITTED whatever the session's default is, so that each statement sees what was
// committed before it began, and finds out about its row once it has waited for it.
const (
	ownBeginSQL = `begin isolation level read committed`
	readOnlySQL = `SELECT current_setting('transaction_read_only') = 'on'`
	ownBoundSQL = `SELECT set_config('lock_timeout', $1::text, true)`
)

// own runs what queue queues as one transaction, which begins and commits in one round trip, and has read read the answers.
// wait bounds how long it waits for locks; 0 leaves that to ctx.
//
// It tries again where the connection was lost or the database asks for it: what queue queues can be repeated, whether the
// last try was committed or not. After a restart of the server every idle connection of the pool is dead, and each costs
// one try. repeated tells read that there was one. An error is [runtime.ErrCommitUnknown] where one of the tries may have been
// committed and none has said so.
func (s *Store) own(ctx context.Context, wait time.Duration, queue func(*pgx.Batch), read func(_ pgx.BatchResults, repeated bool) error) error {
	return s.ownWithin(ctx, wait, 0, queue, read)
}

// ownWithin is own where each try, once it has its connection, is given no longer than bound; 0 leaves that to ctx.
func (s *Store) ownWithin(ctx context.Context, wait, bound time.Duration, queue func(*pgx.Batch), read func(_ pgx.BatchResults, repeated bool) error) error {
	unknown := false
	for tries := 1; ; tries++ {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return orUnknown(unknown, fmt.Errorf("no connection: %w", err))
		}
		err = func() error {
			ctx := ctx
			if bound > 0 {
				bounded, cancel := context.WithTimeout(ctx, bound)
				defer cancel()
				ctx = bounded
			}
			return ownTransaction(ctx, conn, lockTimeout(ctx, wait), queue, func(results pgx.BatchResults) error { return read(results, tries > 1) })
		}()
		if err == nil {
			conn.Release()
			return nil
		}
		err = leaveFailed(ctx, conn, err)
		unknown = unknown || unanswered(err)
		if s.givesUp(ctx, tries, err) {
			return orUnknown(unknown, explainState(err))
		}
	}
}

// unanswered reports whether the server may have committed what was sent: the connection was lost before it said, and it
// had not refused a statement.
func unanswered(err error) bool {
	var lost lostConnection
	return errors.As(err, &lost) && !pgconn.SafeToRetry(err) && !refused(err)
}

func orUnknown(unknown bool, err error) error {
	if unknown {
		return fmt.Errorf("%w: %w", runtime.ErrCommitUnknown, err)
	}
	return err
}

func ownTransaction(ctx context.Context, conn *pgxpool.Conn, lockTimeout string, queue func(*pgx.Batch), read func(pgx.BatchResults) error) error {
	batch := &pgx.Batch{}
	batch.Queue(ownBeginSQL)
	batch.Queue(ownBoundSQL, lockTimeout)
	queue(batch)
	batch.Queue("commit")
	results := conn.SendBatch(ctx, batch)

	_, err := results.Exec()
	if err == nil {
		_, err = results.Exec()
	}
	if err == nil {
		err = read(results)
	}
	if err == nil {
		_, err = results.Exec()
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// ask reads, in one round trip and on a server that can write: a standby may not have seen yet what is asked for. It tries
// again as own does.
func (s *Store) ask(ctx context.Context, sql string, arguments []any, read func(pgx.Rows, error) error) error {
	for tries := 1; ; tries++ {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("no connection: %w", err)
		}
		batch := &pgx.Batch{}
		batch.Queue(readOnlySQL)
		batch.Queue(sql, arguments...)
		results := conn.SendBatch(ctx, batch)
		var readOnly bool
		err = results.QueryRow().Scan(&readOnly)
		if err == nil && readOnly {
			err = errReadOnly
		}
		if err == nil {
			err = read(results.Query())
		}
		if closed := results.Close(); err == nil {
			err = closed
		}
		if err == nil {
			conn.Release()
			return nil
		}
		err = leaveFailed(ctx, conn, err)
		if s.givesUp(ctx, tries, err) {
			return explainState(err)
		}
	}
}

// lockTimeout is how long a statement waits for locks: as long as ctx lasts, or wait where that is less. A connection whose
// statement ends by it serves on, and one whose statement is cut off by the end of ctx does not.
func lockTimeout(ctx context.Context, wait time.Duration) string {
	if deadline, has := ctx.Deadline(); has && (wait == 0 || time.Until(deadline) < wait) {
		wait = max(time.Until(deadline), time.Millisecond)
	}
	if wait == 0 {
		return "0"
	}
	return strconv.FormatInt(milliseconds(wait), 10)
}

// waited is what the end of a wait for a lock comes to: the end of ctx, a moment before it.
func waited(err error) error {
	if waitedInVain(err) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}
