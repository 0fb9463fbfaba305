package existsinsert

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// pair is a look and an insert with everything that decides what to say of them.
type pair struct {
	look    *look
	insert  *storeflow.Access
	verdict verdict
	// lostUpdate: the found side updates the row that was read.
	lostUpdate bool
	startUp    bool
	confidence settings.Confidence
}

// judge says what is to be said of a look and the insert behind it; nothing where something arbitrates.
func (in *inspection) judge(fn *ssa.Function, accesses []storeflow.Access, l *look, insert *storeflow.Access) {
	if in.readsThrough(l, insert) || l.Guard.Has(storeflow.Serializable) || insert.Guard.Has(storeflow.Serializable) {
		return
	}
	if looksAgain(accesses, l, insert) {
		return // what is called looks for itself, and is judged where it does
	}
	if l.drawsUntilFree(insert) {
		return
	}
	arbiter := in.arbiterBefore(fn, accesses, l, insert)
	if arbiter == everywhere || l.Guessed && in.claims(l, insert) {
		return
	}
	entity := l.Entity
	if entity == "" {
		entity = insert.Entity
	}
	p := &pair{look: l, insert: insert, verdict: in.cover(l, entity), lostUpdate: l.Op == storeflow.Read && updates(accesses, l), startUp: in.atStartUp(insert.Call.Parent()) || migrationTable.MatchString(insert.Table)}
	p.confidence = p.sureness(l)

	if handler := in.handlerBetween(l, insert); handler != nil {
		in.tell(p, claimAfterWork, report.Error, p.late(handler))
		return
	}
	if insert.Guard.Has(storeflow.OnConflict) {
		in.judgeConflictClause(accesses, p)
		return
	}
	if in.handled(insert) || in.looksAfterFailure(accesses, l, insert) {
		return
	}
	unique := p.verdict.Verdict == schema.Unique
	switch {
	case unique && (arbiter == oneProcess || insert.Guessed):
		// What is left is an error once in a blue moon, or one that is not in view.
	case unique:
		p.confidence = lower(p.confidence, settings.Medium) // callers in other packages may tell the error apart
		if len(l.Path)+len(insert.Path) > farAway {
			p.confidence = settings.Low
		}
		in.tell(p, conflictUnhandled, report.Warning, p.unhandled())
	case l.Guard.Has(storeflow.ForUpdate):
		in.tell(p, unsoundGuard, report.Error, p.because("FOR UPDATE locks nothing when the row is absent"))
	case arbiter == oneProcess:
		p.confidence = lower(p.confidence, settings.Medium)
		in.tell(p, processLocalGuard, report.Warning, p.because("the lock guards one process only, and a second replica does not see it"))
	default:
		in.tell(p, duplicatePossible, report.Error, p.because(p.verdict.reason(l)))
	}
}

// looksAgain reports whether the call that inserts, some steps away, first repeats the look.
func looksAgain(accesses []storeflow.Access, l *look, insert *storeflow.Access) bool {
	if len(insert.Path) == 0 {
		return false
	}
	for i := range accesses {
		again := &accesses[i]
		if again.Call == insert.Call && again.Op == storeflow.Read && again.Table == l.Table && again.Entity == l.Entity && slices.Equal(again.Columns, l.Columns) {
			return true
		}
	}
	return false
}

// judgeConflictClause looks whether ON CONFLICT arbitrates over what was looked up, and whether anybody reads its answer.
func (in *inspection) judgeConflictClause(accesses []storeflow.Access, p *pair) {
	l, insert := p.look, p.insert
	if insert.Engine != storeflow.SQL || insert.Partial {
		return
	}
	if len(insert.Target) > 0 && len(l.Columns) > 0 && !overlap(insert.Target, l.Columns) {
		if p.verdict.Verdict == schema.Unique || in.handled(insert) {
			return
		}
		in.tell(p, unsoundGuard, report.Error, p.because("ON CONFLICT ("+list(insert.Target)+") does not arbitrate over "+list(l.Columns)))
		return
	}
	if insert.Guard.Has(storeflow.ResultRead) || insert.Upsert {
		return
	}
	if in.workBefore(accesses, l, insert) {
		p.confidence = lower(p.confidence, settings.Medium)
		in.tell(p, unsoundGuard, report.Error, p.unreadAfterWork())
		return
	}
	if len(insert.Path) > 0 || !writesAfter(accesses, insert) {
		return
	}
	p.confidence = lower(p.confidence, settings.Medium)
	in.tell(p, unsoundGuard, report.Warning, p.unread())
}

