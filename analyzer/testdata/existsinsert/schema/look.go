// Package schema has looks whose tables are known from migrations beside it.
package schema

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type Store struct{ pool *pgxpool.Pool }

// bug: the table is known and e-mail addresses are not unique.
func (s *Store) NotUnique(ctx context.Context, email string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE email = $1", email).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (email) VALUES ($1)", email) // want `no unique index covers email .*0001_tables.up.sql:1`
	}
	return err
}

// bug: the index on the column is a plain one.
func (s *Store) PlainIndex(ctx context.Context, region string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE region = $1", region).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (region) VALUES ($1)", region) // want `no unique index covers region`
	}
	return err
}

// bug: the unique rule has a column more than the look.
func (s *Store) WiderRule(ctx context.Context, reference, region string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE reference = $1", reference).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (reference, region) VALUES ($1, $2)", reference, region) // want `no unique index covers reference`
	}
	return err
}

// bug: the rule holds, and its violation goes to the caller as an unknown error.
func (s *Store) Unhandled(ctx context.Context, handle string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1)", handle) // want `the unique rule at .*0001_tables.up.sql:4 stops the second`
	}
	return err
}

// bug: a rule that a later migration added, over both columns of the look.
func (s *Store) LaterRule(ctx context.Context, region, reference string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE region = $1 AND reference = $2", region, reference).Scan(&id)
	if err == nil {
		return nil
	}
	_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (region, reference) VALUES ($1, $2)", region, reference) // want `the unique rule at .*0002_reference.up.sql:2 stops the second`
	return err
}

// bug: provider may be NULL, and NULLs are all different.
func (s *Store) Nullable(ctx context.Context, model string, provider *string, cents int64) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_prices WHERE model = $1 AND provider = $2", model, provider).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_prices (model, provider, cents) VALUES ($1, $2, $3)", model, provider, cents) // want `provider may be NULL`
	}
	return err
}

// bug: the rule is for open coupons only, and this one need not be open.
func (s *Store) Partial(ctx context.Context, code, state string) error {
	var n int
	err := s.pool.QueryRow(ctx, "SELECT count(*) FROM sch_coupons WHERE code = $1", code).Scan(&n)
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_coupons (code, state) VALUES ($1, $2)", code, state) // want `holds only where state = 'open'`
	}
	return err
}

// bug: rows that are not deleted are what the look is about, so that the rule holds; its violation is unhandled.
func (s *Store) SoftDeleted(ctx context.Context, team int64, login string) error {
	var n int
	err := s.pool.QueryRow(ctx, "SELECT count(*) FROM sch_members WHERE team = $1 AND login = $2 AND deleted_at IS NULL", team, login).Scan(&n)
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_members (team, login) VALUES ($1, $2)", team, login) // want `the unique rule at .*0001_tables.up.sql:30 stops the second`
	}
	return err
}

// fine: the rule holds and its violation is told apart.
func (s *Store) Handled(ctx context.Context, handle string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1)", handle)
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code == "23505" {
			return nil
		}
	}
	return err
}

// fine: the rule arbitrates, and RETURNING says who won.
func (s *Store) Arbitrated(ctx context.Context, handle string) (id int64, err error) {
	err = s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	err = s.pool.QueryRow(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1) ON CONFLICT (handle) DO NOTHING RETURNING id", handle).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	}
	return id, err
}

// fine: the condition in the statement is backed by the rule, and the violation is told apart.
func (s *Store) NotExistsHandled(ctx context.Context, handle string) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO sch_accounts (handle) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM sch_accounts WHERE handle = $1)", handle)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return nil
	}
	return err
}

// bug: the look leaves the owner out, which is another mistake; two requests of one owner still meet at the rule, and the second gets an error.
func (s *Store) OwnerLeftOut(ctx context.Context, id, merchant, key string) error {
	var found string
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_claims WHERE key = $1", key).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_claims (id, merchant_id, key) VALUES ($1, $2, $3)", id, merchant, key) // want `the unique rule at .*0003_owned.up.sql:6 stops the second`
	}
	return err
}

// bug: a rule over the owner alone says nothing of what is looked for.
func (s *Store) OwnerAlone(ctx context.Context, id, merchant, batch string) error {
	var found string
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_claims WHERE batch = $1", batch).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_claims (id, merchant_id, batch) VALUES ($1, $2, $3)", id, merchant, batch) // want `no unique index covers batch`
	}
	return err
}

// bug: the insert writes the primary key, and asks for something else.
func (s *Store) NotExistsByAnother(ctx context.Context, id, email string) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO sch_accounts (id, email) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sch_accounts WHERE email = $2)", id, email) // want `WHERE NOT EXISTS is a look .* no unique index covers email`
	return err
}

var handles sync.Mutex

// fine: the rule holds, and with the mutex its violation comes from another replica only, once in a blue moon.
func (s *Store) RuleAndMutex(ctx context.Context, handle string) error {
	handles.Lock()
	defer handles.Unlock()
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1)", handle)
	}
	return err
}

// fine: the clause arbitrates over another column, and a rule in view over the one that was looked up.
func (s *Store) OtherTargetWithRule(ctx context.Context, region, handle string) error {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = s.pool.Exec(ctx, "INSERT INTO sch_accounts (region, handle) VALUES ($1, $2) ON CONFLICT (region) DO NOTHING", region, handle)
	}
	return err
}
