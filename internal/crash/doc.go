// Package crash kills a real service at every step of the protocol and counts what became of its requests.
//
// In: a PostgreSQL server of its own, a number of trials and a seed; out: a [Report] of effects, rows, answers and records
// for each key, which names every one that is not once and the same. It must never reach into the product: the service
// under test is a process like any other, which tells where it is from its own handler and from a wrapper around its store.
package crash
