//go:build race

package leasemodel_test

// ordinary is narrower under the race detector, which makes every path many times as long.
var ordinary = map[string]bounds{
	"two clients":                 {clients: 2, recoveries: 1, attempts: 2, rests: 1, crash: true},
	"something is lost":           {clients: 1, recoveries: 1, attempts: 2, rests: 1, losses: 1, crash: true},
	"something is lost, one step": {clients: 1, recoveries: 1, attempts: 2, rests: 1, losses: 1, outside: true, crash: true},
}
