//go:build unix

package crash

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// One seed makes the same trials each time, and the shortest run that make test has holds the whole matrix.
func TestPlans_AreTheSeeds(t *testing.T) {
	made := func(seed uint64) []Plan { return plans(*trials, rand.New(rand.NewPCG(seed, 0))) }
	if !reflect.DeepEqual(made(1), made(1)) {
		t.Error("one seed makes different trials")
	}
	if reflect.DeepEqual(made(1), made(2)) {
		t.Error("two seeds make the same trials")
	}
	if n := len(matrix()); n > 100 {
		t.Errorf("the matrix has %d trials, more than make test does", n)
	}
}

// The matrix kills a service at every point, in lease mode with each provider.
func TestMatrix_KillsEverywhere(t *testing.T) {
	all := matrix()
	for mode, providers := range map[Mode][]ProviderKind{Transaction: {Deduplicating}, Lease: {Deduplicating, LookedUp}} {
		for _, provider := range providers {
			for _, point := range points[mode] {
				if !slices.ContainsFunc(all, func(p Plan) bool {
					return p.Mode == mode && p.Provider == provider && slices.ContainsFunc(p.Faults, func(f Fault) bool { return f.Kind == Kill && f.Point == point })
				}) {
					t.Errorf("%s mode, provider %s: no kill at %q", mode, provider, point)
				}
			}
		}
	}
}

// A provider that does not know a call again cannot tell the one of a worker that was stopped and woken from its overtaker's.
func TestPlans_StopOnlyWhereCallsAreKnownAgain(t *testing.T) {
	for _, p := range plans(2000, rand.New(rand.NewPCG(3, 0))) {
		for _, f := range p.Faults {
			if f.Kind == Stop && p.Provider != Deduplicating {
				t.Fatalf("%+v", p)
			}
			if !slices.Contains(points[p.Mode], f.Point) {
				t.Fatalf("%+v has a point that its mode has not", p)
			}
		}
	}
}
