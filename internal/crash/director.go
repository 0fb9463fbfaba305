//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

// struck is a fault at a point.
type struck struct {
	Mode  Mode
	Kind  FaultKind
	Point Point
}

// director is asked by services what to do at each point, and makes faults happen there.
type director struct {
	lease  time.Duration
	server *pgtemp.Server

	restarting sync.Mutex // one restart of the database at a time

	mu        sync.Mutex
	processes []*process
	acts      map[string]*act // trials under way, by key
	struck    map[struck]int
}

func newDirector(server *pgtemp.Server, lease time.Duration) *director {
	return &director{lease: lease, server: server, acts: map[string]*act{}, struck: map[struck]int{}}
}

// act is a trial under way.
type act struct {
	mode    Mode
	pending []Fault
	at      map[int]Point // where each service was last
	log     []string      // what happened, in order, without repetitions
	moved   chan struct{} // closed and replaced when a service moves
	held    chan struct{} // not nil while the overtaker waits for the one that it has overtaken
	until   Point
	stopped int // which service is stopped while held is set
}

// note adds a line to the log, unless it is the last again. The director's mutex is held.
func (a *act) note(line string) {
	if n := len(a.log); n < maxLog && (n == 0 || a.log[n-1] != line) {
		a.log = append(a.log, line)
	}
}

// begin takes a trial on.
func (d *director) begin(key string, plan Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acts[key] = &act{mode: plan.Mode, pending: slices.Clone(plan.Faults), at: map[int]Point{}, moved: make(chan struct{})}
}

// log is what has happened in a trial so far.
func (d *director) log(key string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.acts[key]; a != nil {
		return slices.Clone(a.log)
	}
	return nil
}

// ServeHTTP answers a service that is at a point.
func (d *director) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	victim, err := strconv.Atoi(query.Get("victim"))
	if err != nil {
		http.Error(w, "which service?", http.StatusBadRequest)
		return
	}
	key, point := query.Get("key"), Point(query.Get("point"))
	var do command
	if cut := query.Get("cut"); cut != "" {
		d.happened(key, Fault{Kind: FaultKind(cut), Point: point})
	} else {
		do = d.direct(r.Context(), victim, key, point)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(do) // who asks may be dead
}

// direct makes happen what is to happen at a point. ctx ends with the service.
func (d *director) direct(ctx context.Context, victim int, key string, point Point) command {
	d.mu.Lock()
	a := d.acts[key]
	if a == nil {
		d.mu.Unlock()
		return command{}
	}
	a.note(strconv.Itoa(victim) + ": " + string(point))
	if point != BeforeClaim && point != BeforeLease { // where each duplicate is too
		a.at[victim] = point
		close(a.moved)
		a.moved = make(chan struct{})
	}
	held := a.held
	if held != nil && (victim == a.stopped || point != a.until) {
		held = nil
	}
	i := slices.IndexFunc(a.pending, func(f Fault) bool { return f.Point == point && !ofProvider(f.Kind) })
	if held != nil || i < 0 || victim >= len(d.processes) {
		d.mu.Unlock()
		wait(ctx, held, d.lease*overtakes)
		return command{}
	}
	fault := a.pending[i]
	process := d.processes[victim]
	if fault.Kind == Stop && a.held != nil {
		d.mu.Unlock()
		return command{}
	}
	if !ofWire(fault.Kind) { // which is over when it has happened
		a.pending = slices.Delete(a.pending, i, i+1)
		d.count(a, fault)
	}
	d.mu.Unlock()
	return d.strike(ctx, a, process, fault)
}

// maxLog bounds what is told of one trial; overtakes is how many leases a stopped service sleeps at most.
const (
	maxLog    = 200
	overtakes = 6
)

// count says that a fault has struck. The mutex is held.
func (d *director) count(a *act, fault Fault) {
	d.struck[struck{a.mode, fault.Kind, fault.Point}]++
	a.note("* " + fault.String())
}

func (d *director) strike(ctx context.Context, a *act, p *process, fault Fault) command {
	switch fault.Kind {
	case Kill:
		p.kill()
	case Restart:
		d.restart(ctx)
	case CutBefore, CutHalf, CutAfter:
		return command{Cut: fault.Kind, Fraction: fault.Fraction}
	case Delay:
		return command{Delay: d.lease / 20, Lasting: d.lease}
	case Stop:
		d.overtake(ctx, a, p, fault.Point, fault.Until)
	}
	return command{}
}

func (d *director) restart(ctx context.Context) {
	d.restarting.Lock()
	defer d.restarting.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	_ = d.server.Restart(ctx) // a server that stays away leaves every trial unanswered, which is counted
}

// overtake stops p, which is at a point, until another service is at the given one with the same key, or long enough. The
// other then stays there until p has moved.
func (d *director) overtake(ctx context.Context, a *act, p *process, at, until Point) {
	wake, ok := p.stop()
	if !ok {
		return
	}
	d.mu.Lock()
	held := make(chan struct{})
	if until != "" {
		a.held, a.until, a.stopped = held, until, p.settings.Victim
	}
	d.mu.Unlock()
	sleep := d.lease * overtakes
	if until == "" {
		sleep = d.lease * 3 / 2
	}
	d.await(ctx, a, sleep, func() bool {
		for victim, point := range a.at {
			if victim != p.settings.Victim && point == until {
				return true
			}
		}
		return false
	})
	wake()
	// The other goes on once the woken one has done what it was about to do, or has had the time for it.
	ctx = context.WithoutCancel(ctx) // which ends when the woken one has its answer
	go func() {
		d.await(ctx, a, d.lease*3/2, func() bool { return a.at[p.settings.Victim] != at })
		d.mu.Lock()
		a.held = nil
		d.mu.Unlock()
		close(held)
	}()
}

// await returns when a service has moved so that enough is true, ctx ends or d is over. enough is asked with the mutex held.
func (d *director) await(ctx context.Context, a *act, patience time.Duration, enough func() bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		d.mu.Lock()
		moved, done := a.moved, enough()
		d.mu.Unlock()
		if done {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// wait returns when done is closed, ctx ends or d is over; at once when done is nil.
func wait(ctx context.Context, done <-chan struct{}, d time.Duration) {
	if done == nil {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// happened counts a cut.
func (d *director) happened(key string, fault Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.acts[key]
	if a == nil {
		return
	}
	if i := slices.IndexFunc(a.pending, func(f Fault) bool { return f.Kind == fault.Kind && f.Point == fault.Point }); i >= 0 {
		a.pending = slices.Delete(a.pending, i, i+1)
		d.count(a, fault)
	}
}

// seen is how often each fault has struck at each point.
func (d *director) seen() map[struck]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.struck)
}

func ofWire(kind FaultKind) bool { return kind == CutBefore || kind == CutHalf || kind == CutAfter }

func ofProvider(kind FaultKind) bool { return kind == AnswerLost || kind == Refused || kind == Slow }

// providerFault is what goes wrong with a call that the provider got.
func (d *director) providerFault(key string, at Point) FaultKind {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.acts[key]
	if a == nil {
		return ""
	}
	i := slices.IndexFunc(a.pending, func(f Fault) bool { return f.Point == at && ofProvider(f.Kind) })
	if i < 0 {
		return ""
	}
	fault := a.pending[i]
	a.pending = slices.Delete(a.pending, i, i+1)
	d.count(a, fault)
	return fault.Kind
}
