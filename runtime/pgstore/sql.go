package pgstore

import (
	"strings"

	"github.com/jackc/pgx/v5"
)

// statements are the store's SQL for one table. Every parameter has a cast, so that a statement means the same when it is
// prepared, described or sent with literals in it, as poolers ask for.
type statements struct {
	find          string
	insert        string
	deleteExpired string
	placeholder   string
	complete      string
	commit        string
	lease         leaseStatements
}

// These do not depend on the table.
const (
	// Advisory locks and looks work on a standby too, so the session is asked whether it can write: the answer of a claim
	// that no record can follow would have a handler run in vain, and a standby may lag behind.
	tryLockSQL  = `SELECT pg_try_advisory_xact_lock($1::bigint), current_setting('transaction_read_only') = 'on'`
	waitLockSQL = `SELECT pg_advisory_xact_lock($1::bigint), current_setting('transaction_isolation')`
	// boundSQL limits how long the next statements wait for locks, until unboundSQL; the handler's own statements find
	// the setting as it was.
	boundSQL   = `SELECT set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1::text, true)`
	unboundSQL = `SELECT set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`
)

// clock_timestamp() and not now(): now() is when the transaction began, before the handler ran and before any waiting.
const (
	findSQL = `SELECT expires_at > clock_timestamp(), created_at, expires_at, attempt, status, body_state, fingerprint_version, fingerprint, operation, headers, body
FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea`

	// OFFSET 0 keeps the clock from being read twice: expires_at - created_at is the retention to the microsecond.
	insertSQL = `INSERT INTO TABLE (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, body)
SELECT clock.now, clock.now + $3::interval, $4::uuid, $5::smallint, $6::smallint, $7::smallint, $1::bytea, $2::bytea, $8::bytea, $9::text, $10::bytea, $11::bytea
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock`

	deleteExpiredSQL = `DELETE FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea AND expires_at <= clock_timestamp()`

	// A placeholder is expired from the start: should one ever be committed, by whatever mistake, it counts as absent.
	placeholderSQL = `INSERT INTO TABLE (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, body)
SELECT clock.now, clock.now, '00000000-0000-0000-0000-000000000000'::uuid, 100::smallint, 1::smallint, 0::smallint, $1::bytea, $2::bytea, ''::bytea, '', ''::bytea, NULL::bytea
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock
ON CONFLICT (scope, key) DO NOTHING RETURNING true`

	completeSQL = `UPDATE TABLE SET created_at = clock.now, expires_at = clock.now + $3::interval, attempt = $4::uuid, status = $5::smallint,
body_state = $6::smallint, fingerprint_version = $7::smallint, fingerprint = $8::bytea, operation = $9::text, headers = $10::bytea, body = $11::bytea
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock
WHERE scope = $1::bytea AND key = $2::bytea`
)

func statementsFor(table string, options pgx.TxOptions) statements {
	name := quoteTable(table)
	on := func(sql string) string { return strings.Replace(sql, "TABLE", name, 1) }
	s := statements{
		find:          on(findSQL),
		insert:        on(insertSQL),
		deleteExpired: on(deleteExpiredSQL),
		placeholder:   on(placeholderSQL),
		complete:      on(completeSQL),
		commit:        "commit",
		lease:         leaseStatementsFor(table),
	}
	if options.CommitQuery != "" {
		s.commit = options.CommitQuery
	}
	return s
}
