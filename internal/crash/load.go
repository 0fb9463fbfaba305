//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

// LoadOptions are what a long run under load is made of.
type LoadOptions struct {
	// Duration is how long requests arrive, Rate how many a second. Of four, one and a half are new, two are repetitions of
	// what was answered a while ago, and half a one is sent twice at once. Every other key is for lease mode.
	Duration time.Duration
	Rate     int
	// Lease is the lease of the services.
	Lease time.Duration
	// KillEvery is how long a process lives on average. The first one is spared: its memory is what is looked at.
	KillEvery time.Duration
	// SampleEvery is how often the processes are asked what they need, First when the first sample is taken that the last
	// is compared with.
	SampleEvery, First time.Duration
	// Progress, when set, is called with each sample.
	Progress func(Sample)
}

// Sample is what all processes need at a time: the spared service, the one that is killed, and the harness itself.
type Sample struct {
	At                    time.Duration
	Requests              int64
	Spared, Killed, Owner usage
}

// LoadReport is what a run under load came to.
type LoadReport struct {
	Samples []Sample
	// First and Last are the two samples to compare.
	First, Last Sample
	// Requests arrived; Intents are the keys among them, Effects what the provider did for those of lease mode.
	Requests, Intents, LeaseIntents, Effects int64
	// Retries are requests that had to be sent again, Overrun those that arrived when too many were under way, and were sent
	// late.
	Retries, Overrun int64
	Kills            int
	Fresh, Replays   map[Mode][2]time.Duration // p50 and p99 of a request that got a final answer at once
	Violations       []Violation
}

// Bounds of a run under load: how many requests are under way at once, how many answers are remembered for repetitions,
// and how long after its answer an intent's effects are counted.
const (
	underWay   = 256
	remembered = 4096
	settled    = 20 * time.Second
	patience   = 2 * time.Minute
)

// answered is an intent with its final answer.
type answered struct {
	key   string
	mode  Mode
	body  string
	at    time.Time
	wrong bool // its client saw different answers
}

// load is a run under load.
type load struct {
	LoadOptions
	site   *site
	caller *caller
	begun  time.Time

	requests, intents, leases, retries, overrun atomic.Int64
	fresh, replays                              map[Mode]*histogram
	kills                                       int

	mu         sync.Mutex
	recent     []answered // a ring
	next       int
	settling   []answered // oldest first
	violations []Violation
	broken     int // violations, those that are not listed included
}

// Load lets requests arrive at two processes for a while, of which one is killed again and again.
func Load(ctx context.Context, o LoadOptions) (*LoadReport, error) {
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	l := &load{LoadOptions: o, caller: newCaller(10 * time.Second)}
	l.fresh = map[Mode]*histogram{Transaction: {}, Lease: {}}
	l.replays = map[Mode]*histogram{Transaction: {}, Lease: {}}
	l.site, err = openSite(ctx, server, siteSettings{
		kind: Deduplicating, database: "crash_load", processes: 2, conns: 20, director: newDirector(server, o.Lease),
		problem: func(text string) { l.violated("", Service, text) },
	})
	if err != nil {
		return nil, err
	}
	defer l.site.close()

	l.begun = time.Now()
	var others sync.WaitGroup
	running, stop := context.WithTimeout(ctx, o.Duration)
	defer stop()
	report := &LoadReport{}
	others.Go(func() { l.killing(running) })
	others.Go(func() { l.settle(running) })
	others.Go(func() { l.sampling(running, report) })
	l.arrivals(ctx, running)
	others.Wait()
	report.Last = l.sample(ctx)
	report.Samples = append(report.Samples, report.Last)
	if o.Progress != nil {
		o.Progress(report.Last)
	}
	if err := l.end(ctx); err != nil {
		return nil, err
	}
	l.summarise(report)
	return report, ctx.Err()
}

// arrivals sends requests at the given rate until running ends, and returns when all are answered.
func (l *load) arrivals(ctx, running context.Context) {
	slots := make(chan struct{}, underWay)
	var all sync.WaitGroup
	gap := time.Second / time.Duration(l.Rate)
	serial := 0
	for due := time.Now(); running.Err() == nil; {
		time.Sleep(time.Until(due))
		select {
		case slots <- struct{}{}:
		default:
			l.overrun.Add(1)
			slots <- struct{}{}
		}
		copies := 0 // of a new one; 0 is for a repetition
		switch n := rand.IntN(8); {
		case n < 3 || serial < 100:
			copies = 1
		case n == 3:
			copies = 2
		}
		due = due.Add(gap * time.Duration(max(copies, 1)))
		mode := []Mode{Transaction, Lease}[serial%2]
		key := fmt.Sprintf("load-%d", serial)
		if copies > 0 {
			serial++
		}
		all.Go(func() {
			defer func() { <-slots }()
			if copies == 0 {
				l.repeat(ctx)
				return
			}
			l.begin(ctx, key, mode, copies)
		})
	}
	all.Wait()
}

// begin sends a new request, in a number of copies at once.
func (l *load) begin(ctx context.Context, key string, mode Mode, copies int) {
	l.intents.Add(1)
	if mode == Lease {
		l.leases.Add(1)
	}
	replies := make([]reply, copies)
	errs := make([]error, copies)
	var all sync.WaitGroup
	for i := range copies {
		all.Go(func() { replies[i], errs[i] = l.send(ctx, key, mode, l.fresh[mode]) })
	}
	all.Wait()
	a := answered{key: key, mode: mode, at: time.Now()}
	for i, err := range errs {
		switch {
		case err != nil:
			l.violated(key, Unanswered, err.Error())
			a.wrong = true
		case replies[i].status != http.StatusCreated:
			l.violated(key, Answers, fmt.Sprintf("%d %s", replies[i].status, replies[i].body))
			a.wrong = true
		case a.body == "":
			a.body = replies[i].body
		case a.body != replies[i].body:
			l.violated(key, Answers, fmt.Sprintf("%s, and %s", a.body, replies[i].body))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settling = append(l.settling, a)
	switch {
	case a.wrong:
	case len(l.recent) < remembered:
		l.recent = append(l.recent, a)
	default:
		l.recent[l.next%remembered] = a
		l.next++
	}
}

// repeat sends a request again that was answered.
func (l *load) repeat(ctx context.Context) {
	l.mu.Lock()
	if len(l.recent) == 0 {
		l.mu.Unlock()
		return
	}
	a := l.recent[rand.IntN(len(l.recent))]
	l.mu.Unlock()
	r, err := l.send(ctx, a.key, a.mode, l.replays[a.mode])
	switch {
	case err != nil:
		l.violated(a.key, Unanswered, err.Error())
	case r.body != a.body || !r.replayed:
		l.violated(a.key, Answers, fmt.Sprintf("%s, and then %d %s", a.body, r.status, r.body))
	}
}

// send sends one request until its answer is final, and times it where that was the first.
func (l *load) send(ctx context.Context, key string, mode Mode, times *histogram) (reply, error) {
	l.requests.Add(1)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begun, tries := time.Now(), 0
	r, err := l.caller.until(ctx, l.site, paths[mode], key, 100, func() time.Duration {
		tries++
		return 50*time.Millisecond + rand.N(200*time.Millisecond)
	})
	l.retries.Add(int64(tries))
	if err == nil && tries == 0 {
		times.add(time.Since(begun))
	}
	return r, err
}

func (l *load) violated(key string, kind ViolationKind, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken++; len(l.violations) < 100 {
		l.violations = append(l.violations, Violation{Kind: kind, Key: key, Text: text, Trial: -1})
	}
}

// killing kills the second process again and again.
func (l *load) killing(ctx context.Context) {
	for {
		wait(ctx, make(chan struct{}), l.KillEvery/2+rand.N(l.KillEvery))
		if ctx.Err() != nil {
			return
		}
		l.site.processes[1].kill()
		l.kills++
	}
}

// settle counts the effects of what was answered a while ago, and lets go of it.
func (l *load) settle(ctx context.Context) {
	for ctx.Err() == nil {
		wait(ctx, make(chan struct{}), time.Second)
		l.count(time.Now().Add(-settled))
	}
}

// count counts the effects of what was answered before the given time.
func (l *load) count(before time.Time) {
	for {
		l.mu.Lock()
		if len(l.settling) == 0 || l.settling[0].at.After(before) {
			l.mu.Unlock()
			return
		}
		a := l.settling[0]
		l.settling = l.settling[1:]
		l.mu.Unlock()
		for _, step := range stepsOf(a.mode) {
			if done := l.site.provider.effects(a.key, step); len(done) != 1 {
				l.violated(a.key, Effects, fmt.Sprintf("%s has %d effects", step, len(done)))
			}
		}
		l.site.provider.forget(a.key)
	}
}

// sampling asks the processes what they need.
func (l *load) sampling(ctx context.Context, report *LoadReport) {
	for next := l.First; ; next += l.SampleEvery {
		wait(ctx, make(chan struct{}), time.Until(l.begun.Add(next)))
		if ctx.Err() != nil {
			return
		}
		s := l.sample(ctx)
		if next == l.First {
			report.First = s
		}
		report.Samples = append(report.Samples, s)
		if l.Progress != nil {
			l.Progress(s)
		}
	}
}

func (l *load) sample(ctx context.Context) Sample {
	return Sample{
		At: time.Since(l.begun), Requests: l.requests.Load(), Owner: ownUsage(),
		Spared: l.usageOf(ctx, l.site.processes[0]), Killed: l.usageOf(ctx, l.site.processes[1]),
	}
}

// usageOf asks a process; the zero usage is that of one which is not there at the moment.
func (l *load) usageOf(ctx context.Context, p *process) (u usage) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url()+"/debug", nil)
	if err != nil {
		return usage{}
	}
	resp, err := l.caller.client.Do(r)
	if err != nil {
		return usage{}
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&u); err != nil {
		return usage{}
	}
	return u
}

