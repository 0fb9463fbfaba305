// Package pgstore keeps idempotency records in PostgreSQL, in the transaction of the work they stand for.
//
// In: a pgx pool and a table that [SchemaSteps] describes. Out: a runtime.Store whose transactions are pgx.Tx, which
// takes as many round trips and commits as the bare transaction takes. It must never know what HTTP is, what a handler
// does or which policy chose an id; it starts no goroutine that outlives a request by more than a rollback.
//
// # How a request goes
//
//	Claim   one round trip: BEGIN, try the id's advisory lock, look for its record
//	work    the handler's own statements, on the same transaction
//	Commit  one round trip: INSERT the complete record, COMMIT
//
// A record is written once, so there is no update, no dead row and nothing in progress that others could see. A
// repetition finds the record in its first round trip and writes nothing. The lock only makes that quick; what lets one
// of two commit is the table's primary key.
//
// In lease mode, work in progress has a row of its own, which others see:
//
//	ClaimLease   one round trip and commit: INSERT the row in progress, unless there is one; look
//	BeginFenced  the worker's transaction, as above, and in its last round trip: UPDATE the row if it is held still, COMMIT
//
// # Poolers
//
// Nothing outlives a transaction, so PgBouncer and its kin in transaction mode are fine. Poolers that do not follow
// prepared statements (PgBouncer before 1.21) need pgx to send none that are named: set DefaultQueryExecMode to
// pgx.QueryExecModeCacheDescribe or QueryExecModeExec in the pool's ConnConfig.
package pgstore
