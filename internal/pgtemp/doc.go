// Package pgtemp starts a throw-away PostgreSQL server for tests, benchmarks, the demo and the example.
//
// In: options and whatever PostgreSQL binaries the machine has; out: a running [Server] with a URL, on 127.0.0.1 and a
// Unix socket, in a temporary folder that goes away with it, even when this process is killed. It must never touch a
// server that it did not start, and knows nothing of idempotency.
package pgtemp
