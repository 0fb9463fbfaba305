//go:build unix

package crash

import (
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

var (
	seed   = flag.Uint64("seed", 0, "what trials are made of; 0: another each time")
	trials = flag.Int("trials", 100, "how many trials")
)

func TestMain(m *testing.M) {
	RunService()
	os.Exit(m.Run())
}

// start carries trials out, or skips where there is no PostgreSQL.
func start(t *testing.T, o Options) *Report {
	t.Helper()
	if o.Seed = *seed; o.Seed == 0 {
		o.Seed = NewSeed()
	}
	t.Logf("-seed %d", o.Seed)
	report, err := Run(context.Background(), o)
	if errors.Is(err, pgtemp.ErrNotFound) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// The matrix, and what random adds to it: whatever happens at whichever point, each key has one effect, one row, one
// record and one answer, and nothing stays in progress.
func TestCrash_A2_A6_A8_I1_I2_I3_I6_I8_Matrix(t *testing.T) {
	report := start(t, Options{Trials: *trials, Progress: func(done, of int) {
		if done%20 == 0 {
			t.Logf("%d of %d", done, of)
		}
	}})
	t.Log("\n" + report.String())
	for _, v := range report.Violations {
		t.Errorf("%v\n\t%q", v, v.Log)
	}
	for _, missed := range report.Missed() {
		t.Errorf("never struck: %s", missed)
	}
}

// A harness that finds nothing proves nothing: with one of the three things switched off that keep an effect single, it
// has to find the promise broken, each in its own way.
func TestCrash_FindsWhatIsSwitchedOff(t *testing.T) {
	for _, test := range []struct {
		off  Switch
		want []ViolationKind // one of them
	}{
		{NoFence, []ViolationKind{Rows, Effects}},
		{NoDerivedKey, []ViolationKind{Effects}},
		{OwnTransaction, []ViolationKind{Rows}},
	} {
		t.Run(string(test.off), func(t *testing.T) {
			report := start(t, Options{Trials: 200, Off: test.off, StopAtFirst: true})
			for _, v := range report.Violations {
				if slices.Contains(test.want, v.Kind) {
					t.Logf("found within %d trials, after %v: %v", report.Trials, report.Took, v)
					return
				}
			}
			t.Errorf("not found in %d trials; what was found is %v", report.Trials, report.Violations)
		})
	}
}
