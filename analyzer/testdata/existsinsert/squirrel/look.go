// Package squirrel looks and inserts through squirrel's builders.
package squirrel

import (
	"context"
	"database/sql"
	"errors"

	sq "github.com/Masterminds/squirrel"
	"github.com/lib/pq"
)

var psql = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)

type Store struct{ db *sql.DB }

// bug: builders that run by themselves.
func (s *Store) RunWith(ctx context.Context, code string) error {
	var id int64
	err := psql.Select("id").From("vouchers").Where(sq.Eq{"code": code}).RunWith(s.db).QueryRowContext(ctx).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = psql.Insert("vouchers").Columns("code").Values(code).RunWith(s.db).ExecContext(ctx) // want `vouchers is looked up by code`
	}
	return err
}

// bug: builders turned into text first.
func (s *Store) ToSQL(ctx context.Context, code string) error {
	query, args, err := psql.Select("count(*)").From("vouchers").Where(sq.Eq{"code": code}).ToSql()
	if err != nil {
		return err
	}
	var n int
	if err := s.db.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	query, args, err = psql.Insert("vouchers").Columns("code").Values(code).ToSql()
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, query, args...) // want `vouchers is looked up by code`
	return err
}

// fine: a suffix arbitrates, and the row count is read.
func (s *Store) Suffix(ctx context.Context, code string) (bool, error) {
	var id int64
	err := psql.Select("id").From("vouchers").Where(sq.Eq{"code": code}).RunWith(s.db).QueryRowContext(ctx).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := psql.Insert("vouchers").Columns("code").Values(code).Suffix("ON CONFLICT (code) DO NOTHING").RunWith(s.db).ExecContext(ctx)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// fine: the violation is told apart.
func (s *Store) Handled(ctx context.Context, code string) error {
	var id int64
	err := psql.Select("id").From("vouchers").Where(sq.Eq{"code": code}).RunWith(s.db).QueryRowContext(ctx).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = psql.Insert("vouchers").Columns("code").Values(code).RunWith(s.db).ExecContext(ctx)
	var pqErr *pq.Error
	if errors.As(err, &pqErr) && pqErr.Code == "23505" {
		return nil
	}
	return err
}

// fine: another table is filled.
func (s *Store) OtherTable(ctx context.Context, code string) error {
	var id int64
	err := psql.Select("id").From("vouchers").Where(sq.Eq{"code": code}).RunWith(s.db).QueryRowContext(ctx).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = psql.Insert("misses").Columns("code").Values(code).RunWith(s.db).ExecContext(ctx)
	}
	return err
}
