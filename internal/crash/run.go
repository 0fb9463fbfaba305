//go:build unix

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

// Options are what a run of trials is made of.
type Options struct {
	// Trials is how many; those of the matrix are among them as far as they go.
	Trials int
	// Seed chooses what is tried and in which order. What a trial meets besides is up to the machine.
	Seed uint64
	// Workers is how many trials of one site are under way at a time.
	Workers int
	// Lease is the lease of the services; 0: as short as the machine allows.
	Lease time.Duration
	// Patience is how long a client goes on asking.
	Patience time.Duration
	// Off is switched off.
	Off Switch
	// StopAtFirst ends the run when a promise was not kept.
	StopAtFirst bool
	// Progress, when set, is called after each trial.
	Progress func(done, trials int)
}

func (o Options) withDefaults() Options {
	if o.Workers == 0 {
		o.Workers = 6
	}
	if o.Patience == 0 {
		o.Patience = 4 * time.Minute
	}
	return o
}

// Report is what a run came to.
type Report struct {
	Seed       uint64
	Trials     int // that were begun
	Answered   int // requests with a final answer
	Effects    int64
	Lease      time.Duration
	Struck     map[struck]int
	Violations []Violation
	Starts     int // of processes, the first ones included
	Took       time.Duration
}

// Count is how many violations of a kind there are.
func (r *Report) Count(kind ViolationKind) (n int) {
	for _, v := range r.Violations {
		if v.Kind == kind {
			n++
		}
	}
	return n
}

// Missed are the pairs of fault and point in the matrix that did not strike.
func (r *Report) Missed() (missed []string) {
	for _, p := range notStruck(r.Struck) {
		missed = append(missed, fmt.Sprintf("%s mode, provider %s, %v", p.Mode, p.Provider, p.Faults))
	}
	return missed
}

// notStruck are the plans of the matrix of which a fault has never struck.
func notStruck(seen map[struck]int) (missed []Plan) {
	for _, p := range matrix() {
		if slices.ContainsFunc(p.Faults, func(f Fault) bool { return seen[struck{p.Mode, f.Kind, f.Point}] == 0 }) {
			missed = append(missed, p)
		}
	}
	return missed
}

// Run carries trials out. Its error says that it could not; promises that were not kept are in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	o = o.withDefaults()
	begun := time.Now()
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	if o.Lease == 0 {
		o.Lease = leaseFor(time.Since(begun))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{Options: o, cancel: cancel, director: newDirector(server, o.Lease), caller: newCaller(3 * o.Lease), report: Report{Seed: o.Seed, Lease: o.Lease}}
	r.sites, r.begun = map[ProviderKind]*site{}, map[string]Mode{}
	for kind, name := range map[ProviderKind]string{Deduplicating: "crash_keys", LookedUp: "crash_references"} {
		at, err := openSite(ctx, server, siteSettings{
			kind: kind, database: name, processes: 2, conns: 10, off: o.Off, director: r.director, watched: true,
			problem: func(text string) { r.violated(Violation{Kind: Service, Trial: -1, Text: text}) },
		})
		if err != nil {
			return nil, err
		}
		defer at.close()
		r.sites[kind] = at
	}
	r.all(ctx)
	if err := r.sweep(ctx); err != nil {
		return nil, err
	}
	r.summarise(time.Since(begun))
	return &r.report, nil
}

// leaseFor is the lease on a machine that takes the given time to make and start a database server. On one that has much
// else to do a short lease is lost before the work has begun, time and again, and work that nobody finishes rests longer
// each time.
func leaseFor(start time.Duration) time.Duration {
	return slowed * min(max(start/2, time.Second), 5*time.Second)
}

// run is a run under way.
type run struct {
	Options
	cancel   context.CancelFunc
	director *director
	caller   *caller
	sites    map[ProviderKind]*site

	mu     sync.Mutex
	report Report
	begun  map[string]Mode // the mode of every trial, by its key
	ended  []trial         // those that were answered
	done   int
}

type trial struct {
	number int
	plan   Plan
	key    string
	reply  reply
}

// again is how often the part of the matrix is tried again that did not strike: a service may have been killed by another
// trial between being told to and the point.
const again = 3

// all carries all trials out.
func (r *run) all(ctx context.Context) {
	random := rand.New(rand.NewPCG(r.Seed, 0))
	todo := plans(r.Trials, random)
	for number, round := 0, 0; len(todo) > 0 && ctx.Err() == nil && round <= again; round++ {
		r.these(ctx, todo, number)
		number += len(todo)
		if todo = nil; r.Trials >= len(matrix()) {
			todo = prepared(notStruck(r.director.seen()), random)
		}
	}
}

