package runtime

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// gate is the queue within this process: of the requests with one id, one leads and the others wait, without a connection.
// A leader that ends with a record gives it to all who wait; one that ends without lets the next lead. A key that is hot
// therefore occupies one connection, whatever the number of its requests.
//
// One mutex serves all ids: it is held for a map access, and BenchmarkGate measures well under a microsecond for a whole
// lead with all processors at it. A store's round trip takes a hundred times as long.
type gate struct {
	mu      sync.Mutex
	flights map[ID]*flight
}

// flight is the requests with one id that are under way.
type flight struct {
	lead    *turn
	queue   list.List // of *waiter, in order of arrival; who leaves is taken out, so that a hung leader gathers nobody
	running bool      // the leader runs the work, rather than still looking for a record
	// known is the fingerprint of the record that is in progress; nil where none is that other processes would see.
	known *[fingerprintSize]byte
}

type waiter struct {
	patience patience
	turn     turn             // which it has where it is told to lead
	place    *list.Element    // in the queue; nil once told
	told     chan gateOutcome // has room for the one thing that a waiter is told
}

type gateOutcome struct {
	state  gateState
	record *Record
	waited time.Duration // 0 for a caller that had not to wait at all
}

type gateState byte

const (
	gateLead   gateState = iota // the caller leads, and must leave
	gateRecord                  // another request led, and this is the record it ended with
	gateBusy                    // another request leads and did not end within the patience
	gateOther                   // a record is in progress that is another request's
	gateGone                    // the caller's context ended
)

// patience is how long a request waits for another one with the same id.
type patience struct {
	// limit bounds the whole wait.
	limit time.Duration
	// untilRunning ends it as soon as the other request is known to run the work.
	untilRunning bool
	// print is the fingerprint of who waits. A record in progress that has another ends the wait.
	print [fingerprintSize]byte
}

// turn is the lead of one id. Once it has been left, all that it does is nothing.
type turn struct {
	gate *gate
	id   ID
}

func newGate() *gate { return &gate{flights: map[ID]*flight{}} }

// enter makes the caller the leader of id, or waits for the one there is. A turn is returned with gateLead only.
func (g *gate) enter(ctx context.Context, id ID, p patience) (*turn, gateOutcome) {
	g.mu.Lock()
	f := g.flights[id]
	if f == nil {
		t := &turn{g, id}
		g.flights[id] = &flight{lead: t}
		g.mu.Unlock()
		return t, gateOutcome{state: gateLead}
	}
	if state, away := f.away(&p); away {
		g.mu.Unlock()
		return nil, gateOutcome{state: state}
	}
	w := &waiter{patience: p, turn: turn{g, id}, told: make(chan gateOutcome, 1)}
	w.place = f.queue.PushBack(w)
	g.mu.Unlock()

	began := time.Now()
	timer := time.NewTimer(p.limit)
	defer timer.Stop()
	var outcome gateOutcome
	select {
	case outcome = <-w.told:
	case <-timer.C:
		outcome = g.depart(f, w, gateBusy)
	case <-ctx.Done():
		outcome = g.depart(f, w, gateGone)
	}
	outcome.waited = time.Since(began)
	if outcome.state == gateLead {
		return &w.turn, outcome
	}
	return nil, outcome
}

// depart takes w out of the queue, unless it has been told something in the meantime: then that counts. A lead is
// accepted even by a caller whose context has ended; its claim fails, and the lead goes on to the next.
func (g *gate) depart(f *flight, w *waiter, state gateState) gateOutcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.place == nil {
		return <-w.told
	}
	f.queue.Remove(w.place)
	return gateOutcome{state: state}
}

// running says that the leader runs the work from now on; who does not wait for that is told.
func (t *turn) running() { t.change(func(f *flight) { f.running = true }) }

// inProgress says that there is a record in progress, of the request with the given fingerprint; who sends another one is told.
//
// It is for lease mode alone, whose record is there before the work and refuses another request in every process, whether its
// work can still be released or not. In transaction mode nothing is there before the commit: another process cannot tell what
// the work is for that runs, and if that is rolled back, the other request is the valid one. So it waits there, or is told that
// a request is in progress, by this process as by any.
func (t *turn) inProgress(print *[fingerprintSize]byte) {
	t.change(func(f *flight) { f.known = print })
}

// nothingStands takes back what inProgress said: the record may have ended, expired and be free for any request, and nobody has
// looked.
func (t *turn) nothingStands() {
	t.change(func(f *flight) { f.known = nil })
}

// change changes what is known of the flight, and tells those who do not wait for that. After the turn was left it does nothing.
func (t *turn) change(change func(*flight)) {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	f := t.gate.flights[t.id]
	if f == nil || f.lead != t {
		return
	}
	change(f)
	for e := f.queue.Front(); e != nil; {
		w := e.Value.(*waiter)
		e = e.Next()
		if state, away := f.away(&w.patience); away {
			f.tell(w, gateOutcome{state: state})
		}
	}
}

// away reports whether somebody of this patience does not wait for what is under way, and why.
func (f *flight) away(p *patience) (gateState, bool) {
	switch {
	case f.known != nil && *f.known != p.print:
		return gateOther, true
	case f.running && p.untilRunning:
		return gateBusy, true
	default:
		return 0, false
	}
}

// leave ends the lead. With a record, all who wait have their answer; without, the next one leads.
func (t *turn) leave(record *Record) {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	f := t.gate.flights[t.id]
	if f == nil || f.lead != t {
		return
	}
	for e := f.queue.Front(); e != nil; e = f.queue.Front() {
		w := e.Value.(*waiter)
		if record == nil {
			f.tell(w, gateOutcome{state: gateLead})
			f.lead, f.running, f.known = &w.turn, false, nil
			return
		}
		f.tell(w, gateOutcome{state: gateRecord, record: record})
	}
	delete(t.gate.flights, t.id)
}

// tell takes w out of the queue with the outcome. It never blocks: a waiter is told once. The gate is locked.
func (f *flight) tell(w *waiter, outcome gateOutcome) {
	f.queue.Remove(w.place)
	w.place = nil
	w.told <- outcome
}
