// Package squirrel has what programs do with squirrel, with what is found in it.
package squirrel

import (
	"context"
	"database/sql"

	sq "github.com/Masterminds/squirrel"
)

var psql = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)

func run(ctx context.Context, db *sql.DB, tx *sql.Tx, active bool) {
	psql.Select("id").From("accounts").Where(sq.Eq{"email": "x"}).RunWith(db).QueryRowContext(ctx)                 // want "read accounts by email over pool"
	psql.Insert("accounts").Columns("email").Values("x").RunWith(tx).ExecContext(ctx)                              // want "insert accounts over tx 1"
	sq.Insert("accounts").Columns("email").Values("x").Suffix("ON CONFLICT (email) DO NOTHING").RunWith(db).Exec() // want "insert accounts on-conflict target email over pool"
	sq.Update("accounts").Set("email", "x").Where("id = ?", 1).RunWith(db).Exec()                                  // want "update accounts by id over pool"
	sq.Delete("accounts").Where(sq.And{sq.Eq{"id": 1}, sq.Gt{"age": 3}}).RunWith(db).Exec()                        // want "delete accounts by id over pool"
	query, args, err := psql.Select("id").From("accounts").Where(sq.Eq{"email": "x"}).ToSql()
	if err != nil {
		return
	}
	db.QueryContext(ctx, query, args...) // want "read accounts by email over pool"
	builder := sq.Select("count(*)").From("accounts").Where(sq.Eq{"email": "x"})
	if active {
		builder = builder.Where("active")
	}
	builder.RunWith(db).QueryRow()                                      // want "read accounts by email always partial over pool"
	insert(ctx, tx, sq.Insert("accounts").Columns("email").Values("x")) // want "insert accounts over tx 1 via insert"
}

type customizer interface {
	Customize(sq.InsertBuilder, bool) (sq.InsertBuilder, error)
}

func customized(ctx context.Context, tx *sql.Tx, c customizer) {
	insertCustomized(ctx, tx, c, sq.Insert("accounts").Columns("email").Values("x")) // want "insert accounts over tx 1 via insertCustomized"
}

func insertCustomized(ctx context.Context, tx *sql.Tx, c customizer, builder sq.InsertBuilder) error {
	builder, err := c.Customize(builder, true)
	if err != nil {
		return err
	}
	query, args, err := builder.PlaceholderFormat(sq.Dollar).ToSql()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, query, args...)
	return err
}

func insert(ctx context.Context, tx *sql.Tx, builder sq.InsertBuilder) error {
	query, args, err := builder.ToSql()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, query, args...)
	return err
}

func narrowed(db *sql.DB, active bool) {
	builder := sq.Select("id").From("accounts").Where(sq.Eq{"email": "x"})
	if active {
		builder = builder.Where(sq.Eq{"active": true})
	}
	builder.RunWith(db).QueryRow() // want "read accounts by email partial over pool"
}
