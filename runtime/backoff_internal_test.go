package runtime

import (
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// How long work rests follows from how long it has been under way, and not from how many workers it has had: under kills and
// overload leases are lost for reasons that have nothing to do with the work.
func TestBackoff_A5_GrowsWithTheAgeOfTheWork(t *testing.T) {
	op := Operation{Policy: policy.Policy{Lease: policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}}}
	slow := Operation{Policy: policy.Policy{Lease: policy.Lease{Duration: time.Hour, Heartbeat: 10 * time.Minute}}}
	for _, c := range []struct {
		name    string
		op      *Operation
		age     time.Duration
		longest time.Duration
	}{
		{"new", &op, 0, 10 * time.Second},
		{"of a clock that is behind", &op, -time.Hour, 10 * time.Second},
		{"under two heartbeats", &op, 19 * time.Second, 10 * time.Second},
		{"a minute old", &op, time.Minute, 30 * time.Second},
		{"an hour old", &op, time.Hour, 5 * time.Minute},
		{"a heartbeat over the bound", &slow, time.Hour, 10 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &plan{op: c.op}
			var most time.Duration
			for range 2000 {
				pause := p.backoff(c.age)
				if pause < 0 || pause >= c.longest {
					t.Fatalf("a pause of %v, want less than %v", pause, c.longest)
				}
				most = max(most, pause)
			}
			if most < c.longest*9/10 {
				t.Errorf("no pause over %v, want some near %v", most, c.longest)
			}
		})
	}
}
