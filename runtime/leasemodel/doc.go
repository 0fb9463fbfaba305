// Package leasemodel checks the protocol of lease mode by trying every order of its steps, with the engine's real code.
//
// In: bounds, such as how many clients there are and how often leases end. Out: a test that fails with the path to a state in
// which an invariant is broken. It must never know how the engine or the store does its work: it sees only what a store is
// asked, what the other side is asked and what a client is answered.
package leasemodel
