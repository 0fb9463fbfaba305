// Command idemgen turns the x-idempotency policy of an OpenAPI document into typed Go handler wrappers, SQL migrations and
// the policy's published text.
//
// In: arguments, idemgen.yaml, an OpenAPI document and its overlays. Out: files, findings with their place in the document,
// and an exit code: 0 done, 1 the answer is no (stale outputs, or errors in the document), 2 the question could not be
// asked (usage, configuration, a file that cannot be read or written). It must never know more than that: each command is
// flags, one call, an exit code.
//
// Run "idemgen help" for the commands.
package main
