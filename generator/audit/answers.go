package audit

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/runtime/policy"
)

// answers answers every question for op.
func answers(op *policy.Operation, does effect.Effect) [Count]Answer {
	switch op.Decision {
	case policy.Keyed:
		return keyed(op)
	case policy.Natural:
		return stated(op, Answer{State: No, Why: "it is stated as idempotent by construction (natural)"}, NotAsked)
	case policy.Conditional:
		return stated(op, Answer{State: Yes, Why: "it is made safe by " + header(op.Condition) + ", so that a repeat finds another state"}, NotAsked)
	case policy.NotRepeatable:
		return stated(op, Answer{State: Yes, Why: "it is stated as not repeatable (none)"}, No)
	}
	if declared := op.RequestKeys(); len(declared) > 0 {
		return byDeclaration(op, declared, does)
	}
	return byName(op, does)
}

// stated is for a decision without a key: one answer, and the others follow.
func stated(op *policy.Operation, first Answer, others State) (all [Count]Answer) {
	first.Pos = op.DecidedAt
	all[0] = first
	for i := 1; i < Count; i++ {
		all[i] = Answer{State: others, Why: "it has no key", Pos: op.DecidedAt}
	}
	return all
}

// byName is for an operation of which nothing is said.
func byName(op *policy.Operation, does effect.Effect) (all [Count]Answer) {
	all[0] = Answer{State: Unknown, Why: does.Why, Pos: does.Pos}
	rest := Unknown
	switch {
	case !mayRepeat(op.Method):
		all[0] = Answer{State: No, Why: op.Method + " is idempotent by RFC 9110, section 9.2.2", Pos: op.Pos}
		rest = NotAsked
	case does.Kind == effect.Read:
		all[0].State, all[0].Likely = No, true
		rest = NotAsked
	case does.Kind.Repeats():
		all[0].State, all[0].Likely = Yes, true
	}
	for i := 1; i < Count; i++ {
		all[i] = Answer{State: rest, Why: "nothing is said", Pos: op.Pos}
	}
	if key := batchKey(op); key != nil {
		all[1] = Answer{State: No, Why: "there is a key for each item of a batch, and none for the request", Pos: key.Pos}
	}
	return all
}

// byDeclaration is for an operation whose document declares a key, and says no more. That a key is declared does not say
// that a repeat would do harm: whole APIs declare one for every POST.
func byDeclaration(op *policy.Operation, declared []policy.DeclaredKey, does effect.Effect) (all [Count]Answer) {
	key := declared[0]
	for i := range all {
		all[i] = Answer{State: Unknown, Why: "a key is declared, and nothing else is said", Pos: key.Pos}
	}
	all[0].Why = "it declares a key, " + describe(key.Key) + ", and " + does.Why
	switch {
	case !mayRepeat(op.Method):
		all[0].Why = op.Method + " is idempotent by RFC 9110, section 9.2.2, and yet it declares a key, " + describe(key.Key)
	case does.Kind.Repeats():
		all[0].State, all[0].Likely = Yes, true
	}
	switch {
	case len(declared) > 1:
		all[1].Why = fmt.Sprintf("it declares %d keys, and nothing says which one counts", len(declared))
	case key.Required():
		all[1].State, all[1].Why = Yes, "the declared key is required"
	case key.Key.Required && key.MayBeAbsent:
		all[1].Why = "the declared key is required in a body that can be left out, or that has another media type"
	case key.Key.Required:
		all[1].Why = "the declared key is required, and can be null"
	default:
		all[1].Why = "the declared key can be left out"
	}
	if limits := limits(key.Key); limits != "" {
		all[2].Why = "a declared key has " + limits + "; whose keys are looked up is not said"
	}
	for _, of := range []struct {
		question int
		status   string
	}{{3, "422"}, {5, "409"}} {
		if at, ok := answered(op, of.status); ok {
			all[of.question].Why, all[of.question].Pos = of.status+" is among its answers, and nothing says that it is for this", at
		}
	}
	return all
}

