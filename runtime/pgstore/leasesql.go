package pgstore

import "strings"

// The statements of lease mode. They run at READ COMMITTED, in transactions of the store's own; but for the fenced writes
// of a worker's transaction, which run at the level that the store was told.
//
// clock_timestamp() and not now(), so that no wait and no work before the statement makes a lease shorter than it is.
const (
	// Never DO UPDATE, which would lock and so write to a live row for every duplicate.
	claimLeaseSQL = `INSERT INTO TABLE (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, body, lease_until, epoch, request, steps)
SELECT clock.now, 'infinity'::timestamptz, $3::uuid, 0::smallint, 1::smallint, $5::smallint, $1::bytea, $2::bytea, $6::bytea, $7::text, ''::bytea, NULL::bytea,
clock.now + $4::interval, 1::bigint, $8::bytea, ''::bytea
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock
ON CONFLICT (scope, key) DO NOTHING RETURNING epoch, created_at`

	// An expired row becomes the claim in one statement, so of several that try one wins and the others find nothing to do.
	replaceSQL = `UPDATE TABLE SET created_at = clock.now, expires_at = 'infinity'::timestamptz, attempt = $3::uuid, status = 0::smallint, body_state = 1::smallint,
fingerprint_version = $5::smallint, fingerprint = $6::bytea, operation = $7::text, headers = ''::bytea, body = NULL::bytea,
lease_until = clock.now + $4::interval, epoch = 1::bigint, request = $8::bytea, steps = ''::bytea
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock
WHERE scope = $1::bytea AND key = $2::bytea AND expires_at <= clock_timestamp() RETURNING epoch, created_at`

	heldColumns = `epoch, created_at, attempt, operation, fingerprint_version, fingerprint, request, steps`

	// The compare-and-set takes the owner too: a row that was released and claimed anew begins with epoch 1 again.
	//
	// An epoch that a damaged row has lost counts as the first one, so that somebody tells of the row. A lease whose end it has lost is
	// not over: nobody knows that its worker is gone.
	overtakeSQL = `UPDATE TABLE SET epoch = coalesce(epoch, 1) + 1, attempt = $3::uuid, lease_until = clock_timestamp() + $4::interval
WHERE scope = $1::bytea AND key = $2::bytea AND status = 0 AND coalesce(epoch, 1) = $5::bigint AND attempt = $6::uuid
AND lease_until <= clock_timestamp()
RETURNING ` + heldColumns

	mineSQL = `SELECT ` + heldColumns + ` FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea AND status = 0 AND attempt = $3::uuid`

	lookSQL = `SELECT expires_at > clock_timestamp(), created_at, expires_at, attempt, status, body_state, fingerprint_version, fingerprint, operation, headers, body,
epoch, steps, greatest(0, (extract(epoch FROM least(greatest(coalesce(lease_until, 'infinity'), to_timestamp(0)), clock_timestamp() + interval '100 years') - clock_timestamp()) * 1000000)::bigint)
FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea`

	// fenced is what lets a write count only while its worker holds the row.
	fenced = ` WHERE scope = $1::bytea AND key = $2::bytea AND status = 0 AND epoch = $3::bigint AND attempt = $4::uuid`

	renewSQL = `UPDATE TABLE SET lease_until = clock_timestamp() + $5::interval` + fenced

	// The stored steps have to be the beginning of the new ones: a statement of a lost connection that the server gets to
	// only when later ones have been written takes no step back.
	advanceSQL = `UPDATE TABLE SET steps = $5::bytea, lease_until = clock_timestamp() + $6::interval` + fenced + ` AND substring($5::bytea FROM 1 FOR length(steps)) = steps`

	finishSQL = `UPDATE TABLE SET created_at = clock.now, expires_at = clock.now + $5::interval, status = $6::smallint, body_state = $7::smallint, headers = $8::bytea, body = $9::bytea,
lease_until = NULL, epoch = NULL, request = NULL, steps = NULL
FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock` + fenced

	releaseSQL = `DELETE FROM TABLE` + fenced

	// In a worker's transaction the write and COMMIT are sent together, so a write that finds no row has to fail by itself,
	// for the commit not to happen. The text is cast only then; it stands in the server's log, and is how leaseLost knows it.
	// It tells apart a row that the statement saw under the fence, and that was not written all the same.
	insistSQL = `WITH written AS (WRITE RETURNING 1) SELECT (CASE WHEN count(*) = 1 THEN '1'
WHEN EXISTS (SELECT FROM TABLE` + fenced + `) THEN '` + lostText + seenText + `' ELSE '` + lostText + `' END)::integer FROM written`
	lostText = `idempotency: the lease was lost`
	seenText = `, or the record was not written`

	// The order is that in which leases ended, so that each record has its turn. It costs a look at all that is in progress, some
	// 100 ms where that is 100,000, and recovery asks accordingly seldom. By created_at it would end after the first rows of the
	// index, within 1 ms; but old work that fails each time, of which there may be much, would keep newer work from its turn for
	// ever. An index on lease_until would be written by each heartbeat, which costs none now.
	//
	// The array is made once, before the outer part runs, and finds its rows by their place, however large the table is. The
	// partitions of a table have the same places, so a row is told by its partition too. What has the caller's token already was
	// taken by a try of the same call whose answer was lost.
	takeOverSQL = `WITH due AS (
SELECT tableoid, ctid FROM TABLE WHERE status = 0 AND (lease_until <= clock_timestamp() OR attempt = $4::uuid) AND operation = ANY ($1::text[])
ORDER BY attempt <> $4::uuid, lease_until LIMIT $3::bigint FOR UPDATE SKIP LOCKED)
UPDATE TABLE AS held SET epoch = coalesce(held.epoch, 1) + 1, attempt = $4::uuid, lease_until = clock_timestamp() + asked.lease * interval '1 microsecond'
FROM unnest($1::text[], $2::bigint[]) AS asked (name, lease)
WHERE held.operation = asked.name AND held.ctid = ANY (ARRAY(SELECT ctid FROM due)) AND (held.tableoid, held.ctid) IN (SELECT tableoid, ctid FROM due)
RETURNING held.scope, held.key, ` + heldColumns

	backlogSQL = `SELECT count(*), count(*) FILTER (WHERE lease_until <= clock.now),
coalesce((extract(epoch FROM max(CASE WHEN isfinite(lease_until) THEN clock.now - lease_until END)) * 1000000)::bigint, 0)
FROM TABLE, (SELECT clock_timestamp() AS now OFFSET 0) AS clock WHERE status = 0 AND operation = ANY ($1::text[])`
)

// leaseStatements are the statements of lease mode for one table.
type leaseStatements struct {
	claim, replace, overtake, mine, look string
	renew, advance, finish, release      string
	insistOnAdvance, insistOnFinish      string
	takeOver, backlog                    string
}

func leaseStatementsFor(table string) leaseStatements {
	name := quoteTable(table)
	on := func(sql string) string { return strings.ReplaceAll(sql, "TABLE", name) }
	insist := func(sql string) string { return on(strings.Replace(insistSQL, "WRITE", sql, 1)) }
	return leaseStatements{
		claim: on(claimLeaseSQL), replace: on(replaceSQL), overtake: on(overtakeSQL), mine: on(mineSQL), look: on(lookSQL),
		renew: on(renewSQL), advance: on(advanceSQL), finish: on(finishSQL), release: on(releaseSQL),
		insistOnAdvance: insist(advanceSQL), insistOnFinish: insist(finishSQL),
		takeOver: on(takeOverSQL), backlog: on(backlogSQL),
	}
}
