// Package compat says what a change of a policy means to those who rely on it: two documents in, the changes out, each
// breaking, compatible or editorial, with its place in both documents.
//
// In: two values of policy.Document. Out: changes, each with a stable rule, a sentence for whoever calls the API, a way to
// make it compatible, and the steps of operation that it needs (a migration, a quiet hour). It must never know where a
// document came from, how a promise is kept, or how a change is printed.
//
// What a member of a policy means when it changes stands in one table, a row for each member (rows.go); a test holds the
// table against the structs of package policy.
package compat
