package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/runtime/policy"
)

// policy looks at a keyed operation for what x-idempotency allows and a reader should weigh all the same.
func (f *findings) policy(op *policy.Operation, does effect.Effect) {
	f.storesEveryError(op)
	f.storesNoError(op)
	f.accountScope(op)
	f.optional(op, does)
	f.window(op)
}

// passing are statuses of failures that may be gone at the next attempt.
var passing = []int{500, 502, 503, 504}

// storesEveryError finds the mistake M2. A provider's profile that says so is reported as a note: it is what is promised.
func (f *findings) storesEveryError(op *policy.Operation) {
	for _, code := range passing {
		if !op.Policy.Store.Statuses.Contains(code) {
			return
		}
	}
	f.add(f.weigh(ruleEveryError, op, "store.statuses"), placeOf(op, "store.statuses"), "store: {statuses: [2XX, 3XX, 402, 409]}\n", "leave 5XX out of store.statuses",
		fmt.Sprintf("%s stores every 5xx, so a failure that passes is replayed until the key expires", name(op.Method, op.Path, op.Webhook)))
}

// outcomes are statuses of refusals that are the answer to the request, and not to how it was sent.
var outcomes = []string{"402", "409", "410"}

// storesNoError finds the mistake M3 where the document has a refusal that would be lost.
func (f *findings) storesNoError(op *policy.Operation) {
	stored := op.Policy.Store.Statuses
	for code := 400; code < 500; code++ {
		if stored.Contains(code) {
			return
		}
	}
	for _, outcome := range outcomes {
		if _, ok := answered(op, outcome); !ok {
			continue
		}
		if outcome == "409" && op.Policy.Errors.InFlight.Status == 409 {
			continue // it may be the answer to a duplicate
		}
		f.add(f.weigh(ruleNoError, op, "store.statuses"), placeOf(op, "store.statuses"), "store: {statuses: [2XX, 3XX, 402, 409]}\n", "add "+outcome+" to store.statuses",
			fmt.Sprintf("%s answers %s, and stores no error: a retry may come to another outcome", name(op.Method, op.Path, op.Webhook), outcome))
		return
	}
}

// weigh makes a note of what a provider's profile or idemgen's own default brought.
func (f *findings) weigh(rule Rule, op *policy.Operation, member string) Rule {
	if origin, ok := op.Origins.Find(member); !ok || origin.Level == policy.LevelProfile || origin.Level == policy.LevelBuiltin {
		return as(rule, diag.Info)
	}
	return rule
}

// accountScope tells of keys that count across operations (requirement S2).
func (f *findings) accountScope(op *policy.Operation) {
	if slices.Contains(op.Policy.Scope, policy.ScopeOperation) {
		return
	}
	f.add(ruleAccountScope, placeOf(op, "scope"), "", "add operation to the scope, unless clients count on it",
		fmt.Sprintf("a key of %s is one of the whole account: a client that uses it for another operation is refused, or gets this one's answer", name(op.Method, op.Path, op.Webhook)))
}

// optional tells of keys that can be left out where a repeat would hurt.
func (f *findings) optional(op *policy.Operation, does effect.Effect) {
	if op.Policy.Key.Required || !does.Kind.Repeats() || does.Kind == effect.Create {
		return
	}
	f.add(ruleOptional, placeOf(op, "key.required"), "", "write x-idempotency: required once clients send it",
		fmt.Sprintf("%s runs unprotected without its key, and %s", name(op.Method, op.Path, op.Webhook), does.Why))
}

// window compares how long a key is remembered with how long anybody retries (requirement X2, mistake M5).
func (f *findings) window(op *policy.Operation) {
	p, r := &op.Policy, op.Outline.Retries
	if r != nil && !r.Off && r.MaxElapsed > 0 {
		switch {
		case r.MaxElapsed >= p.Retention:
			f.add(ruleOutlasted, r.Pos, "", "make the retention longer than the longest retry",
				fmt.Sprintf("generated clients repeat %s for up to %s, and its key is remembered for %s", name(op.Method, op.Path, op.Webhook), duration(r.MaxElapsed), duration(p.Retention)))
			return
		case p.RetryWindow > 0 && r.MaxElapsed > p.RetryWindow:
			f.add(as(ruleOutlasted, diag.Warning), r.Pos, "", "make retryWindow as long as the longest retry",
				fmt.Sprintf("generated clients repeat %s for up to %s, and retryWindow says %s", name(op.Method, op.Path, op.Webhook), duration(r.MaxElapsed), duration(p.RetryWindow)))
			return
		}
	}
	if p.RetryWindow > 0 || r != nil && !r.Off && r.MaxElapsed > 0 {
		return
	}
	f.add(ruleNoWindow, placeOf(op, "retention"), "x-idempotency:\n  retryWindow: "+duration(suggested(p.Retention))+"   # the longest time that any client goes on retrying\n",
		"write retryWindow, at the root for all operations",
		fmt.Sprintf("a key of %s is remembered for %s, and nothing says for how long clients retry", name(op.Method, op.Path, op.Webhook), duration(p.Retention)))
}

// suggested is a retry window that fits a retention: a quarter of it.
func suggested(retention time.Duration) time.Duration {
	quarter := retention / 4
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if quarter >= unit {
			return quarter.Truncate(unit)
		}
	}
	return time.Second
}
