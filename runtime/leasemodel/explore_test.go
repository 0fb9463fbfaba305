package leasemodel_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bounds are how far an exploration goes.
type bounds struct {
	clients    int // with one key
	recoveries int
	attempts   int  // of each client, and rounds of each recovery
	rests      int  // how often so much time passes that every lease ends
	losses     int  // how often something is lost on the way, or comes to nothing
	unclear    int  // how often the other side cannot tell
	outside    bool // whether the step at the other side is the only one
	crash      bool // whether a process can crash by itself; that all stop at once is tried in every state
}

func (b bounds) String() string {
	return fmt.Sprintf("%d clients, %d recoveries, %d attempts each, %d ends of leases, %d losses, %d times that the other side cannot tell, its step alone %t, crashes %t",
		b.clients, b.recoveries, b.attempts, b.rests, b.losses, b.unclear, b.outside, b.crash)
}

// choice is one thing that can happen next.
type choice struct {
	name string
	do   func(*trial)
}

const everythingStops = "everything stops"

// choices are all that can happen next, in an order that depends on nothing but the state. Before that, processes whose
// work has come to an end are followed by their next attempt.
func (tr *trial) choices() []choice {
	tr.settle()
	tr.mu.Lock()
	acts := slices.Clone(tr.acts)
	tr.mu.Unlock()
	slices.SortFunc(acts, func(a, b *act) int {
		return cmp.Or(cmp.Compare(a.process.order, b.process.order), cmp.Compare(a.name, b.name), cmp.Compare(a.seq, b.seq))
	})
	var all []choice
	for _, a := range acts {
		// A round of recovery that finds nothing changes nothing.
		if a.process.dead || a.name == "take over" && !tr.overdue() {
			continue
		}
		for _, c := range append([]course{usual}, a.courses...) {
			if tr.possible(c) {
				all = append(all, choice{fmt.Sprintf(courses[c], a.process.name, a.name), func(tr *trial) { tr.grant(a, c) }})
			}
		}
	}
	if tr.bound.crash {
		for _, p := range tr.procs {
			// That the last attempt does nothing any more is tried in any case, when everything stops.
			if !p.gone() && p.attempt < tr.bound.attempts && p.history.Len() > 0 {
				all = append(all, choice{p.name + " crashes", func(*trial) { p.dead = true }})
			}
		}
	}
	// A claim that is made again is not on its way for longer than its lease, see [process.begin].
	sent := slices.ContainsFunc(acts, func(a *act) bool {
		return a.name == "overwrite" || a.name == "claim" && a.process.history.Len() > 0
	})
	if progress := tr.look().Progress; !sent && tr.rests < tr.bound.rests && progress != nil && progress.Left > 0 {
		all = append(all, choice{"every lease ends", (*trial).rest})
	}
	return all
}

// possible says whether the bounds let an act take a course.
func (tr *trial) possible(c course) bool {
	switch c {
	case usual:
		return true
	case unclear:
		return tr.asides < tr.bound.unclear
	default:
		return tr.losses < tr.bound.losses
	}
}

// grant lets an act happen in the given course, and waits until nothing moves any more.
func (tr *trial) grant(a *act, c course) {
	switch c {
	case usual:
	case unclear:
		tr.asides++
	default:
		tr.losses++
	}
	tr.withdraw(a)
	a.granted <- c
	synctest.Wait()
}

// rest lets time pass.
func (tr *trial) rest() {
	tr.rests++
	time.Sleep(rest)
	synctest.Wait()
	for _, p := range tr.procs {
		if p.history.Len() > 0 {
			p.history.WriteString("rest;")
		}
	}
}

// overdue says that the record's lease is over.
func (tr *trial) overdue() bool {
	progress := tr.look().Progress
	return progress != nil && progress.Left == 0
}

// settle starts what follows on processes that are done or dead, and waits for those that only pause.
func (tr *trial) settle() {
	for rounds := range 1000 {
		followed := false
		for _, p := range slices.Clone(tr.procs) {
			if !p.gone() || p.followed {
				continue
			}
			p.followed = true
			if p.answer == "" && p.attempt < tr.bound.attempts {
				tr.start(p.kind, p.attempt+1)
				followed = true
			}
		}
		if followed {
			synctest.Wait()
		}
		tr.mu.Lock()
		pausing := slices.ContainsFunc(tr.procs, func(p *process) bool {
			return !p.gone() && !slices.ContainsFunc(tr.acts, func(a *act) bool { return a.process == p })
		})
		tr.mu.Unlock()
		if !followed && !pausing {
			return
		}
		if pausing {
			time.Sleep(time.Duration(1+rounds) * time.Millisecond) // some wait for an answer that does not come
			synctest.Wait()
		}
	}
	tr.violated("a process does nothing any more and does not end")
}

// decision is a state on the present path, with what can be done there.
type decision struct {
	choices []string
	next    int
}

// result is what an exploration came to.
type result struct {
	states, shared, trials, steps int
	broken                        string
	path                          []string
}

func (r *result) String() string {
	s := fmt.Sprintf("%d states, %d states of what is shared, %d paths, %d steps", r.states, r.shared, r.trials, r.steps)
	if r.broken != "" {
		s += "\n" + r.broken + "\n  " + strings.Join(r.path, "\n  ")
	}
	return s
}

// explore tries every path within the bounds, depth first, each from the beginning. A state that was met before is not
// gone on from: what can happen from there has been seen, or is about to be.
func explore(t *testing.T, b bounds, f fault) *result {
	t.Helper()
	r := &result{}
	seen, ended := map[state]bool{}, map[string]bool{}
	var path []decision
	for {
		synctest.Test(t, func(t *testing.T) {
			tr := newTrial(t, b, f)
			r.trials++
			path = follow(tr, r, path, seen, ended)
		})
		r.states, r.shared = len(seen), len(ended)
		for len(path) > 0 && path[len(path)-1].next == len(path[len(path)-1].choices)-1 {
			path = path[:len(path)-1]
		}
		if r.broken != "" || len(path) == 0 || t.Failed() {
			return r
		}
		path[len(path)-1].next++
	}
}

// follow goes along path and, where it ends, on into what is new.
func follow(tr *trial, r *result, path []decision, seen map[state]bool, ended map[string]bool) []decision {
	defer tr.kill()
	var taken []string
	for depth := 0; ; depth++ {
		choices := tr.choices()
		tr.check()
		if depth == len(path) && tr.broken == "" {
			now := tr.state()
			if seen[now] {
				return path
			}
			seen[now] = true
			d := decision{}
			if left := tr.shared(); !ended[left] {
				ended[left] = true
				d.choices = append(d.choices, everythingStops)
			}
			for _, c := range choices {
				d.choices = append(d.choices, c.name)
			}
			if len(d.choices) == 0 {
				return path
			}
			path = append(path, d)
		}
		if tr.broken != "" {
			r.broken, r.path = tr.broken, taken
			return path
		}
		name := path[depth].choices[path[depth].next]
		taken = append(taken, name)
		r.steps++
		if name == everythingStops {
			tr.end()
			if tr.broken != "" {
				r.broken, r.path = tr.broken, taken
			}
			return path
		}
		at := slices.IndexFunc(choices, func(c choice) bool { return c.name == name })
		if at < 0 {
			tr.t.Fatalf("the same path led to two states: %q is not among %q after\n  %s", name, names(choices), strings.Join(taken, "\n  "))
		}
		choices[at].do(tr)
	}
}

func names(choices []choice) (all []string) {
	for _, c := range choices {
		all = append(all, c.name)
	}
	return all
}
