package keytx

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// Categories, each a heading of the page.
const (
	keyOutsideTx     = "key-outside-tx"
	keyAfterCommit   = "key-after-commit"
	keyBeforeTx      = "key-before-tx"
	redisBesideTx    = "redis-beside-tx"
	workOutsideTx    = "work-outside-tx"
	workAfterCommit  = "work-after-commit"
	noTransaction    = "no-transaction"
	handlerOutsideTx = "handler-outside-tx"
	handlerReads     = "handler-reads-outside-tx"
)

// judge compares the writes of keys with those of work. A pair that one call makes is judged in the function that is called.
// It reports whether nothing else is to be looked for.
func (c *checker) judge(f *function) (done bool) {
	if home := f.home(); home != nil {
		// Key and work are kept together somewhere. What else is done to keys (a copy in Redis, a purge, a mark) may fail without harm,
		// but for a copy that is made before it is certain; work beside that place is done again by no replay.
		c.judgeCopies(f, home)
		c.judgeWork(f, home)
		return true
	}
	if f.leased() {
		return true
	}
	told := map[ssa.CallInstruction]bool{}
	for _, key := range f.keys {
		if key.failure || told[key.Call] {
			continue
		}
		if c.judgeKey(f, key) {
			told[key.Call] = true
		}
	}
	return len(told) > 0
}

// home finds a write of a key that is kept together with a write of work; nil when there is none.
func (f *function) home() *write {
	for _, key := range f.keys {
		if key.Op == storeflow.Delete {
			continue
		}
		for _, work := range f.works {
			if key.unit.together(work.unit) {
				return key
			}
		}
	}
	return nil
}

// leased reports whether a key is claimed first and completed or released later: the way to go where something outside the database is
// done in between.
func (f *function) leased() bool {
	for _, claim := range f.keys {
		if claim.Op != storeflow.Insert || claim.Guard.Has(storeflow.OnConflict) && !claim.Guard.Has(storeflow.ResultRead) {
			continue // nobody knows who won
		}
		if claim.Engine == storeflow.Redis && !claim.Guard.Has(storeflow.OnConflict) {
			continue // SET, which nobody wins
		}
		for _, later := range f.keys {
			if later.Call == claim.Call || later.Engine != claim.Engine {
				continue
			}
			closes := later.Op == storeflow.Update || later.Op == storeflow.Delete || later.Engine == storeflow.Redis
			if closes && (later.deferred || f.order.reaches(claim.site, later.site)) {
				return true
			}
		}
		if f.closedByName(claim) {
			return true
		}
	}
	return false
}

// closers start the names of functions that complete or release a claim.
var closers = []string{"complete", "finish", "finalize", "finalise", "release", "mark", "unlock", "forget", "abort", "fail", "succeed", "settle", "resolve"}

// closedByName reports whether a claim is completed or released by a call of which nothing but its name is known: of an interface's method, on
// another goroutine, in a literal that is handed on.
func (f *function) closedByName(claim *write) bool {
	for _, call := range callsIn(f.fn) {
		if call == claim.Call {
			continue
		}
		name := strings.ToLower(calleeName(call.Common()))
		if !slices.ContainsFunc(closers, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		site, deferred := siteIn(f.fn, call)
		if site != nil && (deferred || f.order.reaches(claim.site, site)) && !f.worksAt(call) {
			return true
		}
	}
	return false
}

// worksAt reports whether a call does work: what is called complete may be the work itself.
func (f *function) worksAt(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(f.works, func(work *write) bool { return work.Call == call })
}

// callsIn gives the calls of a function and of all literals in it.
func callsIn(fn *ssa.Function) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			if call, ok := instruction.(ssa.CallInstruction); ok {
				out = append(out, call)
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		out = append(out, callsIn(literal)...)
	}
	return out
}

func calleeName(common *ssa.CallCommon) string {
	if common.IsInvoke() {
		return common.Method.Name()
	}
	if callee := common.StaticCallee(); callee != nil {
		return callee.Name()
	}
	return ""
}

// judgeKey looks at a write of a key that is kept with no work.
func (c *checker) judgeKey(f *function, key *write) bool {
	if key.Op == storeflow.Delete || key.deferred {
		return false
	}
	for _, work := range f.works {
		if work.Call == key.Call || work.failure || work.deferred || !c.comparable(f, key, work) {
			continue
		}
		if c.judgePair(f, key, work) {
			return true
		}
	}
	return false
}

