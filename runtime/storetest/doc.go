// Package storetest is the conformance suite for runtime.Store: what any store has to do for the engine's promise to hold.
//
// In: a [Suite], which opens stores over fresh data and makes a business effect in a transaction. Out: one subtest for each
// thing the contract says, each named after it. It must never know what a store is made of: it sees claims, works, records
// and effects only.
package storetest
