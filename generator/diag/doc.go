// Package diag holds what idemgen has to say about a user's files: findings with a position, a rule and a hint.
//
// In: findings from any room that reads a document. Out: one sorted, deduplicated list that the command line prints as
// text with the source line and a caret, or as JSON. It must never know what a rule means, and it never prints by itself.
package diag
