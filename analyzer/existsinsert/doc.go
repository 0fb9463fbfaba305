/*
Package existsinsert defines an Analyzer that finds inserts which hang on an earlier look for the same row, with nothing that keeps two callers apart.

# Analyzer existsinsert

existsinsert: find look-then-insert with nothing that arbitrates between two callers

# What it reports

  - duplicate-possible (error): a row is looked up, and inserted only where
    nothing was found; no unique rule in view covers the columns of the look,
    so two callers at once both insert.
  - conflict-unhandled (warning): a row is looked up, and inserted only where
    nothing was found; a unique rule stops the second of two callers at once,
    nothing tells its error apart, and it gets a failure for a row that is there.
  - unsound-guard (error or warning): something stands between a look for a row
    and its insert that looks like a guard and is none: FOR UPDATE of a row that is absent,
    ON CONFLICT over other columns than those of the look, ON CONFLICT whose
    answer nobody reads although more is written afterwards, or, where it keeps
    an idempotency key, before; INSERT ... WHERE NOT EXISTS or FirstOrCreate without a unique rule.
  - process-local-guard (warning): a row is looked up, and inserted where nothing
    was found, under a mutex or a singleflight group; that keeps the callers of
    one process apart, and a second replica has its own.
  - claim-after-work (error): a middleware looks up an idempotency key, runs the
    handler, and keeps the key and the answer only then, so two requests at once
    both run the handler, whatever the table's rules are.

A finding in a function that fills tables at start-up (by the name of the
function, its file or its package: seed, migrate, bootstrap, init) has the
severity info and a low confidence, and is left out unless asked for.

# Why

A client sends a payment, waits, gives up and sends it again while the first
request is still under way. Both requests look for the reference, both find
nothing, both insert: the customer pays twice. Tests never show it, because
they send one request at a time. A transaction around look and insert changes
nothing under READ COMMITTED, the default of PostgreSQL, and the row that could
be locked is not there yet.

# Before and after

	var id int64
	err := db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = db.ExecContext(ctx, "INSERT INTO payments (reference, cents) VALUES ($1, $2)", ref, cents)
	}

With a unique index on payments (reference), the database decides who is first,
and the other one reads what the first wrote:

	var id int64
	err := db.QueryRowContext(ctx, `INSERT INTO payments (reference, cents) VALUES ($1, $2)
		ON CONFLICT (reference) DO NOTHING RETURNING id`, ref, cents).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = db.QueryRowContext(ctx, "SELECT id FROM payments WHERE reference = $1", ref).Scan(&id)
	}

# How it decides

The look and the insert must be about one table (or entity, collection, key),
share a column, and the insert must be reached from the look only over branches
that say "nothing found": a sentinel such as sql.ErrNoRows or ErrNotFound, a nil
or zero result, an empty list, a count of zero, a false from EXISTS. Both may be
any number of calls away and in other packages. An update that met no row
counts as a look.

Unique rules are read from the SQL files of the common migration tools in the
module, from sqlc's schema, from the migrate/schema.go that ent generates, and
from the struct tags of gorm and bun. A rule whose column may be NULL, or that
holds for some rows only, is named.

The confidence is high where every step was seen; medium where any error of the
look counts as "not found", where the methods of an interface were judged by
their names, or where callers in other packages may handle the error; low where
part of the SQL text is not known.

# What it stays silent on

Insert first and look who won; a unique violation that is told apart anywhere
later in the function, around the transaction's closure or in a caller of the
same package; ON CONFLICT, ON DUPLICATE KEY, upserts, SET NX, $setOnInsert and
attribute_not_exists with a look at the answer; advisory and distributed locks,
LOCK TABLE, SERIALIZABLE; a parent row locked first; another look when the
insert failed; random codes drawn until one is free; a look at one table and an insert into
another; not found, then an update, an error or nothing; read-through caches,
maps and files; tables whose name is put together at run time.

# What it cannot see

Unique rules in migrations written in Go or kept in another repository; an
isolation level set in the database's configuration; callers in other packages
that handle the unique violation; a lock held by a caller in another package.
go vet keeps its results until the Go code changes and does not know of SQL
files: after a new migration, run it with -a or a clean cache.

# Configuration

schema: globs of the SQL files that create tables, in the order in which they
are applied, when they are not where the common tools keep them. guards: house
functions after whose call the code is left alone, such as a lock. See
.idemvet.yaml in the README of these pages. One finding is suppressed by
//idemvet:ignore existsinsert REASON on its line or the line above.

# Suggested fixes

ON CONFLICT DO NOTHING is added to an INSERT whose text is a plain literal for
PostgreSQL, where a unique rule in view covers the look and the code already
reads the row count, or ErrNoRows after RETURNING.

Since v0.1.0.
*/
package existsinsert
