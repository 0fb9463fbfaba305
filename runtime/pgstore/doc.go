// Package pgstore keeps idempotency records in PostgreSQL, in the transaction of the work they stand for.
//
// In: a pgx pool and a table that [SchemaSteps] describes. Out: a runtime.Store whose transactions are pgx.Tx, which
// takes as many round trips and commits as the bare transaction takes. It must never know what HTTP is, what a handler
// does or which policy chose an id; it starts no goroutine that outlives a request by more than a rollback.
package pgstore
