// Command payouts is a complete service in lease mode: a payouts API whose requests are safe to retry although a bank, which
// no database transaction covers, does the paying.
//
// In: HTTP requests with a bearer token and an idempotency key. Out: payouts, each made once however often it is asked for
// and whatever dies meanwhile. What you write yourself is in this folder, service.go above all; api, docs and all migrations
// but the first are generated from openapi.yaml by
//
//	go generate ./examples/payouts
//
// It runs with no set-up, on the database in DATABASE_URL, else on a PostgreSQL that it finds and starts in a temporary
// folder, else in memory. The bank and the mailer are servers of its own, in fake.go:
//
//	go run ./examples/payouts
package main

//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate
