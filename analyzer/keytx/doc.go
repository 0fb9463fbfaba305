// Package keytx defines an Analyzer that finds idempotency records which are not kept in one transaction with the work that they stand for.
//
// # Analyzer keytx
//
// keytx: find keys that are not kept in one transaction with their work
//
// An idempotency record says "this is done". It is true only if it is kept exactly when the work is: in the same transaction.
// The analyzer looks at every function that writes such a record and something else, itself or through what it calls, and
// compares what the two run on.
//
// # What it reports
//
//   - key-outside-tx (error): the work is written in a transaction and the key is not, though its call stands between begin
//     and commit: it goes over the pool, in another transaction, or is the one repository call that is not given tx.
//   - key-after-commit (error): the key is written when the work is committed already, so that a crash between the two loses
//     it. The message says so when the error of that write is only logged or dropped.
//   - key-before-tx (error): the key is claimed and kept before the work begins, and nothing completes the claim or takes it
//     back when the work fails.
//   - redis-beside-tx (error): the key is set in Redis before the transaction of the work is committed, or after work that
//     has none.
//   - work-outside-tx (error): the key is written in a transaction, and part of the work goes over the pool, beside it.
//   - work-after-commit (warning): part of the work comes after the commit that keeps the key.
//   - no-transaction (error): key and work are written one after the other, and no transaction holds both.
//   - key-error-lost (error): a call that by its name keeps the key comes after the work, and its error is only logged or
//     dropped. It may be one of an interface, of which no body is in view.
//   - handler-outside-tx (error): a handler of idemgen's generated interface, or a callback of its runtime, writes through the
//     pool, through a repository that is bound to the pool, or in a transaction that it starts itself, also in functions that
//     it calls. The runtime keeps the key in the transaction that it gives to the handler.
//   - handler-reads-outside-tx (info): a handler of idemgen's generated interface, or a callback of its runtime, reads outside its
//     transaction. Below the default confidence.
//
// # Why
//
// A payment service committed the booking and saved the key in the next line. It was restarted between the two. The client,
// which had no answer, sent the request again; the service found no key and booked again. The opposite order is no better:
// the key was saved first, the booking failed, and each retry was told that all was well. Neither shows in a test, for
// nothing fails between two lines of a test.
//
// # Before and after
//
//	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
//		if err := s.orders.Create(ctx, tx, order); err != nil {
//			return err
//		}
//		_, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
//		return err
//	})
//
// becomes
//
//	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
//		if err := s.orders.Create(ctx, tx, order); err != nil {
//			return err
//		}
//		_, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
//		return err
//	})
//
// The suggested fix does that where the statement stands in the function itself, the variable of the transaction is in scope
// and has the same method.
//
// # What it stays silent on
//
//   - Key and work on one transaction, through any helper, repository or queries that are bound to it, or by the context;
//     savepoints; one batch; one statement; a key that is a column of the row.
//   - Lease mode: a key that is claimed first, with a look at who won, and completed or released later. That is right where
//     something outside the database is done in between.
//   - A look at the key on the pool before the transaction.
//   - A copy of the key in Redis after the commit, where a table has the key.
//   - Writes on a path that is taken only after a failure, deferred ones, and those to tables of logs, audit lines, metrics and
//     projections.
//   - A function that runs on what its callers give it.
//
// # What it cannot see
//
//   - Keys that a middleware keeps around the handler, or a table whose name does not tell that it holds keys and that the
//     setting key-tables does not name.
//   - What a repository of an interface type runs on, when several types implement it. Then it compares calls only: one that is
//     not given the transaction among others that are.
//   - Transactions that are begun with SQL text on one connection.
//   - Whether a claim that is released or completed is fenced against a second owner.
//
// # Configuration
//
//   - key-tables: further tables, collections and key prefixes that hold idempotency records.
//
// Since v0.1.0.
package keytx
