//go:build unix

package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// FaultKind is what is made to happen.
type FaultKind string

// The faults. Each strikes at a [Point].
const (
	// Kill: the service gets SIGKILL.
	Kill FaultKind = "kill"
	// Restart: the database server quits without ceremony and is started again.
	Restart FaultKind = "restart database"
	// CutBefore, CutHalf and CutAfter: the connection is lost with the next write that carries the key. Nothing of it
	// arrives; a part of it does; all of it does, and no answer comes back.
	CutBefore FaultKind = "cut before"
	CutHalf   FaultKind = "cut within"
	CutAfter  FaultKind = "cut after"
	// Delay: what the service sends to the database is late for a while.
	Delay FaultKind = "delay"
	// Stop: the service gets SIGSTOP, and SIGCONT when another process has overtaken it or the lease is long over.
	Stop FaultKind = "stop and wake"
	// AnswerLost: the provider does what it is asked and its answer never arrives.
	AnswerLost FaultKind = "answer lost"
	// Refused: the provider does nothing and says 503.
	Refused FaultKind = "refused"
	// Slow: the provider takes longer than a lease.
	Slow FaultKind = "slow provider"
)

// Fault is one thing that goes wrong in a trial, once.
type Fault struct {
	Kind  FaultKind
	Point Point
	// Until is what another process has to have reached before a stopped one is woken.
	Until Point
	// Fraction is how much of a write arrives that is cut within.
	Fraction float64
}

func (f Fault) String() string {
	text := fmt.Sprintf("%s at %q", f.Kind, f.Point)
	if f.Until != "" {
		text += fmt.Sprintf(" until another is at %q", f.Until)
	}
	return text
}

// Plan is one trial: what is asked for, of whom, and what goes wrong.
type Plan struct {
	Mode     Mode
	Provider ProviderKind
	Faults   []Fault
	// Clients is how many send the request at once.
	Clients int
	// Patient clients wait for a while when they get no answer, so that recovery is there first.
	Patient bool
	// Pause is how long clients wait before they ask again, at most.
	Pause time.Duration
}

// matrix is every pair of fault and point that a run has to have seen, each with the provider it is possible with.
func matrix() (all []Plan) {
	add := func(mode Mode, provider ProviderKind, faults ...Fault) {
		all = append(all, Plan{Mode: mode, Provider: provider, Faults: faults})
	}
	for _, point := range points[Transaction] {
		add(Transaction, Deduplicating, Fault{Kind: Kill, Point: point})
	}
	for _, provider := range []ProviderKind{Deduplicating, LookedUp} {
		for _, point := range points[Lease] {
			switch point {
			case AfterTakeover, OnReconcile: // somebody has to have died before
				add(Lease, provider, Fault{Kind: Kill, Point: ChargeEffect}, Fault{Kind: Kill, Point: point})
			default:
				add(Lease, provider, Fault{Kind: Kill, Point: point})
			}
		}
	}
	for _, mode := range []Mode{Transaction, Lease} {
		for i, point := range writes[mode] {
			for j, kind := range []FaultKind{CutBefore, CutHalf, CutAfter} {
				add(mode, []ProviderKind{Deduplicating, LookedUp}[(i+j)%2], Fault{Kind: kind, Point: point, Fraction: 0.5})
			}
		}
	}
	for i, point := range []Point{AfterLease, ReserveCommit, ChargeEffect, CompleteCommit} {
		add(Lease, []ProviderKind{Deduplicating, LookedUp}[i%2], Fault{Kind: Restart, Point: point})
	}
	for _, point := range []Point{BeforeWrite, BeforeCommit} {
		add(Transaction, Deduplicating, Fault{Kind: Restart, Point: point})
	}
	add(Transaction, Deduplicating, Fault{Kind: Stop, Point: BeforeCommit})
	for _, stop := range stops {
		add(Lease, Deduplicating, stop)
	}
	for _, kind := range []FaultKind{AnswerLost, Refused, Slow} {
		for i, point := range []Point{ChargeCall, NotifyCall} {
			add(Lease, []ProviderKind{Deduplicating, LookedUp}[i%2], Fault{Kind: kind, Point: point})
		}
	}
	add(Transaction, Deduplicating, Fault{Kind: Delay, Point: BeforeClaim})
	add(Lease, LookedUp, Fault{Kind: Delay, Point: BeforeLease})
	return all
}

