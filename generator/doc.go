// Package generator is a whole run of idemgen as one call.
//
// In: a configuration and the folder it stands in, to read. Out: every generated file as a value and every finding, in an
// order that depends on the input alone. It must never know a flag, a terminal or how a file is written: it calls
// the rooms below it, side by side where they do not need each other, and joins what they return.
package generator
