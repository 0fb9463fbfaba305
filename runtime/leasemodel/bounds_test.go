//go:build !race

package leasemodel_test

// ordinary is how far each exploration goes. What is lost multiplies the states, so there is one client fewer where
// something is.
var ordinary = map[string]bounds{
	"two clients":                 {clients: 2, recoveries: 1, attempts: 2, rests: 2, crash: true},
	"something is lost":           {clients: 1, recoveries: 1, attempts: 2, rests: 2, losses: 1, unclear: 1, crash: true},
	"something is lost, one step": {clients: 1, recoveries: 1, attempts: 2, rests: 2, losses: 1, unclear: 1, outside: true, crash: true},
}
