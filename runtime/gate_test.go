package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// long is a wait that no test is to come to the end of.
const long = 3 * time.Second

var testPatience = patience{limit: long}

// waitFor waits until n requests are in the queue of id.
func (g *gate) waitFor(t testing.TB, id ID, n int) {
	t.Helper()
	for start := time.Now(); ; goruntime.Gosched() {
		g.mu.Lock()
		f := g.flights[id]
		waiting := 0
		if f != nil {
			waiting = f.queue.Len()
		}
		g.mu.Unlock()
		if waiting == n {
			return
		}
		if time.Since(start) > long {
			t.Fatalf("%d are waiting, want %d", waiting, n)
		}
	}
}

func (g *gate) wantEmpty(t testing.TB) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.flights) != 0 {
		t.Errorf("%d ids are left in the gate", len(g.flights))
	}
}

func TestGate_C2_I10_RecordGoesToAllWhoWait(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	lead, outcome := g.enter(context.Background(), id, testPatience)
	if outcome.state != gateLead {
		t.Fatal(outcome)
	}
	var told atomic.Int64
	record := &Record{Status: 201}
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			turn, outcome := g.enter(context.Background(), id, testPatience)
			if turn != nil || outcome.state != gateRecord || outcome.record != record {
				t.Errorf("%+v", outcome)
			}
			told.Add(1)
		})
	}
	g.waitFor(t, id, 1000)
	lead.running()
	if told.Load() != 0 {
		t.Error("somebody was told while the leader was running")
	}
	lead.leave(record)
	all.Wait()
	g.wantEmpty(t)
}

func TestGate_LeadGoesOnInOrder(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	lead, _ := g.enter(context.Background(), id, testPatience)
	order := make(chan int, 10)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			turn, outcome := g.enter(context.Background(), id, testPatience)
			if outcome.state != gateLead {
				t.Errorf("%d: %+v", i, outcome)
				return
			}
			order <- i
			turn.leave(nil)
		})
		g.waitFor(t, id, i+1)
	}
	lead.leave(nil)
	all.Wait()
	if len(order) != 10 {
		t.Fatalf("%d of 10 have led", len(order))
	}
	for i := range 10 {
		if got := <-order; got != i {
			t.Errorf("%d led as number %d", got, i)
		}
	}
	g.wantEmpty(t)
}

func TestGate_C2_ImpatientLeaveWhenTheWorkRuns(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	impatient := patience{limit: long, untilRunning: true}
	lead, _ := g.enter(context.Background(), id, testPatience)
	states := make(chan gateState, 3)
	var all sync.WaitGroup
	enter := func(p patience) {
		all.Go(func() {
			turn, outcome := g.enter(context.Background(), id, p)
			if turn != nil {
				turn.leave(nil)
			}
			states <- outcome.state
		})
	}
	enter(impatient)
	g.waitFor(t, id, 1) // the leader is still looking for a record, which would be everybody's answer
	enter(testPatience)
	g.waitFor(t, id, 2)
	lead.running()
	if state := <-states; state != gateBusy {
		t.Errorf("who does not wait for work was told %d", state)
	}
	start := time.Now()
	if _, outcome := g.enter(context.Background(), id, impatient); outcome.state != gateBusy || time.Since(start) > long/2 {
		t.Errorf("a late one was told %d after %v", outcome.state, time.Since(start))
	}
	lead.leave(&Record{})
	if state := <-states; state != gateRecord {
		t.Errorf("who waits was told %d", state)
	}
	all.Wait()

	// After a lead that ended without a record, the next leader is looking again.
	lead, outcome := g.enter(context.Background(), id, testPatience)
	if lead == nil {
		t.Fatalf("the id is not free when all have left: %+v", outcome)
	}
	lead.running()
	taken := g.queued(t, id, testPatience)
	lead.leave(nil)
	next := <-taken
	if next == nil {
		t.Fatal("the lead did not go on")
	}
	enter(impatient)
	g.waitFor(t, id, 1)
	next.leave(&Record{})
	if state := <-states; state != gateRecord {
		t.Errorf("told %d", state)
	}
	all.Wait()
	g.wantEmpty(t)
}

