// Package config reads idemgen.yaml, the file that says what a run of idemgen reads and where its outputs go.
//
// In: the file's bytes, and what command-line flags say on top. Out: one plain [Config] with every default filled in, or
// findings with file, line and column. It must never know a disk, nor what is done with what it names.
//
// The grammar is published as a JSON Schema in docs/schema/config-v1.schema.json; the table in members.go is its twin,
// and a test keeps the two equal.
package config
