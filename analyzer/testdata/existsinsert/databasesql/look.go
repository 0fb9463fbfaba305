// Package databasesql looks and inserts through database/sql.
package databasesql

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

type Payment struct {
	ID        int64
	Reference string
	Amount    int64
}

type Store struct{ db *sql.DB }

var ErrTaken = errors.New("taken")

// bug: the sentinel is told apart, and the insert stands in its branch.
func (s *Store) Sentinel(ctx context.Context, ref string, amount int64) (int64, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.db.QueryRowContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2) RETURNING id", ref, amount).Scan(&id) // want `payments is looked up by reference at line 26 and inserted here`
	}
	return id, err
}

// bug: found means return, and the insert follows.
func (s *Store) FoundReturns(ctx context.Context, ref string, amount int64) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if err == nil {
		return nil
	}
	if err != sql.ErrNoRows {
		return fmt.Errorf("look: %w", err)
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	return err
}

// bug: EXISTS into a bool.
func (s *Store) Exists(ctx context.Context, ref string, amount int64) error {
	var exists bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM payments WHERE reference = $1)", ref).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return ErrTaken
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	return err
}

// bug: a count of zero.
func (s *Store) Count(ctx context.Context, ref string, amount int64) error {
	var n int
	if err := s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM payments WHERE reference = ?`, ref).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		_, err := s.db.ExecContext(ctx, `INSERT INTO payments (reference, amount) VALUES (?, ?)`, ref, amount) // want `payments is looked up by reference`
		return err
	}
	return nil
}

// bug: rows.Next says that there is nothing.
func (s *Store) Rows(ctx context.Context, ref string, amount int64) error {
	rows, err := s.db.QueryContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return ErrTaken
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	return err
}

// bug: the rows are collected by hand, and there are none.
func (s *Store) RowsCollected(ctx context.Context, ref string, amount int64) error {
	rows, err := s.db.QueryContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref)
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	}
	return err
}

// fine: the rows are read to their end, and the insert follows whether there were any or not.
func (s *Store) RowsSummed(ctx context.Context, ref string, amount int64) error {
	rows, err := s.db.QueryContext(ctx, "SELECT amount FROM payments WHERE reference = $1", ref)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var part int64
		if err := rows.Scan(&part); err != nil {
			return err
		}
		amount -= part
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount)
	return err
}

// bug: a READ COMMITTED transaction around both changes nothing.
func (s *Store) InTransaction(ctx context.Context, ref string, amount int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	switch err := tx.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id); {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		if _, err := tx.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount); err != nil { // want `payments is looked up by reference`
			return err
		}
	default:
		return err
	}
	return tx.Commit()
}

// bug: a zero id stands for nothing found.
func (s *Store) ZeroID(ctx context.Context, ref string, amount int64) error {
	var p Payment
	err := s.db.QueryRowContext(ctx, "SELECT id, reference FROM payments WHERE reference = $1", ref).Scan(&p.ID, &p.Reference)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if p.ID != 0 {
		return ErrTaken
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	return err
}

// bug: an update that met no row, then an insert.
func (s *Store) UpdateElseInsert(ctx context.Context, owner string, amount int64) error {
	result, err := s.db.ExecContext(ctx, "UPDATE balances SET amount = amount + $2 WHERE owner = $1", owner, amount)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = s.db.ExecContext(ctx, "INSERT INTO balances (owner, amount) VALUES ($1, $2)", owner, amount) // want `balances is updated by owner at line \d+ and inserted here when no row was met`
	}
	return err
}

// bug: a saved row is updated, else inserted: the update of the stale row is lost too.
func (s *Store) SaveOrUpdate(ctx context.Context, owner string, amount int64) error {
	var old int64
	err := s.db.QueryRowContext(ctx, "SELECT amount FROM balances WHERE owner = $1", owner).Scan(&old)
	if err == sql.ErrNoRows {
		_, err = s.db.ExecContext(ctx, "INSERT INTO balances (owner, amount) VALUES ($1, $2)", owner, amount) // want `balances is looked up by owner.*lost`
		return err
	}
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE balances SET amount = $2 WHERE owner = $1", owner, old+amount)
	return err
}

// bug: one look per item of a batch.
func (s *Store) Batch(ctx context.Context, payments []Payment) error {
	for _, p := range payments {
		var n int
		if err := s.db.QueryRowContext(ctx, "SELECT count(1) FROM payments WHERE reference = $1", p.Reference).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		if _, err := s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", p.Reference, p.Amount); err != nil { // want `payments is looked up by reference`
			return err
		}
	}
	return nil
}

// bug: any error of the look counts as not found.
func (s *Store) AnyError(ctx context.Context, ref string, amount int64) {
	var id int64
	if err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id); err != nil {
		s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	}
}

// bug: the key is looked for only when there is one; with one it races.
func (s *Store) OptionalKey(ctx context.Context, ref string, amount int64) (int64, error) {
	var id int64
	if ref != "" {
		err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
	}
	err := s.db.QueryRowContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2) RETURNING id", ref, amount).Scan(&id) // want `payments is looked up by reference`
	return id, err
}

// fine: one table is checked, another one is filled.
func (s *Store) CheckOther(ctx context.Context, customer string, amount int64) error {
	var blocked bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM blocked_customers WHERE customer = $1)", customer).Scan(&blocked); err != nil {
		return err
	}
	if blocked {
		return ErrTaken
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO payments (customer, amount) VALUES ($1, $2)", customer, amount)
	return err
}

// fine: not found means an error, and the insert stands on the found side.
func (s *Store) ParentMustExist(ctx context.Context, parent int64, amount int64) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE id = $1", parent).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrTaken
	}
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (parent, amount) VALUES ($1, $2)", id, amount)
	return err
}

// fine: not found means an update of something else.
func (s *Store) NotFoundUpdates(ctx context.Context, ref string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = s.db.ExecContext(ctx, "UPDATE payments SET reference = $1 WHERE reference IS NULL", ref)
	}
	return err
}

// fine: not found is told to the caller and nothing is written.
func (s *Store) OnlyLooks(ctx context.Context, ref string) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// fine: the insert comes on both sides; the look only decides what is written.
func (s *Store) BothSides(ctx context.Context, ref string, amount int64) error {
	var last int64
	err := s.db.QueryRowContext(ctx, "SELECT amount FROM payments WHERE reference = $1", ref).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, last+amount)
	return err
}

// fine: insert first; who loses reads what the winner wrote.
func (s *Store) InsertFirst(ctx context.Context, ref string, amount int64) (int64, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2) ON CONFLICT (reference) DO NOTHING RETURNING id", ref, amount).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	}
	return id, err
}

// fine: the error of the look is recorded in a table of its own.
func (s *Store) RecordsFailure(ctx context.Context, ref string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if err != nil {
		s.db.ExecContext(ctx, "INSERT INTO failures (reference, what) VALUES ($1, $2)", ref, err.Error())
		return err
	}
	return nil
}

// fine: the table's name is put together at run time.
func (s *Store) RunTimeTable(ctx context.Context, table, ref string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM "+table+" WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = s.db.ExecContext(ctx, "INSERT INTO "+table+" (reference) VALUES ($1)", ref)
	}
	return err
}

// fine: the look is by a status and the insert writes another column; nothing is the same of both.
func (s *Store) OtherColumns(ctx context.Context, ref string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM batches WHERE state = 'open'").Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = s.db.ExecContext(ctx, "INSERT INTO batches (reference, opened) VALUES ($1, $2)", ref, time.Now())
	}
	return err
}

// fine: an in-memory map is no store.
func (s *Store) Memory(seen map[string]bool, ref string) bool {
	if seen[ref] {
		return false
	}
	seen[ref] = true
	return true
}

// fine: rows are there at start-up, filled by one process before it serves.
func (s *Store) SeedCurrencies(ctx context.Context) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM currencies WHERE code = $1", "EUR").Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		_, err := s.db.ExecContext(ctx, "INSERT INTO currencies (code) VALUES ($1)", "EUR")
		return err
	}
	return nil
}

// fine: the table is made here, so this is set-up.
func (s *Store) InstallationID(ctx context.Context, fresh string) (string, error) {
	if _, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS installation (name TEXT, value TEXT)"); err != nil {
		return "", err
	}
	var id string
	err := s.db.QueryRowContext(ctx, "SELECT value FROM installation WHERE name = ?", "id").Scan(&id)
	if err == sql.ErrNoRows {
		_, err = s.db.ExecContext(ctx, "INSERT INTO installation (name, value) VALUES (?, ?)", "id", fresh)
		return fresh, err
	}
	return id, err
}

// bug: a flag remembers what the look said.
func (s *Store) Flag(ctx context.Context, ref string, amount int64) error {
	found := true
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if err != nil {
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		found = false
	}
	if found {
		return nil
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount) // want `payments is looked up by reference`
	return err
}

// fine: the flag is about something else.
func (s *Store) OtherFlag(ctx context.Context, ref string, amount int64) error {
	booked := amount > 100
	var last int64
	err := s.db.QueryRowContext(ctx, "SELECT amount FROM payments WHERE reference = $1", ref).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if booked {
		_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, amount-last)
	}
	return err
}

// fine: a newer row stands in the way, an older or no one does not; a history has many rows of one reference.
func (s *Store) History(ctx context.Context, ref string, at time.Time) error {
	var last time.Time
	err := s.db.QueryRowContext(ctx, "SELECT at FROM payments WHERE reference = $1 ORDER BY at DESC LIMIT 1", ref).Scan(&last)
	found := true
	if errors.Is(err, sql.ErrNoRows) {
		found = false
	} else if err != nil {
		return err
	}
	if found && last.After(at) {
		return nil
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference, at) VALUES ($1, $2)", ref, at)
	return err
}

// bug: the row that was looked for is inserted, and told; the other one has another reference.
func (s *Store) TwoRows(ctx context.Context, ref string, amount int64) error {
	var exists bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM payments WHERE reference = $1)", ref).Scan(&exists); err != nil || exists {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref, -amount); err != nil { // want `payments is looked up by reference`
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO payments (reference, amount) VALUES ($1, $2)", ref+"-fee", amount)
	return err
}

// fine: codes are drawn until one is free; two callers draw different ones.
func (s *Store) DrawsCode(ctx context.Context) (string, error) {
	var code string
	for {
		code = rand.Text()
		var taken bool
		if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM invitations WHERE code = $1)", code).Scan(&taken); err != nil {
			return "", err
		}
		if !taken {
			break
		}
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO invitations (code) VALUES ($1)", code)
	return code, err
}

// fine: what a migration tool keeps for itself.
func (s *Store) Applied(ctx context.Context, version int) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM schema_migrations WHERE version = $1", version).Scan(&n); err != nil || n > 0 {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO schema_migrations (version) VALUES ($1)", version)
	return err
}

func (s *Store) chain(ctx context.Context, ref string, depth int) (bool, error) {
	if depth > 0 {
		return s.chain(ctx, ref, depth-1)
	}
	var found bool
	err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM payments WHERE reference = $1)", ref).Scan(&found)
	return found, err
}

// bug: a helper that calls itself looks all the same.
func (s *Store) Recursive(ctx context.Context, ref string) error {
	found, err := s.chain(ctx, ref, 3)
	if err != nil || found {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO payments (reference) VALUES ($1)", ref) // want `payments is looked up by reference`
	return err
}
