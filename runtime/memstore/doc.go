// Package memstore keeps records in memory: for tests, and for a demo without a database.
//
// In: the claims and commits of a runtime.Engine, and effects staged with [OnCommit]. Out: the same promises as a database
// gives, as long as the process lives: effects and record become visible together or not at all. It must never pretend to
// be a database: the transaction that a handler is given refuses SQL with one clear sentence.
package memstore
