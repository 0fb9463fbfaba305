package modeltest

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// instance is memstore as broken changes it, with a clock that the model moves.
func instance(broken func(*memstore.Store) store) storetest.Instance[pgx.Tx] {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	pass := func(d time.Duration) time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
		return now
	}
	s := broken(memstore.New(memstore.WithClock(func() time.Time { return pass(time.Microsecond) })))
	count := map[string]int{}
	return storetest.Instance[pgx.Tx]{
		Store: s,
		Other: s,
		Effect: func(_ context.Context, tx pgx.Tx, name string) error {
			return memstore.OnCommit(tx, func() { count[name]++ })
		},
		Effects: func(_ *testing.T, name string) int { return count[name] },
		Advance: func(d time.Duration) { pass(d) },
	}
}

// Each fault is found in a store that sees what is committed, and in one whose transactions see a snapshot and are to be run
// again.
func TestCheck_I1_I6_I7_TheModelFinds(t *testing.T) {
	quick(t)
	for name, broken := range faults {
		for level, at := range levels {
			t.Run(name+", "+level, func(t *testing.T) {
				said := failure(func(tb rapid.TB) { check(t, tb, instance(func(s *memstore.Store) store { return at(broken(s)) })) })
				if said == "" {
					t.Fatal("the model finds nothing")
				}
				t.Log(said)
			})
		}
	}
}

func TestCheck_FindsNothingInARightStore(t *testing.T) {
	for level, at := range levels {
		if said := failure(func(tb rapid.TB) { check(t, tb, instance(func(s *memstore.Store) store { return at(s) })) }); said != "" {
			t.Errorf("%s: %s", level, said)
		}
	}
}

// levels are of isolation.
var levels = map[string]func(store) store{
	"read committed": func(s store) store { return s },
	"serializable":   func(s store) store { return &strict{store: s} },
}

// quick has rapid look at more sequences, spend little on making them shorter, and keep none.
func quick(t *testing.T) {
	t.Helper()
	checks := 2000
	if testing.Short() {
		checks *= 5 // of which rapid takes a fifth then, too few to find each fault each time
	}
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(checks), "rapid.shrinktime": "1s", "rapid.nofailfile": "true"} {
		f := flag.Lookup(name)
		old := f.Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(name, old) })
	}
}

// failure is what run says of a failure: what differs and after which operations; "" without one.
func failure(run func(rapid.TB)) string {
	tb := &verdict{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(tb)
	}()
	<-done
	if !tb.failed {
		return ""
	}
	return tb.text.String()
}

// verdict is a test that only takes down what is said.
type verdict struct {
	text   strings.Builder
	failed bool
}

func (v *verdict) Helper()                    {}
func (v *verdict) Name() string               { return "verdict" }
func (v *verdict) Failed() bool               { return v.failed }
func (v *verdict) Fail()                      { v.failed = true }
func (v *verdict) FailNow()                   { v.Fail(); runtime.Goexit() }
func (v *verdict) SkipNow()                   { runtime.Goexit() }
func (v *verdict) Skip(...any)                { v.SkipNow() }
func (v *verdict) Skipf(string, ...any)       { v.SkipNow() }
func (v *verdict) Log(args ...any)            { fmt.Fprintln(&v.text, args...) }
func (v *verdict) Logf(f string, args ...any) { fmt.Fprintf(&v.text, f+"\n", args...) }
func (v *verdict) Error(args ...any)          { v.Log(args...); v.Fail() }
func (v *verdict) Errorf(f string, a ...any)  { v.Logf(f, a...); v.Fail() }
func (v *verdict) Fatal(args ...any)          { v.Log(args...); v.FailNow() }
func (v *verdict) Fatalf(f string, a ...any)  { v.Logf(f, a...); v.FailNow() }
