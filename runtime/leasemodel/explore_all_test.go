package leasemodel_test

import (
	"flag"
	"fmt"
	"testing"
)

var wide = flag.String("leasemodel.bounds", "", "explore within other bounds: clients,recoveries,attempts,ends of leases")

// TestLeaseMode_I1_I6_I7_I8_EveryOrder tries all that can happen to one key: two clients and a recovery, two attempts each,
// each of which can crash at any moment, and leases that end.
func TestLeaseMode_I1_I6_I7_I8_EveryOrder(t *testing.T) {
	b := ordinary
	if *wide != "" {
		if _, err := fmt.Sscanf(*wide, "%d,%d,%d,%d", &b.clients, &b.recoveries, &b.attempts, &b.rests); err != nil {
			t.Fatalf("-leasemodel.bounds=%s: %v", *wide, err)
		}
	}
	r := explore(t, b, fault{})
	t.Logf("%s: %s", b, r)
	if r.broken != "" {
		t.Error("an invariant is broken")
	}
}

// TestLeaseMode_I1_I6_I7_I8_FindsWhatIsSwitchedOff shows that the exploration would find it.
func TestLeaseMode_I1_I6_I7_I8_FindsWhatIsSwitchedOff(t *testing.T) {
	b := bounds{clients: 1, recoveries: 1, attempts: 2, rests: 2, crash: true}
	for name, f := range map[string]fault{
		"the fence": {unfenced: true},
		"the key for the other side, the same for each attempt": {randomKey: true},
		"the comparison before a takeover":                      {blind: true},
		"one transaction for the last write and the record":     {separate: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := explore(t, b, f)
			t.Logf("%s: %s", b, r)
			if r.broken == "" {
				t.Error("nothing is found")
			}
		})
	}
}