// statement says what is to be said of one statement that looks and inserts by itself.
func (in *inspection) statement(insert *storeflow.Access) bool {
	if !insert.Guard.Has(storeflow.FirstOrCreate) && !insert.Guard.Has(storeflow.WhereNotExists) {
		return false
	}
	if len(insert.Path) > 0 || insert.Guard.Has(storeflow.OnConflict) || insert.Guard.Has(storeflow.Serializable) || in.handled(insert) {
		return true
	}
	asks := *insert
	if insert.Guard.Has(storeflow.WhereNotExists) {
		asks.Columns = insert.Asked
	}
	l := &look{Access: &asks, in: in}
	p := &pair{look: l, insert: insert, verdict: in.cover(l, l.Entity), startUp: in.atStartUp(insert.Call.Parent()), confidence: settings.Medium}
	if p.verdict.Verdict == schema.Unique {
		in.tell(p, conflictUnhandled, report.Warning, p.ownLookUnhandled())
		return true
	}
	in.tell(p, unsoundGuard, report.Error, p.ownLook())
	return true
}

// farAway is how many calls between look and insert leave room for a guard or a condition that nobody followed.
const farAway = 4

// sureness: names that were guessed and errors that may be any error rest on an assumption; a text with holes may hide the guard.
func (p *pair) sureness(l *look) settings.Confidence {
	strict := &look{Access: l.Access, in: l.in, strict: true}
	switch {
	case l.Partial || p.insert.Partial:
		return settings.Low
	case l.Guessed || p.insert.Guessed || p.verdict.tags || len(l.Path)+len(p.insert.Path) > farAway || !strict.onlyWhenAbsent(p.insert.Call):
		return settings.Medium
	}
	return settings.High
}

func lower(a, b settings.Confidence) settings.Confidence {
	order := []settings.Confidence{settings.Low, settings.Medium, settings.High}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// updates reports whether the function also updates the rows that it looks for.
func updates(accesses []storeflow.Access, l *look) bool {
	for i := range accesses {
		a := &accesses[i]
		if a.Op == storeflow.Update && a.Engine == l.Engine && a.Table == l.Table && a.Entity == l.Entity && a.Call != l.Call && overlap(a.Columns, l.Columns) && !l.Always {
			return true
		}
	}
	return false
}

// writesAfter reports whether another table is written after an insert: what the loser should not do again.
func writesAfter(accesses []storeflow.Access, insert *storeflow.Access) bool {
	for i := range accesses {
		a := &accesses[i]
		if a.Call == nil || a.Call == insert.Call || a.Table == insert.Table || a.Op != storeflow.Insert && a.Op != storeflow.Update {
			continue
		}
		_, from, to := common(insert.Call, a.Call)
		if from != nil && to != nil && from != to && reaches(from, to, nil) {
			return true
		}
	}
	return false
}

// readsThrough knows caches: a Redis value that was loaded elsewhere because it was not there. A marker holds nothing of its own.
func (in *inspection) readsThrough(l *look, insert *storeflow.Access) bool {
	if insert.Engine != storeflow.Redis {
		return false
	}
	if in.names.IsKeyPrefix(l.Table) || in.names.IsKeyPrefix(insert.Table) {
		return false
	}
	return !holdsConstant(insert)
}

// holdsConstant reports whether what a call stores is a constant, as markers are.
func holdsConstant(insert *storeflow.Access) bool {
	if len(insert.Path) > 0 {
		return false
	}
	switch calleeName(insert.Call) {
	case "SAdd":
		return true
	case "Set", "SetEx", "SetEX":
	default:
		return false
	}
	for _, arg := range insert.Call.Common().Args {
		boxed, ok := arg.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if _, isConst := boxed.X.(*ssa.Const); isConst {
			return true
		}
	}
	return false
}
