// Package gocode writes the Go package that keeps an API's idempotency promise: one interface to implement, a typed request
// and typed answers for each keyed operation, and their registration.
//
// In: a [policy.Document] and the name of the package. Out: a handful of formatted Go files as values, and a warning for
// each place where a document cannot be typed faithfully. It must never know how a document is parsed or where a file is
// written, and it never refuses a whole document for one part of it.
//
// The way is: names (naming.go) -> plan (plan.go; operation.go, typing.go and routes.go decide what there is, over the types of
// types.go and the schemas of reach.go) -> one renderer a file (handlers.go, requests.go, responses.go, readers.go, models.go,
// policies.go, and roundtrip.go for the test) -> imports grouped and formatted (file.go). What can be a function in runtime or
// runtime/wire is not generated.
//
// Everything a document says is hostile: names become Go identifiers through [scope] only, text becomes comments through
// [doc] only, and everything else is a quoted literal.
package gocode
