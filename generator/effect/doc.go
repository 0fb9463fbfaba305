// Package effect says what an operation does when it is repeated, as far as its document tells.
//
// In: an operation with its names, path, tags, summary and the members of its body. Out: one kind, and the word or member
// that suggests it, with its place. It must never know what follows from a kind: it is a guess that a person confirms,
// and it decides nothing.
package effect
