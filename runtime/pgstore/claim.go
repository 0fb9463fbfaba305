package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// target is what is being claimed.
type target struct {
	scope, key []byte
	lock       int64
	// until is when the patience ends; zero asks for an answer at once. It is this process's monotonic clock: it bounds
	// a wait and is compared with nothing of another machine.
	until time.Time
}

// patience is how much longer the claim may wait, and whether it may wait at all.
func (t *target) patience(ctx context.Context) (left time.Duration, ok bool) {
	if t.until.IsZero() {
		return 0, false
	}
	until := t.until
	if deadline, has := ctx.Deadline(); has && deadline.Before(until) {
		until = deadline
	}
	left = time.Until(until)
	return left, left > 0
}

// inVain is what a wait that brought nothing comes to: nothing, where it took its whole time, or the context's error where
// the context allowed less.
func (t *target) inVain(ctx context.Context) error {
	if deadline, has := ctx.Deadline(); has && deadline.Before(t.until) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// strategy is one way to win an id. Adding one is adding a file that implements it, and a line in New.
type strategy interface {
	// claim tries on a connection that is in no transaction. It takes the connection over: whatever comes back, the
	// connection is the work's, has been released, or soon will be.
	claim(ctx context.Context, conn *pgxpool.Conn, t *target) (verdict, error)
	// write queues what makes rec the record of t, to be sent just before the commit.
	write(batch *pgx.Batch, w *work, rec *runtime.Record)
}

// verdict is what one try came to. At most one of its fields is set; none of them: another transaction holds the id.
type verdict struct {
	won    *work
	record *runtime.Record
	leased bool // lease mode holds the id
	again  bool // what was seen is out of date: look again in a new transaction
}

// Claim implements [runtime.Store].
func (s *Store) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	var none runtime.Claim[pgx.Tx]
	if err := checkID(id); err != nil {
		return none, err
	}
	t := &target{scope: []byte(id.Scope), key: packKey(id.Key), lock: s.lockOf(s.settings.table, id)}
	if wait > 0 {
		t.until = time.Now().Add(wait)
	}
	// Nothing that a claim does has an effect, so it may be tried again whenever the database or the network asks for it.
	// After a restart of the server every idle connection of the pool is dead, and each costs one try.
	for tries := s.tries; ; tries-- {
		verdict, err := s.try(ctx, t)
		switch {
		case err == nil && verdict.won != nil:
			return runtime.Claim[pgx.Tx]{Work: verdict.won}, nil
		case err == nil && verdict.record != nil:
			s.recent.add(t.lock)
			return runtime.Claim[pgx.Tx]{Record: verdict.record}, nil
		case err == nil && verdict.leased:
			seen, err := s.Look(ctx, id)
			switch {
			case err != nil:
				return none, err
			case seen.Record != nil || seen.Progress != nil:
				return runtime.Claim[pgx.Tx]{Record: seen.Record, Progress: seen.Progress}, nil
			case tries > 1: // it has been released
				continue
			}
			return none, nil
		case err == nil && !verdict.again:
			return none, nil
		case tries > 1 && ctx.Err() == nil && (err == nil || curable(err)):
			continue
		case err == nil:
			return none, nil // others keep winning; whoever asks may ask again later
		}
		return none, fmt.Errorf("pgstore: claim: %w", explainState(err))
	}
}

// explainState tells of a table that lacks what a statement needs, and of a server that cannot write.
func explainState(err error) error {
	switch sqlstate(err) {
	case undefinedTable, undefinedColumn:
		return runtime.Explain("the table is not as this version needs it; Store.Check says what is missing", err)
	case readOnlyTransaction:
		return errReadOnly
	}
	return err
}

func (s *Store) try(ctx context.Context, t *target) (verdict, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return verdict{}, fmt.Errorf("no connection: %w", err)
	}
	if s.recent.has(t.lock) {
		found, err := scanLook(conn.Query(ctx, s.sql.find, t.scope, t.key))
		if err != nil {
			return verdict{}, leaveFailed(ctx, conn, err)
		}
		if found.live != nil || found.leased {
			conn.Release()
			return verdict{record: found.live, leased: found.leased}, nil
		}
		s.recent.forget(t.lock)
	}
	return s.strategy.claim(ctx, conn, t)
}

// errReadOnly is what a standby comes to, and a primary that somebody has made read-only.
var errReadOnly = runtime.Explain("the session is read-only: connect to a server that can write, by target_session_attrs=read-write", nil)

func checkID(id runtime.ID) error {
	if len(id.Scope) == 0 || len(id.Scope) > MaxScope {
		return &LimitError{What: "scope", Length: len(id.Scope), Max: MaxScope}
	}
	if len(id.Key) == 0 || len(id.Key) > MaxKey {
		return &LimitError{What: "key", Length: len(id.Key), Max: MaxKey}
	}
	return nil
}
