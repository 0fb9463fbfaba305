package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Beginner is what [Migrate] needs of a database: *pgx.Conn, *pgxpool.Pool and pgx.Tx have it.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// ErrForeignTable is wrapped by the error of [Migrate] when the table exists but was not made by Migrate.
var ErrForeignTable = errors.New("the table was not made by Migrate")

// Migrate brings the given table up to the newest of [SchemaSteps], for tests, examples and services without a migration
// tool. What has been applied is kept in a second table whose name ends in "_schema". It is one transaction; processes
// that call it at the same time wait for each other. An empty name means [DefaultTable].
//
// A table that a migration tool made is left alone: use that tool for the next step as well.
func Migrate(ctx context.Context, db Beginner, table string) error {
	if table == "" {
		table = DefaultTable
	}
	if err := WithTable(table + "_schema")(&settings{}); err != nil {
		return fmt.Errorf("pgstore.Migrate: %w", err)
	}
	if err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return migrate(ctx, tx, table) }); err != nil {
		return fmt.Errorf("pgstore.Migrate: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, tx pgx.Tx, table string) error {
	versions := quoteTable(table + "_schema")
	// One lock for every table: CREATE TABLE IF NOT EXISTS alone fails when two run at once.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('idemgen migrate', 0))`); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+versions+` (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`); err != nil {
		return fmt.Errorf("make the table of versions: %w", err)
	}
	var current int
	var exists bool
	if err := tx.QueryRow(ctx, `SELECT coalesce((SELECT max(version) FROM `+versions+`), 0), to_regclass($1::text) IS NOT NULL`, quoteTable(table)).Scan(&current, &exists); err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	if exists && current == 0 {
		return fmt.Errorf("%w: %s exists and %s is empty; go on with the tool that made it", ErrForeignTable, table, table+"_schema")
	}
	for _, step := range SchemaSteps(table) {
		if step.Version <= current {
			continue
		}
		// Exec without arguments takes a script of several statements.
		if _, err := tx.Exec(ctx, step.Up); err != nil {
			return fmt.Errorf("step %d: %w", step.Version, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO `+versions+` (version) VALUES ($1)`, step.Version); err != nil {
			return fmt.Errorf("note step %d: %w", step.Version, err)
		}
	}
	return nil
}
