// Command payments is a complete service made with idemgen: a payments API whose requests are safe to retry.
//
// In: HTTP requests with a bearer token and an idempotency key. Out: payments and refunds, each made once however often it
// is asked for. What you write yourself is in this folder; api, docs and all migrations but the first are generated from
// openapi.yaml by
//
//	go generate ./examples/payments
//
// It runs with no set-up, on the database in DATABASE_URL, else on a PostgreSQL that it finds and starts in a temporary
// folder, else in memory:
//
//	go run ./examples/payments
package main

//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate
