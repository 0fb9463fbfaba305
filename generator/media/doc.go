// Package media tells how a body of a media type is read and written.
//
// In: a media type or a range of them, with its schema where that decides. Out: one of five kinds. It must never know how
// code for a kind looks, or how a kind is encoded.
package media