// stops are the zombies: workers that are stopped, overtaken, and woken while the other is at work. A provider that does
// not know a call again cannot tell one's call from the other's, so they are for the one that does.
var stops = []Fault{
	{Kind: Stop, Point: AfterLease, Until: ReserveCommit},
	{Kind: Stop, Point: ReserveCommit, Until: ChargeCall},
	{Kind: Stop, Point: ReserveCommit, Until: ChargeEffect},
	{Kind: Stop, Point: ReserveCommit, Until: NotifyCall},
	{Kind: Stop, Point: ChargeCall, Until: ChargeEffect},
	{Kind: Stop, Point: ChargeEffect, Until: NotifyCall},
	{Kind: Stop, Point: NotifyEffect, Until: CompleteCommit},
	{Kind: Stop, Point: CompleteCommit, Until: NotifyEffect},
	{Kind: Stop, Point: CompleteCommit, Until: CompleteDone},
}

// plans returns n trials: first the whole matrix, in an order that random gives, then what random makes up.
func plans(n int, random *rand.Rand) []Plan {
	all := matrix()
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for len(all) < n {
		all = append(all, randomPlan(random))
	}
	return prepared(all[:n], random)
}

// prepared has random say how the clients of each plan behave.
func prepared(all []Plan, random *rand.Rand) []Plan {
	for i := range all {
		p := &all[i]
		p.Clients = 1 + random.IntN(3)
		p.Pause = time.Duration(20+random.IntN(150)) * time.Millisecond
		p.Patient = slices.ContainsFunc(p.Faults, func(f Fault) bool { return f.Point == AfterTakeover }) || random.IntN(5) == 0
	}
	return all
}

// randomPlan has one to three faults, at any points.
func randomPlan(random *rand.Rand) Plan {
	p := Plan{Mode: Lease, Provider: Deduplicating}
	if random.IntN(4) == 0 {
		p.Mode = Transaction
	}
	if random.IntN(2) == 0 {
		p.Provider = LookedUp
	}
	for range 1 + random.IntN(3) {
		p.Faults = append(p.Faults, randomFault(p.Mode, p.Provider, random))
	}
	return p
}

func randomFault(mode Mode, provider ProviderKind, random *rand.Rand) Fault {
	pick := func(from []Point) Point { return from[random.IntN(len(from))] }
	switch n := random.IntN(20); {
	case n < 8:
		return Fault{Kind: Kill, Point: pick(points[mode])}
	case n < 12:
		kind := []FaultKind{CutBefore, CutHalf, CutAfter}[random.IntN(3)]
		return Fault{Kind: kind, Point: pick(writes[mode]), Fraction: random.Float64()}
	case n < 13:
		return Fault{Kind: Restart, Point: pick(points[mode])}
	case n < 14:
		return Fault{Kind: Delay, Point: pick(points[mode])}
	case n < 17 && mode == Lease:
		kind := []FaultKind{AnswerLost, Refused, Slow}[random.IntN(3)]
		return Fault{Kind: kind, Point: pick([]Point{ChargeCall, NotifyCall})}
	case n < 19 && mode == Lease && provider == Deduplicating:
		return stops[random.IntN(len(stops))]
	case n < 19 && mode == Transaction && provider == Deduplicating:
		return Fault{Kind: Stop, Point: pick(points[mode])}
	}
	return Fault{Kind: Kill, Point: pick(points[mode])}
}
