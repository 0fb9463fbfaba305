//go:build !race

package crash

// slowed is how much slower everything is under the race detector, which this is not.
const slowed = 1
