// Package guards has inserts after a look with something in between: what guards, and what only looks like it.
package guards

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"golang.org/x/sync/singleflight"
)

type Store struct {
	db    *sql.DB
	group singleflight.Group
}

func (s *Store) find(ctx context.Context, ref string) (int64, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	return id, err
}

// fine: the unique violation is told apart by its code.
func (s *Store) PgCode(ctx context.Context, ref string) error {
	_, err := s.find(ctx, ref)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == pgerrcode.UniqueViolation {
		return nil
	}
	return err
}

// fine: lib/pq's error, with the number.
func (s *Store) PqCode(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil {
		if pqErr, ok := err.(*pq.Error); ok && pqErr.Code == "23505" {
			return nil
		}
		return err
	}
	return nil
}

// fine: MySQL's number.
func (s *Store) MySQLNumber(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES (?)", ref)
	var myErr *mysql.MySQLError
	if errors.As(err, &myErr) && myErr.Number == 1062 {
		return nil
	}
	return err
}

// fine: the text of the error, as SQLite users do.
func (s *Store) ErrorText(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES (?)", ref)
	if err != nil && strings.Contains(err.Error(), "UNIQUE constraint failed") {
		return nil
	}
	return err
}

func isDuplicate(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505"
}

// fine: a helper tells it apart.
func (s *Store) Helper(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	if isDuplicate(err) {
		return nil
	}
	return err
}

func (s *Store) insertPlain(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	return err
}

// fine: the one caller of insertPlain looks at the error.
func (s *Store) CallerHandles(ctx context.Context, ref string) error {
	err := s.insertPlain(ctx, ref)
	if isDuplicate(err) {
		return nil
	}
	return err
}

func inTx(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: the duplicate is told apart after the transaction's closure.
func (s *Store) AfterClosure(ctx context.Context, ref string) error {
	err := inTx(ctx, s.db, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
		return err
	})
	if isDuplicate(err) {
		return nil
	}
	return err
}

// fine: an advisory lock is taken before the look.
func (s *Store) AdvisoryLock(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", ref); err != nil {
		return err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: SERIALIZABLE makes one of two fail.
func (s *Store) SerializableTx(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: ON CONFLICT decides, and the row count says who won.
func (s *Store) ConflictCounted(ctx context.Context, ref string) (bool, error) {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1) ON CONFLICT (reference) DO NOTHING", ref)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// fine: an upsert leaves one row whoever comes first, and nothing else happens.
func (s *Store) Upsert(ctx context.Context, ref string, amount int64) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference, amount) VALUES ($1, $2) ON CONFLICT (reference) DO UPDATE SET amount = excluded.amount", ref, amount)
	return err
}

// fine: the order's row exists and is locked first, so that the looks of two callers come one after the other.
func (s *Store) ParentLocked(ctx context.Context, order int64, ref string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var total int64
	if err := tx.QueryRowContext(ctx, "SELECT total FROM orders WHERE id = $1 FOR UPDATE", order).Scan(&total); err != nil {
		return err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference, order_id) VALUES ($1, $2)", ref, order); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: the locked row surely exists, and the next one is inserted on its found side.
func (s *Store) NextInQueue(ctx context.Context, queue string) error {
	var last int64
	if err := s.db.QueryRowContext(ctx, "SELECT last_id FROM queue WHERE name = $1 FOR UPDATE", queue).Scan(&last); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO queue (name, last_id) VALUES ($1, $2)", queue, last+1)
	return err
}

// fine: the whole table is locked.
func (s *Store) TableLocked(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "LOCK TABLE refunds IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: whatever the error of the insert, the row is looked for once more.
func (s *Store) LooksAfterError(ctx context.Context, ref string) (int64, error) {
	id, err := s.find(ctx, ref)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if err := s.db.QueryRowContext(ctx, "INSERT INTO refunds (reference) VALUES ($1) RETURNING id", ref).Scan(&id); err != nil {
		return s.find(ctx, ref)
	}
	return id, nil
}

// fine: a failed insert goes round the loop, back to the look.
func (s *Store) Loops(ctx context.Context, ref string) (int64, error) {
	var last error
	for range 3 {
		id, err := s.find(ctx, ref)
		if !errors.Is(err, sql.ErrNoRows) {
			return id, err
		}
		_, last = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
		if last == nil {
			return 0, nil
		}
	}
	return 0, last
}

// A Locker is a lock of the house's.
type Locker interface {
	Lock(ctx context.Context, key string) error
	Unlock(ctx context.Context, key string) error
}

// fine: a lock by name, whatever is behind it.
func (s *Store) HouseLock(ctx context.Context, locker Locker, ref string) error {
	if err := locker.Lock(ctx, ref); err != nil {
		return err
	}
	defer locker.Unlock(ctx, ref)
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	return err
}

// fine: the one caller holds an advisory lock, and a mutex of its process after it.
func (s *Store) CallerHoldsBoth(ctx context.Context, ref string) error {
	if _, err := s.db.ExecContext(ctx, "SELECT pg_advisory_lock(hashtext($1))", ref); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	return s.heldByCaller(ctx, ref)
}

func (s *Store) heldByCaller(ctx context.Context, ref string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	return err
}

// fine: a claim before decides who goes on.
func (s *Store) ClaimedBefore(ctx context.Context, key, ref string) error {
	result, err := s.db.ExecContext(ctx, "INSERT INTO claims (key) VALUES ($1) ON CONFLICT (key) DO NOTHING", key)
	if err != nil {
		return err
	}
	if n, _ := result.RowsAffected(); n == 0 {
		return errors.New("somebody else has it")
	}
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	return err
}

// fine: the upsert leaves both callers with the same row, so what comes after it may come twice.
func (s *Store) UpsertThenWrite(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1) ON CONFLICT (reference) DO UPDATE SET seen = now()", ref); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE totals SET refunded = true WHERE reference = $1", ref)
	return err
}

func (s *Store) insertForRetry(ctx context.Context, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	return err
}

// fine: the one caller looks at the code in the driver's error.
func (s *Store) CallerReadsCode(ctx context.Context, ref string) error {
	err := s.insertForRetry(ctx, ref)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return nil
	}
	return err
}
