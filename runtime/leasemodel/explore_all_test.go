package leasemodel_test

import (
	"flag"
	"fmt"
	"testing"
)

var wide = flag.String("leasemodel.bounds", "", "explore within other bounds: clients,recoveries,attempts,ends of leases,losses,times that the other side cannot tell")

// TestLeaseMode_I1_I6_I7_I8_R4_EveryOrder tries all that can happen to one key: two clients and a recovery, two attempts each,
// each of which can crash at any moment, and leases that end; and one client and a recovery, where besides one thing is lost
// on its way to the store or to the other side, or on its way back, and the other side cannot tell once.
func TestLeaseMode_I1_I6_I7_I8_R4_EveryOrder(t *testing.T) {
	for name, b := range ordinary {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *wide != "" {
				n, err := fmt.Sscanf(*wide, "%d,%d,%d,%d,%d,%d", &b.clients, &b.recoveries, &b.attempts, &b.rests, &b.losses, &b.unclear)
				if err != nil && n < 4 {
					t.Fatalf("-leasemodel.bounds=%s: %v", *wide, err)
				}
			}
			r := explore(t, b, fault{})
			t.Logf("%s: %s", b, r)
			if r.broken != "" {
				t.Error("an invariant is broken")
			}
		})
	}
}

// TestLeaseMode_I1_I6_I7_I8_R4_FindsWhatIsSwitchedOff shows that the exploration would find it.
func TestLeaseMode_I1_I6_I7_I8_R4_FindsWhatIsSwitchedOff(t *testing.T) {
	b := bounds{clients: 1, recoveries: 1, attempts: 2, rests: 2, crash: true}
	losing := b
	losing.losses, losing.outside = 1, true
	for name, c := range map[string]struct {
		bounds
		fault
	}{
		"the fence": {b, fault{unfenced: true}},
		"the key for the other side, the same for each attempt": {b, fault{randomKey: true}},
		"the comparison before a takeover":                      {b, fault{blind: true}},
		"one transaction for the last write and the record":     {b, fault{separate: true}},
		"what a worker is told of the one before it":            {losing, fault{unaware: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := explore(t, c.bounds, c.fault)
			t.Logf("%s: %s", c.bounds, r)
			if r.broken == "" {
				t.Error("nothing is found")
			}
		})
	}
}
