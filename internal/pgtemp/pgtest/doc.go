// Package pgtest gives a test a fresh, empty PostgreSQL database.
//
// In: a testing.TB; out: the URL of a database of its own, on one server per test binary, dropped when the test ends.
// It knows nothing of what the test does with it. Without PostgreSQL the test is skipped; where CI is true it fails,
// so that a pipeline never passes by skipping.
package pgtest
