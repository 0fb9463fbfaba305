//go:build !race

package leasemodel_test

var ordinary = bounds{clients: 2, recoveries: 1, attempts: 2, rests: 2, crash: true}
