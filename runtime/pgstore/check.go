package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// SchemaError is returned by [Store.Check] for a table that this version of the package cannot keep its promise on.
type SchemaError struct {
	// Table is the table's name as the store was given it.
	Table string
	// Version is the step of [SchemaSteps] that makes what is missing; 0 where none does: somebody has changed what a step has
	// made, or the database's user lacks a privilege.
	Version int
	// Fault is what is wrong with the table.
	Fault string

	mend string // where neither a step nor an undone change mends it
}

// Error is one sentence that says what is wrong and how to mend it.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("pgstore: the table %s %s: %s", e.Table, e.Fault, e.Mend())
}

// Mend is the part of the sentence that says how to mend it, for whoever knows of other ways as well.
func (e *SchemaError) Mend() string {
	switch {
	case e.mend != "":
		return e.mend
	case e.Version == 0:
		return "undo that change by a migration of your own"
	}
	return fmt.Sprintf("apply schema step %d, which idemgen generate writes into your migrations and pgstore.Migrate applies", e.Version)
}

// LogText implements runtime.Explained: a schema is no client's data.
func (e *SchemaError) LogText() string { return e.Error() }

// columns are what the store reads and writes, with the step that made each.
var columns = []struct {
	name, kind string
	version    int
}{
	{"created_at", "timestamp with time zone", 1},
	{"expires_at", "timestamp with time zone", 1},
	{"attempt", "uuid", 1},
	{"status", "smallint", 1},
	{"body_state", "smallint", 1},
	{"fingerprint_version", "smallint", 1},
	{"scope", "bytea", 1},
	{"key", "bytea", 1},
	{"fingerprint", "bytea", 1},
	{"operation", "text", 1},
	{"headers", "bytea", 1},
	{"body", "bytea", 1},
	{"lease_until", "timestamp with time zone", 2},
	{"epoch", "bigint", 2},
	{"request", "bytea", 2},
	{"steps", "bytea", 2},
}

const (
	// currentSQL is about the session: where it looks for the table, and whether it may write at all.
	currentSQL = `SELECT to_regclass($1::text)::oid, current_database(), current_setting('search_path'), current_setting('transaction_read_only') = 'on'`

	columnsSQL = `SELECT attname::text, format_type(atttypid, NULL), attnotnull AND NOT atthasdef AND attidentity = ''
FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped`

	// uniqueSQL asks for what decides who wins: a whole, valid, immediate unique index on scope and key and nothing else.
	// indnkeyatts leaves out what INCLUDE adds.
	uniqueSQL = `SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = $1::oid AND i.indisunique AND i.indisvalid AND i.indimmediate
AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 2
AND (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a
	WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:1])) = ARRAY['key', 'scope'])`

	// leaseIndexSQL asks for an index that holds the work in progress and nothing else, by whatever name and columns.
	leaseIndexSQL = `SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = $1::oid AND i.indisvalid
AND pg_get_expr(i.indpred, i.indrelid) = '(status = 0)')`

	privilegesSQL = `SELECT p FROM unnest($2::text[]) AS p WHERE NOT has_table_privilege($1::oid, p)`
)

// Check reports whether the store's table is there and is what this version of the package needs: its columns, the unique
// index that decides who wins, no further column that every insert would fail for, and the privileges of this user. Call
// it when a service starts: without it a forgotten migration shows as 503 for every request with a key.
//
// The columns of lease mode are asked for whether the service has such operations or not; until their migration has run,
// operations in transaction mode work without them. What else lease mode needs, [Store.CheckLeases] asks for.
//
// What is wrong with the table is a [*SchemaError]. Any other error means that the database could not be asked; a service
// may start then, as it refuses requests until the database is back. Check reads catalogs only, in four round trips.
func (s *Store) Check(ctx context.Context) error { return s.checkFor(ctx, false) }

