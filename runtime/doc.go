// Package runtime is what generated code calls to keep the promise that a request with an idempotency key has one effect.
//
// In: an HTTP request, an [Operation] with its policy, a [Store] and the function that says who is asking. Out: exactly
// one committed effect per scope and key, and the same answer for every repetition of the request. It must never know
// which database a store uses or what a handler does; beside the standard library it imports only a parser for Structured
// Fields (github.com/dunglas/httpsfv).
//
// The way of a request is read top to bottom in engine.go and transaction.go:
//
//	key, scope, fingerprint (pure) -> gate -> store -> handler with its transaction -> captured answer -> commit -> send
//
// In lease mode it goes on in leaserun.go, the handler runs in worker.go with its steps.go and complete.go, and what it came to
// is settled in settle.go. What stops on the way is taken up by the next request, or by recovery.go:
//
//	gate -> claim of a lease -> handler with its steps, under a heartbeat -> completion, or a later worker -> send
package runtime