func TestGate_WaitIsBounded(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	lead, _ := g.enter(context.Background(), id, testPatience)
	if _, outcome := g.enter(context.Background(), id, patience{limit: 10 * time.Millisecond}); outcome.state != gateBusy {
		t.Errorf("%+v", outcome)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, outcome := g.enter(ctx, id, testPatience); outcome.state != gateGone {
		t.Errorf("%+v", outcome)
	}
	// Those who left are passed over.
	done := make(chan gateOutcome)
	go func() {
		turn, outcome := g.enter(context.Background(), id, testPatience)
		if turn != nil {
			turn.leave(nil)
		}
		done <- outcome
	}()
	g.waitFor(t, id, 1)
	lead.leave(nil)
	if outcome := <-done; outcome.state != gateLead {
		t.Errorf("%+v", outcome)
	}
	g.wantEmpty(t)
}

// TestGate_WhatIsToldCounts has a waiter whose time is up in the moment in which it has been told.
func TestGate_WhatIsToldCounts(t *testing.T) {
	g, f := newGate(), &flight{}
	w := &waiter{told: make(chan gateOutcome, 1)}
	w.place = f.queue.PushBack(w)
	f.tell(w, gateOutcome{state: gateLead})
	if outcome := g.depart(f, w, gateBusy); outcome.state != gateLead {
		t.Errorf("a lead is lost: %+v", outcome)
	}
}

// TestGate_C4_WhoLeavesIsForgotten has clients give up on a leader that hangs: they must not gather in memory behind it.
func TestGate_C4_WhoLeavesIsForgotten(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	lead, _ := g.enter(context.Background(), id, testPatience)
	lead.running()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 1000 {
		if _, outcome := g.enter(ctx, id, testPatience); outcome.state != gateGone {
			t.Fatalf("%+v", outcome)
		}
	}
	g.mu.Lock()
	held := g.flights[id].queue.Len()
	g.mu.Unlock()
	if held != 0 {
		t.Errorf("%d requests that have left are still held", held)
	}
	lead.leave(nil)
	g.wantEmpty(t)
}

// TestGate_LeadIsNeverLost has waiters leave around the time at which they are told.
func TestGate_LeadIsNeverLost(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	for range 2000 {
		lead, outcome := g.enter(context.Background(), id, testPatience)
		if outcome.state != gateLead {
			t.Fatal("a lead was lost")
		}
		ctx, cancel := context.WithCancel(context.Background())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				turn, _ := g.enter(ctx, id, patience{limit: time.Microsecond * 50})
				if turn != nil {
					turn.leave(nil)
				}
			})
		}
		go cancel()
		lead.leave(nil)
		all.Wait()
		g.wantEmpty(t)
	}
}

// BenchmarkGate measures what a request pays for the gate: alone with its key, and with the others on keys of their own.
func BenchmarkGate(b *testing.B) {
	b.Run("own key", func(b *testing.B) {
		g := newGate()
		var n atomic.Int64
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			id := ID{"p6:acct_1o13:createPayment", fmt.Sprint(n.Add(1))}
			for pb.Next() {
				turn, _ := g.enter(context.Background(), id, testPatience)
				turn.running()
				turn.leave(nil)
			}
		})
	})
	b.Run("storm of 1000", func(b *testing.B) {
		g, id := newGate(), ID{"p6:acct_1o13:createPayment", "hot"}
		b.ReportAllocs()
		for b.Loop() {
			lead, _ := g.enter(context.Background(), id, testPatience)
			var all sync.WaitGroup
			for range 1000 {
				all.Go(func() { g.enter(context.Background(), id, testPatience) })
			}
			g.waitFor(b, id, 1000)
			lead.leave(&Record{})
			all.Wait()
		}
	})
}

