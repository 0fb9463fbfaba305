//go:build race

package leasemodel_test

// ordinary is narrower under the race detector, which makes every path many times as long.
var ordinary = bounds{clients: 2, recoveries: 1, attempts: 2, rests: 1, crash: true}