// CheckLeases is Check for a service with operations in lease mode: it asks for the privilege to update, and for the index
// of the work in progress, without which recovery reads the whole table again and again. Where renewals have a pool of their
// own that does not lead to the same table, the error is [ErrRenewalPool], with which a service must not start either.
func (s *Store) CheckLeases(ctx context.Context) error { return s.checkFor(ctx, true) }

func (s *Store) checkFor(ctx context.Context, leases bool) error {
	// One transaction, so that all is asked of one server, whatever a pooler does.
	err := pgx.BeginTxFunc(ctx, s.pool, s.settings.tx, func(tx pgx.Tx) error { return s.check(ctx, tx, leases) })
	var fault *SchemaError
	if err == nil || errors.As(err, &fault) {
		return err
	}
	return fmt.Errorf("pgstore: the table %s could not be checked: %w", s.settings.table, err)
}

func (s *Store) check(ctx context.Context, tx pgx.Tx, leases bool) error {
	fault := func(version int, format string, args ...any) error {
		return &SchemaError{Table: s.settings.table, Version: version, Fault: fmt.Sprintf(format, args...)}
	}
	var table *uint32
	var database, path string
	var readOnly bool
	if err := tx.QueryRow(ctx, currentSQL, quoteTable(s.settings.table)).Scan(&table, &database, &path, &readOnly); err != nil {
		return err
	}
	switch {
	case table == nil:
		return fault(1, "is not in the database %q (search_path %s)", database, path)
	case readOnly:
		return errReadOnly
	}
	if err := s.checkColumns(ctx, tx, *table, fault); err != nil {
		return err
	}
	var unique bool
	if err := tx.QueryRow(ctx, uniqueSQL, *table).Scan(&unique); err != nil {
		return err
	}
	if !unique {
		return fault(0, "has no unique index on scope and key, without which a request can have two effects")
	}
	if leases {
		var indexed bool
		if err := tx.QueryRow(ctx, leaseIndexSQL, *table).Scan(&indexed); err != nil {
			return err
		}
		if !indexed {
			return fault(2, "has no index of the work in progress, without which recovery reads all of it")
		}
	}
	needed := []string{"SELECT", "INSERT", "DELETE"}
	if leases || s.settings.strategy == InsertFirst {
		needed = append(needed, "UPDATE")
	}
	if err := s.checkPrivileges(ctx, tx, *table, needed...); err != nil {
		return err
	}
	if leases && s.renewer != s {
		return s.checkRenewals(ctx, tx, *table)
	}
	return nil
}

func (s *Store) checkPrivileges(ctx context.Context, tx pgx.Tx, table uint32, needed ...string) error {
	rows, err := tx.Query(ctx, privilegesSQL, table, needed)
	if err != nil {
		return err
	}
	missing, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &SchemaError{
			Table: s.settings.table,
			Fault: fmt.Sprintf("cannot be used by the database's user, who lacks the privilege %s on it", missing[0]),
			mend:  "grant SELECT, INSERT, UPDATE and DELETE",
		}
	}
	return nil
}

func (s *Store) checkColumns(ctx context.Context, tx pgx.Tx, table uint32, fault func(int, string, ...any) error) error {
	type column struct {
		kind   string
		needed bool // an insert that does not name it fails
	}
	found := map[string]column{}
	rows, err := tx.Query(ctx, columnsSQL, table)
	if err != nil {
		return err
	}
	var name string
	var c column
	_, err = pgx.ForEachRow(rows, []any{&name, &c.kind, &c.needed}, func() error {
		found[name] = c
		return nil
	})
	if err != nil {
		return err
	}
	for _, want := range columns {
		have, ok := found[want.name]
		switch {
		case !ok:
			return fault(want.version, "has no column %s", want.name)
		case have.kind != want.kind:
			return fault(0, "has a column %s of type %s, which has to be %s", want.name, have.kind, want.kind)
		}
		delete(found, want.name)
	}
	var further []string
	for name, c := range found {
		if c.needed {
			further = append(further, name)
		}
	}
	if len(further) > 0 {
		return fault(0, "has a further column %s that is NOT NULL without a default, so no record can be written", slices.Min(further))
	}
	return nil
}
