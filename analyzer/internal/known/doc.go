// Package known says what the functions, fields and types of the standard library and of the libraries that Go programs use mean for idempotency keys: which mint a value, which keep it, which make a key of it, which call a function again until it succeeds.
// What comes in is an object of go/types; what goes out is a row of a table, one file per topic and one line per function, and a test that each row names something that exists.
// It must never know a function's body, nor what is a bug.
package known
