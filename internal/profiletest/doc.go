// Package profiletest runs one payments API under any profile, as a server that drills and providers' own clients can be sent
// against.
//
// In: the name of a profile, a mode, an OpenAPI document of its own where the small one does not do, a database where memory
// does not. Out: a server on a port of this machine with the policy that it publishes, its clock, and the number of effects
// that a key has had. It must never know what a profile says: everything comes from the document, by the generator's way.
//
// It is no example: twenty services that differ in one line of a document would teach nobody more than the one in
// examples/payments does.
package profiletest