// keyed is for an operation with a policy, which the runtime keeps.
func keyed(op *policy.Operation) (all [Count]Answer) {
	p := &op.Policy
	answer := func(i int, state State, member, format string, args ...any) {
		all[i] = Answer{State: state, Member: member, Why: fmt.Sprintf(format, args...), Pos: placeOf(op, member)}
	}
	all[0] = Answer{State: Yes, Why: "it is protected by a key", Pos: op.DecidedAt}
	if p.Key.Required {
		answer(1, Yes, "key.required", "a request without its key is refused")
	} else {
		answer(1, Unknown, "key.required", "a request without its key runs unprotected")
	}
	answer(2, Yes, "scope", "%s; %s", scope(p.Scope), limits(p.Key))
	if p.Fingerprint.Body == policy.NoBody {
		answer(3, No, "fingerprint.body", "two requests with one key and different bodies are taken for the same")
	} else {
		answer(3, Yes, "fingerprint.body", "another request with the same key gets %s", status(p.Errors.Mismatch.Status, 422))
	}
	switch {
	case p.Mode != policy.LeaseMode:
		answer(4, Yes, "mode", "record and work commit in one transaction")
	case len(p.Steps) == 0 && len(p.Downstream) == 0:
		answer(4, Unknown, "mode", "the record is held under a lease, and no step says where unfinished work is taken up")
	default:
		answer(4, Yes, "mode", "the record is held under a lease, and unfinished work is taken up")
	}
	if p.InFlight.Answer == policy.Conflict {
		answer(5, Yes, "inFlight.answer", "it gets %s at once", status(p.Errors.InFlight.Status, 409))
	} else {
		answer(5, Yes, "inFlight.answer", "it waits up to %s for the first answer, then gets %s", duration(p.InFlight.MaxWait), status(p.Errors.InFlight.Status, 409))
	}
	fate := "a 5xx undoes the work"
	if p.Mode == policy.LeaseMode {
		fate = "a 5xx that is not stored leaves the work in progress"
	}
	answer(6, Yes, "store.statuses", "%s are stored; %s", strings.Join(p.Store.Statuses, ", "), fate)
	all[7] = kept(op)
	return all
}

// kept answers the question after retention and downstream keys.
func kept(op *policy.Operation) Answer {
	p := &op.Policy
	longest, member := p.RetryWindow, "retryWindow"
	if r := op.Outline.Retries; r != nil && !r.Off && r.MaxElapsed > longest {
		longest, member = r.MaxElapsed, ""
	}
	a := Answer{State: Yes, Member: member, Pos: placeOf(op, member)}
	switch {
	case longest == 0:
		a.State, a.Member, a.Pos = Unknown, "retention", placeOf(op, "retention")
		a.Why = "a key is remembered for " + duration(p.Retention) + ", and nobody says for how long clients retry"
	case longest >= p.Retention:
		a.State, a.Why = No, "clients retry for up to "+duration(longest)+", and a key is remembered for "+duration(p.Retention)
	case p.Mode == policy.LeaseMode && len(p.Downstream) == 0:
		a.State, a.Member, a.Pos = Unknown, "downstream", placeOf(op, "mode")
		a.Why = "a key is remembered for " + duration(p.Retention) + ", and no call downstream is named that a key is handed to"
	default:
		a.Why = "a key is remembered for " + duration(p.Retention) + ", and clients retry for up to " + duration(longest)
	}
	return a
}

// mayRepeat reports whether a method's requests may do something twice (RFC 9110, section 9.2.2). Methods that RFC 9110
// does not know are taken to.
func mayRepeat(method string) bool {
	return !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete, "QUERY"}, method)
}

// batchKey is a key that stands in the items of a batch, where the request has none.
func batchKey(op *policy.Operation) *policy.DeclaredKey {
	if len(op.Declared) > 0 && len(op.RequestKeys()) == 0 {
		return &op.Declared[0]
	}
	return nil
}

// answered reports whether a status is among an operation's answers, and where.
func answered(op *policy.Operation, status string) (policy.Position, bool) {
	for _, answer := range op.Outline.Answers {
		if answer.Status == status {
			return answer.Pos, true
		}
	}
	return policy.Position{}, false
}

// placeOf is where a member of op's policy was set.
func placeOf(op *policy.Operation, member string) policy.Position {
	if origin, ok := op.Origins.Find(member); ok && origin.Pos.IsValid() {
		return origin.Pos
	}
	if op.DecidedAt.IsValid() {
		return op.DecidedAt
	}
	return op.Pos
}

func describe(key policy.Key) string {
	name := key.Name
	if key.In == policy.InBody {
		name = key.Pointer
	}
	return string(key.In) + " " + plain(name)
}

func limits(key policy.Key) string {
	unit := string(key.LengthUnit)
	if unit == "" {
		unit = string(policy.Characters)
	}
	var text string
	switch {
	case key.MinLength > 0 && key.MaxLength > 0:
		text = fmt.Sprintf("%d to %d %s", key.MinLength, key.MaxLength, unit)
	case key.MaxLength > 0:
		text = fmt.Sprintf("up to %d %s", key.MaxLength, unit)
	case key.MinLength > 0:
		text = fmt.Sprintf("%d %s or more", key.MinLength, unit)
	}
	if key.Format != "" && key.Format != policy.AnyFormat {
		text = strings.TrimPrefix(text+", "+string(key.Format), ", ")
	}
	if key.Pattern != "" {
		text = strings.TrimPrefix(text+", a pattern", ", ")
	}
	return text
}

func scope(parts []policy.ScopePart) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = string(part)
	}
	return "a key is one of its " + plain(strings.Join(names, ", "))
}

func header(name string) string { return plain(name) }

func status(code, otherwise int) string {
	if code == 0 {
		code = otherwise
	}
	return strconv.Itoa(code)
}

// duration writes a duration as x-idempotency does, where that is shorter: PT24H, P30D.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return fmt.Sprintf("P%dD", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("PT%dH", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("PT%dM", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("PT%dS", d/time.Second)
	}
	return d.String()
}
