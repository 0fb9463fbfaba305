// Package modeltest holds a runtime.LeaseStore against a model of it: a map, and what each operation says it does.
//
// In: a function that opens the store, as package storetest has it, with a clock that can be moved. Out: a test that fails
// with the shortest sequence of operations it can find after which store and model differ. It must never know what a store
// is made of; it asks nothing that the contract does not promise.
package modeltest
