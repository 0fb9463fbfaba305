//go:build unix

package crash

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// ProviderKind is how a provider of payments can be kept from doing a thing twice.
type ProviderKind string

// The kinds.
const (
	// Deduplicating: it does once what it is asked for under one idempotency key, and has no other way to find it.
	Deduplicating ProviderKind = "deduplicates"
	// LookedUp: it does what it is asked for as often as it is asked. What it has done can be found by a reference.
	LookedUp ProviderKind = "looked up"
)

// receipt is what a provider answers with: the id of the effect.
type receipt struct {
	ID string `json:"id"`
}

// effect is what a provider was asked for: a step of an intent.
type effect struct{ intent, step string }

// provider is the outside world: what it does cannot be undone, and it counts it.
type provider struct {
	kind ProviderKind
	// fault says what goes wrong with a call; slow is how long a slow one takes.
	fault func(intent string, at Point) FaultKind
	slow  time.Duration

	mu     sync.Mutex
	serial int64
	byKey  map[string]receipt   // what was done under an idempotency key
	done   map[effect][]receipt // every effect
	keys   map[effect][]string  // the keys that are in byKey for it
	total  int64                // of effects, forgotten ones included
}

func newProvider(kind ProviderKind, slow time.Duration, fault func(string, Point) FaultKind) *provider {
	return &provider{kind: kind, fault: fault, slow: slow, byKey: map[string]receipt{}, done: map[effect][]receipt{}, keys: map[effect][]string{}}
}

// The headers of a call. A call that arrives after its deadline is refused, so that one who looks an effect up can know
// when there will be none any more.
const (
	keyHeader      = "Idempotency-Key"
	intentHeader   = "Intent"
	deadlineHeader = "Deadline" // Unix time in nanoseconds
)

// ServeHTTP does what a step asks for (POST /STEP), or looks it up (GET /STEP).
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := effect{intent: r.Header.Get(intentHeader), step: r.URL.Path[1:]}
	if r.Method == http.MethodGet {
		p.lookUp(w, what)
		return
	}
	fault := p.fault(what.intent, callPoints[what.step][0])
	if fault == Refused {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	deadline, err := strconv.ParseInt(r.Header.Get(deadlineHeader), 10, 64)
	if err != nil || time.Now().UnixNano() > deadline {
		w.WriteHeader(http.StatusRequestTimeout)
		return
	}
	answer := p.do(what, r.Header.Get(keyHeader))
	switch fault {
	case AnswerLost:
		panic(http.ErrAbortHandler)
	case Slow:
		select {
		case <-time.After(p.slow):
		case <-r.Context().Done():
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // who asks may be dead
}

func (p *provider) do(what effect, key string) receipt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kind == Deduplicating {
		if earlier, ok := p.byKey[key]; ok {
			return earlier
		}
	}
	p.serial++
	p.total++
	r := receipt{ID: what.step + "-" + strconv.FormatInt(p.serial, 10)}
	if p.kind == Deduplicating {
		p.byKey[key] = r
		p.keys[what] = append(p.keys[what], key)
	}
	p.done[what] = append(p.done[what], r)
	return r
}

func (p *provider) lookUp(w http.ResponseWriter, what effect) {
	receipts := p.effects(what.intent, what.step)
	if p.kind != LookedUp || len(receipts) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(receipts[0]) // who asks may be dead
}

// effects are all that a step of an intent has had.
func (p *provider) effects(intent, step string) []receipt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]receipt(nil), p.done[effect{intent, step}]...)
}

// forget lets go of an intent's effects, so that a long run needs no more memory than a short one.
func (p *provider) forget(intent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, step := range []string{charge, notify} {
		what := effect{intent, step}
		for _, key := range p.keys[what] {
			delete(p.byKey, key)
		}
		delete(p.keys, what)
		delete(p.done, what)
	}
}

// intents are those that have had an effect and are not forgotten.
func (p *provider) intents() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]bool{}
	for what := range p.done {
		all[what.intent] = true
	}
	return all
}
