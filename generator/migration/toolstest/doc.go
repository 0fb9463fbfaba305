// Package toolstest runs the migrations of generator/migration with the tools they are written for, on a real PostgreSQL.
//
// It is a module of its own, so that the tools stay out of the main one: run go test ./... in this folder. It has no code
// but tests; without PostgreSQL they are skipped, and fail where CI is true.
package toolstest
