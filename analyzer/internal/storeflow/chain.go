package storeflow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// Bounds of the walk over a builder's chain. Real chains have a dozen links and branch two or three times.
const (
	chainLength = 64
	chainEdges  = 48 // ways into variables, over the whole walk
)

// link is one call of a builder's chain: Where, Model, OnConflict.
type link struct {
	call      *ssa.Call
	fn        *types.Func
	arguments []ssa.Value
	// certain: the link is there whichever way the code went. Conditions of a link that is not certain do not count, its guards do.
	certain bool
}

// chain is a builder's calls back from the one that runs it.
type chain struct {
	links []link // as they are written
	root  ssa.Value
}

// chainOf walks back from a receiver over the calls for which follows holds, through variables and branches, to the value the chain starts from.
// With builders that change in place (bun, ent), calls whose result is dropped count too.
func chainOf(v ssa.Value, inPlace bool, follows func(fn *types.Func) bool) chain {
	walk := &chainWalk{follows: follows, inPlace: inPlace, seen: map[ssa.Value]bool{}, linked: map[*ssa.Call]bool{}, edges: new(int)}
	walk.back(v, true)
	slices.Reverse(walk.links)
	return chain{walk.links, walk.root}
}

type chainWalk struct {
	follows func(fn *types.Func) bool
	inPlace bool
	seen    map[ssa.Value]bool
	linked  map[*ssa.Call]bool
	links   []link
	root    ssa.Value
	edges   *int // walked so far, by all branches together
}

func (w *chainWalk) back(v ssa.Value, certain bool) {
	for range chainLength {
		if v == nil {
			return
		}
		v = program.Resolve(v)
		if w.seen[v] {
			return
		}
		w.seen[v] = true
		switch at := v.(type) {
		case *ssa.Call:
			fn := declared(at)
			if fn == nil || !w.follows(fn) {
				w.end(v)
				return
			}
			w.add(at, fn, certain)
			w.dropped(at)
			next := receiver(at)
			if next == nil {
				w.end(v)
				return
			}
			v = next
		case *ssa.Phi:
			w.fork(v, at.Edges)
			return
		case *ssa.UnOp:
			stores := program.Stores(cellAddress(at))
			if len(stores) == 0 {
				w.dropped(at)
				w.end(v)
				return
			}
			edges := make([]ssa.Value, len(stores))
			for i, store := range stores {
				edges[i] = store.Val
			}
			w.fork(v, edges)
			return
		default:
			w.dropped(v)
			w.end(v)
			return
		}
	}
}

// fork walks every way into a variable. A link that all of them share is certain: it is walked by the way that has nothing else.
func (w *chainWalk) fork(at ssa.Value, edges []ssa.Value) {
	if *w.edges += len(edges); *w.edges > chainEdges {
		w.dropped(at)
		w.end(at)
		return
	}
	shared := map[*ssa.Call]int{}
	walked := 0
	for _, edge := range edges {
		branch := &chainWalk{follows: w.follows, seen: map[ssa.Value]bool{}, linked: map[*ssa.Call]bool{}, inPlace: w.inPlace, edges: w.edges}
		for v := range w.seen { // what leads back to here is a loop
			branch.seen[v] = true
		}
		branch.back(edge, true)
		if branch.root == nil {
			continue // a loop back to here
		}
		walked++
		for _, link := range branch.links {
			if link.certain {
				shared[link.call]++
			}
			w.add(link.call, link.fn, false)
		}
		w.end(branch.root)
	}
	for i := range w.links {
		if walked > 0 && shared[w.links[i].call] == walked {
			w.links[i].certain = true
		}
	}
}

// dropped adds calls on a builder that changes in place whose results nobody uses.
func (w *chainWalk) dropped(v ssa.Value) {
	if !w.inPlace || v == nil {
		return
	}
	for _, referrer := range referrersOf(v) {
		call, ok := referrer.(*ssa.Call)
		if !ok || len(referrersOf(call)) > 0 {
			continue
		}
		fn := declared(call)
		if fn == nil || !w.follows(fn) {
			continue
		}
		if receiver(call) == v && types.Identical(call.Type(), v.Type()) {
			w.add(call, fn, false)
		}
	}
}

func (w *chainWalk) add(call *ssa.Call, fn *types.Func, certain bool) {
	if w.linked[call] || len(w.links) >= chainLength {
		return
	}
	w.linked[call] = true
	w.links = append(w.links, link{call, fn, arguments(call), certain})
}

func (w *chainWalk) end(root ssa.Value) {
	if w.root == nil {
		w.root = root
	}
}

// cellAddress is the variable that a load reads.
func cellAddress(load *ssa.UnOp) ssa.Value {
	cell, ok := program.Cell(load.X).(*ssa.Alloc)
	if !ok {
		return nil
	}
	return cell
}
