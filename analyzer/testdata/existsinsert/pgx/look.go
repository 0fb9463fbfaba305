// Package pgx looks and inserts through pgx and its pool.
package pgx

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type Invoice struct {
	ID     uuid.UUID
	Number string
}

type Store struct{ pool *pgxpool.Pool }

// bug: the plain form over the pool.
func (s *Store) Plain(ctx context.Context, number string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "insert into invoices (number) values ($1)", number) // want `invoices is looked up by number`
	}
	return err
}

// bug: the transaction's closure has both.
func (s *Store) InClosure(ctx context.Context, number string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var found bool
		if err := tx.QueryRow(ctx, "select exists (select 1 from invoices where number = $1)", number).Scan(&found); err != nil {
			return err
		}
		if !found {
			_, err := tx.Exec(ctx, "insert into invoices (number) values ($1)", number) // want `invoices is looked up by number`
			return err
		}
		return nil
	})
}

// bug: the look stands before the closure, the insert in it.
func (s *Store) LookOutside(ctx context.Context, number string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
	if err == nil {
		return nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "insert into invoices (number) values ($1)", number) // want `invoices is looked up by number`
		return err
	})
}

// bug: the primary key is minted in the insert, and so the key cannot guard.
func (s *Store) MintedKey(ctx context.Context, number string) error {
	var id uuid.UUID
	err := s.pool.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "insert into invoices (id, number) values ($1, $2)", uuid.New(), number) // want `invoices is looked up by number`
	}
	return err
}

// bug: rows are collected, and there are none.
func (s *Store) Collected(ctx context.Context, number string) error {
	rows, err := s.pool.Query(ctx, "select id from invoices where number = $1", number)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		return nil
	}
	_, err = s.pool.Exec(ctx, "insert into invoices (number) values ($1)", number) // want `invoices is looked up by number`
	return err
}

// bug: one row is collected.
func (s *Store) CollectedOne(ctx context.Context, number string) error {
	rows, _ := s.pool.Query(ctx, "select id from invoices where number = $1", number)
	_, err := pgx.CollectOneRow(rows, pgx.RowTo[int64])
	switch {
	case err == nil:
		return nil
	case err != pgx.ErrNoRows:
		return err
	}
	_, err = s.pool.Exec(ctx, "insert into invoices (number) values ($1)", number) // want `invoices is looked up by number`
	return err
}

func (s *Store) byNumber(ctx context.Context, number string) (*Invoice, error) {
	var found Invoice
	err := s.pool.QueryRow(ctx, "select id, number from invoices where number = $1", number).Scan(&found.ID, &found.Number)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &found, nil
}

func (s *Store) insert(ctx context.Context, number string) error {
	_, err := s.pool.Exec(ctx, "insert into invoices (number) values ($1)", number)
	return err
}

// bug: nil stands for nothing found, through two helpers.
func (s *Store) Helpers(ctx context.Context, number string) error {
	found, err := s.byNumber(ctx, number)
	if err != nil {
		return err
	}
	if found == nil {
		return s.insert(ctx, number) // want `invoices is looked up by number`
	}
	return nil
}

func (s *Store) ensureUnused(ctx context.Context, number string) error {
	found, err := s.byNumber(ctx, number)
	if err != nil {
		return err
	}
	if found != nil {
		return errors.New("in use")
	}
	return nil
}

// bug: a helper says with an error that there is one.
func (s *Store) EnsureHelper(ctx context.Context, number string) error {
	if err := s.ensureUnused(ctx, number); err != nil {
		return err
	}
	return s.insert(ctx, number) // want `invoices is looked up by number`
}

func (s *Store) has(ctx context.Context, number string) (bool, error) {
	var n int
	if err := s.pool.QueryRow(ctx, "select count(*) from invoices where number = $1", number).Scan(&n); err != nil {
		return false, err
	}
	return n > 0, nil
}

// bug: a helper gives a bool.
func (s *Store) BoolHelper(ctx context.Context, number string) error {
	if ok, err := s.has(ctx, number); err != nil || ok {
		return err
	}
	return s.insert(ctx, number) // want `invoices is looked up by number`
}

func (s *Store) isFree(ctx context.Context, number string) (bool, error) {
	var n int
	if err := s.pool.QueryRow(ctx, "select count(*) from invoices where number = $1", number).Scan(&n); err != nil {
		return false, err
	}
	return n == 0, nil
}

// bug: a helper gives a bool that says the opposite.
func (s *Store) InvertedHelper(ctx context.Context, number string) error {
	free, err := s.isFree(ctx, number)
	if err != nil {
		return err
	}
	if !free {
		return errors.New("in use")
	}
	return s.insert(ctx, number) // want `invoices is looked up by number`
}

// fine: the inverted bool says that there is one, and a copy is inserted: nothing is decided by absence.
func (s *Store) CopyOfExisting(ctx context.Context, number string) error {
	free, err := s.isFree(ctx, number)
	if err != nil {
		return err
	}
	if free {
		return errors.New("nothing to copy")
	}
	return s.insert(ctx, number)
}

// fine: ON CONFLICT decides, and the tag says who won.
func (s *Store) Tag(ctx context.Context, number string) (bool, error) {
	found, err := s.byNumber(ctx, number)
	if err != nil || found != nil {
		return false, err
	}
	tag, err := s.pool.Exec(ctx, "insert into invoices (number) values ($1) on conflict (number) do nothing", number)
	return tag.RowsAffected() == 1, err
}

// fine: the insert comes first; who loses looks.
func (s *Store) InsertThenLook(ctx context.Context, number string) (id int64, err error) {
	err = s.pool.QueryRow(ctx, "insert into invoices (number) values ($1) on conflict do nothing returning id", number).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.pool.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
	}
	return id, err
}

// fine: BeginTxFunc with SERIALIZABLE.
func (s *Store) SerializableClosure(ctx context.Context, number string) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		_, err = tx.Exec(ctx, "insert into invoices (number) values ($1)", number)
		return err
	})
}

// fine: a lock of the database's on the number.
func (s *Store) Locked(ctx context.Context, number string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1, 0))", number); err != nil {
			return err
		}
		var id int64
		err := tx.QueryRow(ctx, "select id from invoices where number = $1", number).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		_, err = tx.Exec(ctx, "insert into invoices (number) values ($1)", number)
		return err
	})
}

// fine: the row is updated when it is missing nowhere; there is no insert.
func (s *Store) Touch(ctx context.Context, number string) error {
	found, err := s.byNumber(ctx, number)
	if err != nil || found == nil {
		return err
	}
	_, err = s.pool.Exec(ctx, "update invoices set touched = now() where number = $1", number)
	return err
}

// fine: the parent must be there; its lines are inserted.
func (s *Store) AddLine(ctx context.Context, number, text string) error {
	found, err := s.byNumber(ctx, number)
	if err != nil {
		return err
	}
	if found == nil {
		return errors.New("no such invoice")
	}
	_, err = s.pool.Exec(ctx, "insert into invoice_lines (invoice, text) values ($1, $2)", found.ID, text)
	return err
}

// fine: one statement does both, and the loser gets the row of the winner.
func (s *Store) OneStatement(ctx context.Context, number string) (id int64, err error) {
	err = s.pool.QueryRow(ctx, `
		with fresh as (
			insert into invoices (number) values ($1) on conflict (number) do nothing returning id
		)
		select id from fresh union all select id from invoices where number = $1 limit 1`, number).Scan(&id)
	return id, err
}
