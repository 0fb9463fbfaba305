// Package policy is the data model that every room of idemgen shares.
//
// In: nothing but values; [Document] is filled by generator/spec from an OpenAPI document, its overlays and the profiles
// kept here as data. Out: plain, sorted structs that the wrapper, the migration, the page, the client, the audit, the
// diff and the drill are functions of, and that generated code carries as literals.
//
// It must never know how a document is parsed, where a record is stored or how an answer is sent: it imports the
// standard library only, holds no state, and every type in it is safe to read from many goroutines once built.
package policy
