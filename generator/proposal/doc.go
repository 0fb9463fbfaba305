// Package proposal writes the overlay that a policy starts with.
//
// In: a policy.Document of which little or nothing is decided. Out: the text of an OpenAPI Overlay 1.0.0 that decides the
// operations whose key the document declares already, and lists every other POST and PATCH as a commented action, with
// the reason why it may matter. It must never know a disk, and it decides nothing by guessing: what is only likely stays
// a comment.
package proposal
