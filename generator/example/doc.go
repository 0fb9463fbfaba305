// Package example makes values and requests that a document allows, and says whether a given value is one.
//
// In: a [policy.Schema], or a keyed [policy.Operation] with a key. Out: JSON values and complete requests, the
// document's own examples where they are valid, made ones elsewhere; the same for the same document each time. It must
// never know what is done with them, and it sends nothing.
//
// What is valid is decided by the calls of runtime/wire that generated code makes, so that a request made here is one
// that a generated wrapper takes.
package example
