// Package directive defines an Analyzer that checks what a team tells idemvet: its //idemvet:ignore comments and its settings file.
//
// # Analyzer idemvetdirective
//
// idemvetdirective: check //idemvet:ignore comments and .idemvet.yaml
//
// A comment or a setting that is misspelt does nothing, and does so in silence.
// This analyzer says so.
//
// # What it reports
//
//   - malformed-ignore (warning): a comment that was meant to be a directive and is none: no analyzer, no reason, a space after //, a block comment, a directive that does not exist.
//   - unknown-analyzer (warning): a directive that names an analyzer which idemvet does not have.
//
// A settings file that cannot be obeyed is no finding but an error: the message
// has file, line and column, the driver fails, and the other analyzers go on
// without the file.
//
// Directives that are well-formed and rule nothing out are reported by the
// analyzers that they name, in the category unused-ignore.
//
// # Why
//
// A suppression is a promise to the next reader: somebody looked, and this is
// why it is right. One without a reason, or one that never had an effect, is
// a promise that nobody made.
//
// # Before and after
//
//	key := uuid.NewString() // idemvet:ignore retrykey every attempt is a new order
//
// becomes
//
//	key := uuid.NewString() //idemvet:ignore retrykey every attempt is a new order
//
// # What it stays silent on
//
// Test files, unless the settings ask for them (tests: true).
//
// # What it cannot see
//
// Whether a reason is a good one.
//
// # Configuration
//
// None. Switch it off with -idemvetdirective=false; a broken settings file is
// then left aside without a word.
//
// Since v0.1.0.
package directive