// F4: who sends another request than the one that is in progress is told so, at once, whether the policy has duplicates wait or
// not; where nothing is in progress that other processes would see, it is treated as any other.
func TestGate_F4_AnotherRequest(t *testing.T) {
	for _, untilRunning := range []bool{true, false} {
		g, id := newGate(), ID{"s", "k"}
		first, other := [fingerprintSize]byte{1}, [fingerprintSize]byte{2}
		with := func(print [fingerprintSize]byte) patience {
			return patience{limit: long, untilRunning: untilRunning, print: print}
		}
		lead, _ := g.enter(context.Background(), id, with(first))
		states := make(chan gateState, 2)
		enter := func(print [fingerprintSize]byte) {
			turn, outcome := g.enter(context.Background(), id, with(print))
			if turn != nil {
				turn.leave(nil)
			}
			states <- outcome.state
		}
		go enter(other)
		g.waitFor(t, id, 1) // nothing is in progress yet
		go enter(first)
		g.waitFor(t, id, 2)
		lead.inProgress(&first)
		if state := <-states; state != gateOther {
			t.Fatalf("who waits and has sent another request was told %d", state)
		}
		g.waitFor(t, id, 1)
		start := time.Now()
		if _, outcome := g.enter(context.Background(), id, with(other)); outcome.state != gateOther || outcome.waited != 0 || time.Since(start) > long/2 {
			t.Fatalf("a late one was told %+v after %v", outcome, time.Since(start))
		}
		lead.leave(nil)
		if state := <-states; state != gateLead {
			t.Errorf("the same request was told %d", state)
		}
		g.wantEmpty(t)

		// What was in progress is forgotten with the lead: the next one has to look.
		if lead, _ = g.enter(context.Background(), id, with(first)); lead == nil {
			t.Fatal("the id is not free when all have left")
		}
		lead.inProgress(&first)
		turns := make(chan *turn)
		go func() {
			turn, _ := g.enter(context.Background(), id, with(first))
			turns <- turn
		}()
		g.waitFor(t, id, 1)
		lead.leave(nil)
		next := <-turns
		if next == nil {
			t.Fatal("the lead did not go on")
		}
		go enter(other)
		g.waitFor(t, id, 1)
		next.leave(nil)
		if state := <-states; state != gateLead {
			t.Errorf("another request, with nothing in progress, was told %d", state)
		}
		g.wantEmpty(t)
	}
}

// queued has a request wait behind the leader. The channel has its turn when it leads, nil when it was told otherwise.
func (g *gate) queued(t *testing.T, id ID, p patience) <-chan *turn {
	t.Helper()
	turns := make(chan *turn, 1)
	go func() {
		turn, _ := g.enter(context.Background(), id, p)
		turns <- turn
	}()
	g.waitFor(t, id, 1)
	return turns
}

// What a leader says when its turn is over changes nothing for the next one, and nothing where all have left.
func TestGate_F4_WhatIsSaidTooLate(t *testing.T) {
	g, id := newGate(), ID{"s", "k"}
	first, other := patience{limit: long, print: [fingerprintSize]byte{1}}, patience{limit: long, print: [fingerprintSize]byte{2}}
	lead, _ := g.enter(context.Background(), id, first)
	lead.inProgress(&first.print)
	turns := g.queued(t, id, first)
	lead.leave(nil)
	next := <-turns
	if next == nil {
		t.Fatal("the lead did not go on")
	}
	next.inProgress(&first.print)
	lead.nothingStands()
	lead.leave(&Record{})
	if _, outcome := g.enter(context.Background(), id, other); outcome.state != gateOther {
		t.Errorf("another request was told %d after a former leader had taken back what it had said", outcome.state)
	}
	next.nothingStands()
	turns = g.queued(t, id, other) // it waits, as nothing is known
	next.leave(nil)
	if last := <-turns; last == nil {
		t.Error("another request does not lead once nothing stands")
	} else {
		last.leave(nil)
	}
	next.nothingStands()
	next.leave(nil)
	lead.running()
	g.wantEmpty(t)
}