// these carries trials out, those of each site by its own workers. The first has the given number.
func (r *run) these(ctx context.Context, todo []Plan, number int) {
	var workers sync.WaitGroup
	queues := map[ProviderKind]chan trial{}
	for kind, at := range r.sites {
		queue := make(chan trial, len(todo))
		queues[kind] = queue
		for range r.Workers {
			workers.Go(func() {
				for t := range queue {
					if ctx.Err() == nil {
						r.try(ctx, at, t)
					}
				}
			})
		}
	}
	for i, plan := range todo {
		queues[plan.Provider] <- trial{number: number + i, plan: plan, key: fmt.Sprintf("intent-%d-%d", r.Seed, number+i)}
	}
	for _, queue := range queues {
		close(queue)
	}
	workers.Wait()
}

// paths are where each mode's operation is served.
var paths = map[Mode]string{Transaction: "/payments", Lease: "/transfers"}

// try carries one trial out.
func (r *run) try(ctx context.Context, at *site, t trial) {
	r.mu.Lock()
	r.report.Trials++
	r.begun[t.key] = t.plan.Mode
	r.mu.Unlock()
	r.director.begin(t.key, t.plan)
	asking, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	pause := func() time.Duration {
		if t.plan.Patient {
			return 3*r.Lease + rand.N(r.Lease)
		}
		return t.plan.Pause/2 + rand.N(t.plan.Pause)
	}
	replies := make([]reply, t.plan.Clients)
	errs := make([]error, t.plan.Clients)
	var clients sync.WaitGroup
	for i := range t.plan.Clients {
		clients.Go(func() {
			replies[i], errs[i] = r.caller.until(asking, at, paths[t.plan.Mode], t.key, 100+t.number%7, pause)
		})
	}
	clients.Wait()
	for _, err := range errs {
		if err != nil && ctx.Err() == nil {
			r.violated(r.violation(t, finding{Unanswered, err.Error()}))
			return
		}
	}
	// Once more, when all is done: from the record.
	again, err := r.caller.until(asking, at, paths[t.plan.Mode], t.key, 100+t.number%7, pause)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		r.violated(r.violation(t, finding{Unanswered, err.Error()}))
		return
	case !again.replayed:
		r.violated(r.violation(t, finding{Answers, fmt.Sprintf("the last answer is no replay: %d %s", again.status, again.body)}))
	}
	t.reply = again
	for _, f := range at.check(ctx, t.plan.Mode, t.key, append(replies, again)) {
		if ctx.Err() == nil {
			r.violated(r.violation(t, f))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, t)
	r.report.Answered += t.plan.Clients + 1
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, r.Trials)
	}
}

func (r *run) violation(t trial, f finding) Violation {
	return Violation{Kind: f.kind, Key: t.key, Text: f.text, Trial: t.number, Plan: t.plan, Log: r.director.log(t.key)}
}

func (r *run) violated(v Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Violations = append(r.report.Violations, v)
	if r.StopAtFirst {
		r.cancel()
	}
}

// sweep looks at everything once more when nothing happens any more: whoever was stopped has woken, and what was in
// progress has been taken up. A run that was ended by its first violation is not swept.
func (r *run) sweep(ctx context.Context) error {
	if r.StopAtFirst && ctx.Err() != nil {
		return nil
	}
	for kind, at := range r.sites {
		none := trial{number: -1, plan: Plan{Provider: kind}}
		stuck, err := at.settle(ctx, r.Patience)
		if err != nil {
			return fmt.Errorf("look for what is in progress: %w", err)
		}
		for _, key := range stuck {
			t := none
			t.key = key
			r.violated(r.violation(t, finding{Stuck, "it is in progress"}))
		}
		strangers, err := at.strangers(ctx)
		if err != nil {
			return fmt.Errorf("count rows: %w", err)
		}
		if strangers != "" {
			r.violated(r.violation(none, finding{Records, strangers}))
		}
		for _, t := range r.ended {
			if t.plan.Provider != kind {
				continue
			}
			for _, f := range at.check(ctx, t.plan.Mode, t.key, []reply{t.reply}) {
				f.text += " (at the end)"
				r.violated(r.violation(t, f))
			}
		}
		// Those that were never answered too have had each effect once at most.
		for intent := range at.provider.intents() {
			t := none
			t.key = intent
			for _, step := range []string{charge, notify} {
				if n, most := len(at.provider.effects(intent, step)), len(stepsOf(r.begun[intent])); n > min(most, 1) {
					r.violated(r.violation(t, finding{Effects, fmt.Sprintf("%s has %d effects (at the end)", step, n)}))
				}
			}
		}
	}
	return ctx.Err()
}

func (r *run) summarise(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Took = took
	r.report.Struck = r.director.seen()
	for _, at := range r.sites {
		at.provider.mu.Lock()
		r.report.Effects += at.provider.total
		at.provider.mu.Unlock()
		for _, p := range at.processes {
			p.mu.Lock()
			r.report.Starts += p.starts
			p.mu.Unlock()
		}
	}
}

// NewSeed is a seed that no run before is likely to have had.
func NewSeed() uint64 { return uint64(time.Now().UnixNano()) ^ uint64(os.Getpid())<<40 }
