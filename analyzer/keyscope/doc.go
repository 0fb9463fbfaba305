// Package keyscope defines an Analyzer that finds idempotency records which are looked up by the client's key alone.
//
// # Analyzer keyscope
//
// keyscope: find idempotency records that are looked up by the client's key alone
//
// A key is chosen by a client, so it tells that client's requests apart and no others. Two clients may choose the same one, by
// chance (order-1) or on purpose. A record belongs to whoever sent the key: tenant, account, user and key together name it.
//
// # What it reports
//
//   - unscoped-lookup (warning or info): a record is read by the key of a request and by nothing that says whose it is.
//   - unscoped-claim (warning or info): an insert that arbitrates between simultaneous requests conflicts on the key alone, or
//     SET NX in Redis has a name of the key alone.
//
// The confidence is high where the key is read from a request and the package knows of owners, or keeps records with theirs;
// medium where only one of these holds; else low, and an info.
//
// # Why
//
// A platform kept answers by the key alone. One customer's integration numbered its keys from 1, and so did another's. The
// second was given the first one's answer, with the name and the last digits of the card of a stranger in it, and its own
// payment was not made. A client that guesses keys can do the same on purpose.
//
// # Before and after
//
//	key := r.Header.Get("Idempotency-Key")
//	row := db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, key)
//
// becomes
//
//	key := r.Header.Get("Idempotency-Key")
//	row := db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE account_id = $1 AND key = $2`, account, key)
//
// with a unique index on (account_id, key).
//
// # What it stays silent on
//
//   - A column that says whose the record is (tenant, account, merchant, user, client and more), in the condition, in the target
//     of the conflict, or among the columns that are read and compared afterwards.
//   - A key that is made of both: joined, formatted, hashed, or by a helper.
//   - A table or a schema for each tenant.
//   - Keys that are not a client's: ids of messages and events, ids made of an order's, keys that the program sends itself.
//   - Updates and deletes of a record that was found before.
//
// # What it cannot see
//
//   - That a service has one client only. A directive says so.
//   - Row-level security of the database, and a connection per tenant.
//   - Look-ups behind an interface that several types implement.
//   - An owner that is known to a helper of another package only by what it keeps in itself.
//
// # Configuration
//
//   - scope: further names of columns, fields and parameters that say whose a key is.
//   - key-names and key-tables: further names of keys and of the tables that hold them.
//
// Since v0.1.0.
package keyscope
