// Package parity measures package sqltext against two grammars that are kept well: PostgreSQL's own, and the MySQL parser of TiDB.
//
// It is a module of its own, so that the two stay out of the main one: run go test in this folder. IDEMVET_CORPUS names a folder whose SQL files and SQL constants in Go files are read too; -v lists every disagreement.
package parity
