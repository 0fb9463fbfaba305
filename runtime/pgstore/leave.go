package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// rollbackTimeout bounds a rollback. It waits for nothing in the database; if the network is that slow the connection is
// closed, and the server rolls back by itself.
const rollbackTimeout = 5 * time.Second

// undo ends whatever transaction conn is in. It cannot fail: a connection that does not answer is closed, which undoes its
// transaction as well.
func undo(ctx context.Context, conn *pgxpool.Conn) {
	c := conn.Conn()
	if c.IsClosed() || !c.PgConn().IsBusy() && c.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	if _, err := c.Exec(ctx, "rollback"); err != nil { // at once where a result was left open: nothing can be sent then
		_ = c.Close(ctx)
	}
}

// discard closes a connection that may be broken, and takes it out of the pool.
func discard(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Conn().Close(ctx) // the good-bye to the server need not arrive
	conn.Release()
}

// leave gives a connection back to the pool after its transaction has been rolled back, without making the caller wait
// for that: what the caller wanted to know is known.
func leave(ctx context.Context, conn *pgxpool.Conn) {
	if conn.Conn().IsClosed() || conn.Conn().PgConn().TxStatus() == 'I' {
		conn.Release()
		return
	}
	go func() {
		undo(ctx, conn)
		conn.Release()
	}()
}

// leaveFailed is leave after an error, which it returns, marked when the connection was lost with it.
func leaveFailed(ctx context.Context, conn *pgxpool.Conn, err error) error {
	if conn.Conn().IsClosed() {
		err = lostConnection{err}
	}
	leave(ctx, conn)
	return err
}

// lostConnection marks an error that came with the loss of the connection.
type lostConnection struct{ cause error }

func (e lostConnection) Error() string { return "the connection was lost: " + e.cause.Error() }

func (e lostConnection) Unwrap() error { return e.cause }

// givesUp reports whether what has failed with err, the given number of times, is not tried again.
func (s *Store) givesUp(ctx context.Context, tries int, err error) bool {
	return tries >= s.tries || ctx.Err() != nil || !curable(err)
}

// curable reports whether a claim that failed with err may succeed on another connection or in another transaction.
func curable(err error) bool {
	var lost lostConnection
	if errors.As(err, &lost) || retryable(err) {
		return true
	}
	code := sqlstate(err)
	return code == planChanged || code == noSuchStatement
}
