// Package realspecs gives tests the documents of real APIs, which are not part of this repository.
//
// In: the name of a document; out: its path, in the folder shared/specs beside the repository. It knows nothing of what is
// in a document. Without the folder the test is skipped; where CI is true it fails, so that a pipeline never passes by
// skipping.
package realspecs
