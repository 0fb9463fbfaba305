package guards

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// bug: FOR UPDATE finds no row and so locks none.
func (s *Store) LocksAbsentRow(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1 FOR UPDATE", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil { // want `FOR UPDATE locks nothing when the row is absent`
		return err
	}
	return tx.Commit()
}

// bug: the conflict is looked for on another column than the look.
func (s *Store) OtherTarget(ctx context.Context, id, ref string) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	result, err := s.db.ExecContext(ctx, "INSERT INTO refunds (id, reference) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", id, ref) // want `ON CONFLICT \(id\) does not arbitrate over reference`
	if err != nil {
		return err
	}
	if n, _ := result.RowsAffected(); n == 0 {
		return errors.New("lost")
	}
	return nil
}

// bug: nobody reads who won, and both callers book the money.
func (s *Store) CountIgnored(ctx context.Context, ref string, amount int64) error {
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1) ON CONFLICT (reference) DO NOTHING", ref); err != nil { // want `nobody reads whether ON CONFLICT left the row out`
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE wallets SET amount = amount + $1", amount)
	return err
}

// bug: the condition in the statement is a look of its own.
func (s *Store) WhereNotExists(ctx context.Context, ref string) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO refunds (reference) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM refunds WHERE reference = $1)`, ref) // want `WHERE NOT EXISTS is a look`
	return err
}

var mu sync.Mutex

// bug: a mutex keeps the callers of one process apart.
func (s *Store) Mutex(ctx context.Context, ref string) error {
	mu.Lock()
	defer mu.Unlock()
	if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `guards one process only`
	return err
}

// bug: so does singleflight.
func (s *Store) Singleflight(ctx context.Context, ref string) error {
	_, err, _ := s.group.Do(ref, func() (any, error) {
		if _, err := s.find(ctx, ref); !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		_, err := s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `refunds is looked up by reference|guards one process only`
		return nil, err
	})
	return err
}

// bug: the isolation is named, and it is the one that changes nothing.
func (s *Store) ReadCommitted(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref); err != nil { // want `refunds is looked up by reference`
		return err
	}
	return tx.Commit()
}

// bug: the look sets a variable from within a transaction of its own, and the insert follows in none.
func (s *Store) LookInClosure(ctx context.Context, ref string) error {
	var exists bool
	err := inTx(ctx, s.db, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM refunds WHERE reference = $1)", ref).Scan(&exists)
	})
	if err != nil {
		return err
	}
	if exists {
		return nil
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `refunds is looked up by reference`
	return err
}

// bug: the lock is let go before the look is acted upon by others, and is one of readers anyway.
func (s *Store) ReadLock(ctx context.Context, rw *sync.RWMutex, ref string) error {
	rw.RLock()
	_, err := s.find(ctx, ref)
	rw.RUnlock()
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `refunds is looked up by reference`
	return err
}

// bug: a row of the same table is locked, and not the one that is absent.
func (s *Store) LocksAnotherRow(ctx context.Context, tx *sql.Tx, of int64, ref string) error {
	var id int64
	if err := tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE id = $1 FOR UPDATE", of).Scan(&id); err != nil {
		return err
	}
	err := tx.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `refunds is looked up by reference`
	return err
}