func (c *checker) judgePair(f *function, key, work *write) bool {
	if key.unit.transactional() && !work.unit.transactional() {
		switch f.relate(work, key) {
		case inside:
			c.tellWorkOutside(f, key, work)
			return true
		case after:
			return key.Op == storeflow.Insert && c.tellKeyBefore(f, key, work)
		case before:
			return key.Op == storeflow.Insert && c.tellLoose(f, key, work, true)
		}
		return false
	}
	if !work.unit.transactional() {
		if work.Engine == storeflow.Mongo {
			return false // a session by hand, or a database that has no transactions
		}
		return key.Op == storeflow.Insert && c.judgeLoose(f, key, work)
	}
	switch f.relate(key, work) {
	case inside:
		if key.Engine != storeflow.Redis {
			return c.tellKeyOutside(f, key, work)
		}
		return !key.Guard.Has(storeflow.OnConflict) && c.tellRedisInside(f, key, work) // else it is a claim, or a lock
	case after: // an update there completes a claim that another function has made
		return key.Op == storeflow.Insert && c.tellKeyAfter(f, key, work)
	case before:
		return key.Op == storeflow.Insert && c.tellKeyBefore(f, key, work)
	}
	return false
}

// comparable reports whether it is certain that key and work are not kept together.
func (c *checker) comparable(f *function, key, work *write) bool {
	if key.unit.together(work.unit) || work.Engine != storeflow.SQL && work.Engine != key.Engine {
		return false
	}
	if key.Guessed || work.Guessed {
		return c.unlikeSibling(f, key, work)
	}
	return certain(key.unit, work.unit) && certain(work.unit, key.unit)
}

// certain reports whether u is known not to be v.
func certain(u, v unit) bool {
	switch u.kind {
	case inTx, ownTx, pooled, apart:
		return true
	case bound: // what the receiver was made with is no transaction that is begun here
		return v.kind == inTx && v.tx.Begin != nil
	}
	return false
}

// transactional reports whether a unit is a transaction whose begin and end are known.
func (u unit) transactional() bool { return u.kind == inTx || u.kind == ownTx }

// judgeLoose looks at a key and at work that are both kept at once, each on its own.
func (c *checker) judgeLoose(f *function, key, work *write) bool {
	switch {
	case f.order.reaches(work.site, key.site):
		return c.tellLoose(f, key, work, true)
	case f.order.reaches(key.site, work.site):
		return c.tellLoose(f, key, work, false)
	}
	return false
}

// judgeWork looks at work beside the place where a key is kept with other work.
func (c *checker) judgeWork(f *function, home *write) {
	if f.leased() {
		return // the steps of a lease are meant to be kept one by one
	}
	for _, work := range f.works {
		if work.failure || work.deferred || work.Call == home.Call || home.unit.together(work.unit) {
			continue
		}
		c.judgeBeside(f, home, work)
	}
}

// judgeBeside looks at work that is not kept with the key at home.
func (c *checker) judgeBeside(f *function, home, work *write) bool {
	if work.Guessed || home.Guessed || work.Engine != home.Engine || !certain(work.unit, home.unit) || !certain(home.unit, work.unit) {
		return false
	}
	switch f.relate(work, home) {
	case inside:
		return c.tellWorkOutside(f, home, work)
	case after:
		return !work.followsUp() && c.tellWorkAfter(f, home, work)
	}
	return false
}

// judgeCopies looks at copies of a key in Redis that are made before the key is certain.
func (c *checker) judgeCopies(f *function, home *write) {
	for _, key := range f.keys {
		if key.Engine != storeflow.Redis || key.Op != storeflow.Insert || key.Guard.Has(storeflow.OnConflict) || key.failure || key.Call == home.Call {
			continue
		}
		if f.relate(key, home) == inside {
			c.tellRedisInside(f, key, home)
		}
	}
}

// confidence grades a finding by how its two ends are known.
func confidence(key, work *write) settings.Confidence {
	if key.Guessed || work.Guessed || key.unit.kind == bound && key.Executor.Static != storeflow.Pool || work.unit.kind == bound && work.Executor.Static != storeflow.Pool {
		return settings.Medium
	}
	if key.Partial || work.Partial || key.Engine == storeflow.Redis {
		return settings.Medium
	}
	return settings.High
}

// tell reports a finding. It is true, so that a judge can end with it.
func (c *checker) tell(at *write, category string, severity report.Severity, grade settings.Confidence, message string, related ...related) bool {
	return c.tellWithFix(at, category, severity, grade, message, nil, related...)
}
