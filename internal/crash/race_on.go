//go:build race

package crash

// slowed is how much slower everything is under the race detector, roughly.
const slowed = 2
