//go:build unix

package crash

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// String is the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) } // a Builder does not fail
	line("mode\tfault\tpoint\tstruck")
	for _, s := range slices.SortedFunc(maps.Keys(r.Struck), func(a, b struck) int {
		return cmp.Or(-strings.Compare(string(a.Mode), string(b.Mode)), strings.Compare(string(a.Kind), string(b.Kind)),
			slices.Index(points[a.Mode], a.Point)-slices.Index(points[b.Mode], b.Point))
	}) {
		line("%s\t%s\t%s\t%d", s.Mode, s.Kind, s.Point, r.Struck[s])
	}
	_ = w.Flush() // as above
	_, _ = fmt.Fprintf(&b, `
seed                       %d
lease                      %v
trials                     %d
requests with final answer %d
processes started          %d
effects at the providers   %d
keys with not one effect   %d
keys with not one row      %d
keys with not one record   %d
lost answers               %d
never answered             %d
stuck after recovery       %d
services that failed       %d
took                       %v
`, r.Seed, r.Lease.Round(time.Millisecond), r.Trials, r.Answered, r.Starts, r.Effects, r.Count(Effects), r.Count(Rows), r.Count(Records), r.Count(Answers),
		r.Count(Unanswered), r.Count(Stuck), r.Count(Service), r.Took.Round(time.Millisecond))
	return b.String()
}

// String is the sample in a line.
func (s Sample) String() string {
	return fmt.Sprintf("%8v  %9d requests  spared %v  killed %v  harness %v", s.At.Round(time.Second), s.Requests, s.Spared, s.Killed, s.Owner)
}

// String is the usage in a few words.
func (u usage) String() string {
	const mebi = 1 << 20
	return fmt.Sprintf("%3d MiB RSS, %3d MiB heap, %4d goroutines;", u.RSS/mebi, u.Heap/mebi, u.Goroutines)
}

// String is the report as a table.
func (r *LoadReport) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) } // a Builder does not fail
	line("request\tmode\tp50\tp99")
	for _, mode := range []Mode{Transaction, Lease} {
		for _, times := range []struct {
			name string
			of   [2]time.Duration
		}{{"new", r.Fresh[mode]}, {"repeated", r.Replays[mode]}} {
			line("%s\t%s\t%v\t%v", times.name, mode, times.of[0].Round(10*time.Microsecond), times.of[1].Round(10*time.Microsecond))
		}
	}
	line("")
	line("requests\t%d", r.Requests)
	line("  sent again\t%d", r.Retries)
	line("  sent late, for too many were under way\t%d", r.Overrun)
	line("intents\t%d", r.Intents)
	line("  in lease mode\t%d", r.LeaseIntents)
	line("effects at the provider, two for each in lease mode\t%d", r.Effects)
	line("kills\t%d", r.Kills)
	line("promises that were not kept\t%d", len(r.Violations))
	_ = w.Flush() // as above
	_, _ = fmt.Fprintf(&b, "\n%v\n%v\n", r.First, r.Last)
	return b.String()
}

// Grown says what has grown between the first sample and the last, in the processes that were not killed: memory by more
// than half and 32 MiB, goroutines by more than half and 100.
func (r *LoadReport) Grown() error {
	const mebi = 1 << 20
	var errs []error
	for _, p := range []struct {
		name        string
		first, last usage
	}{{"service", r.First.Spared, r.Last.Spared}, {"harness", r.First.Owner, r.Last.Owner}} {
		if p.last.RSS > p.first.RSS*3/2 && p.last.RSS > p.first.RSS+32*mebi {
			errs = append(errs, fmt.Errorf("the memory of the %s grew from %d to %d bytes", p.name, p.first.RSS, p.last.RSS))
		}
		if p.last.Goroutines > p.first.Goroutines*3/2 && p.last.Goroutines > p.first.Goroutines+100 {
			errs = append(errs, fmt.Errorf("the goroutines of the %s grew from %d to %d", p.name, p.first.Goroutines, p.last.Goroutines))
		}
	}
	return errors.Join(errs...)
}