// end looks at everything when nothing happens any more.
func (l *load) end(ctx context.Context) error {
	stuck, err := l.site.settle(ctx, 30*l.Lease)
	if err != nil {
		return fmt.Errorf("look for what is in progress: %w", err)
	}
	for _, key := range stuck {
		l.violated(key, Stuck, "it is in progress")
	}
	l.count(time.Now())
	for intent := range l.site.provider.intents() {
		l.violated(intent, Effects, "it had an effect long after its answer")
	}
	strangers, err := l.site.strangers(ctx)
	if err != nil {
		return fmt.Errorf("count rows: %w", err)
	}
	if strangers != "" {
		l.violated("", Records, strangers)
	}
	return nil
}

func (l *load) summarise(r *LoadReport) {
	r.Requests, r.Intents, r.LeaseIntents = l.requests.Load(), l.intents.Load(), l.leases.Load()
	r.Retries, r.Overrun, r.Kills = l.retries.Load(), l.overrun.Load(), l.kills
	l.site.provider.mu.Lock()
	r.Effects = l.site.provider.total
	l.site.provider.mu.Unlock()
	r.Fresh, r.Replays = map[Mode][2]time.Duration{}, map[Mode][2]time.Duration{}
	for _, mode := range []Mode{Transaction, Lease} {
		r.Fresh[mode] = [2]time.Duration{l.fresh[mode].quantile(0.5), l.fresh[mode].quantile(0.99)}
		r.Replays[mode] = [2]time.Duration{l.replays[mode].quantile(0.5), l.replays[mode].quantile(0.99)}
	}
	if want := 2 * r.LeaseIntents; r.Effects != want {
		l.violated("", Effects, fmt.Sprintf("%d effects in all, want %d", r.Effects, want))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Violations = l.violations
}
