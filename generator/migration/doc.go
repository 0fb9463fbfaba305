// Package migration writes the SQL files that a policy needs, in the format of the migration tool a project uses.
//
// In: a policy.Document, the steps of the store's schema and the files that the target folder holds already, all as
// values. Out: only the files that are missing, each numbered after what is there; a file that was issued once is never
// written again, and one that was changed since is reported. It must never know a disk, a clock or a database.
//
// What the schema needs does not depend on the policy: there is one keys table, and its steps carry their own numbers.
// What does depend on it is one unique constraint per guard. Each issued file says what it holds in a marker line, so
// the folder itself is the record of what was issued, and no state is kept beside it:
//
//	-- idemgen:schema 1 sha256:...
//	-- idemgen:guard idemgen_payments_account_id_idem_key_key sha256:...
//
// The hash covers the whole file but itself, with line ends normalised, as git may have changed them.
package migration
