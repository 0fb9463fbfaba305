// Package audit says how far an OpenAPI document answers what has to be known before a request is repeated.
//
// In: a policy.Document, decided or bare, and what was found while it was read. Out: eight questions answered for each
// operation that may do something twice, findings with a rule, a place and a way to mend them, and a score; all of it as
// JSON, and the answers as a table. It must never know how a terminal, an editor or SARIF shows a finding, and it claims
// nothing that the document does not say: what follows from a name alone is marked as likely, and what nobody says is
// unknown.
package audit
