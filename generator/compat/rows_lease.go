package compat

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleModeLease = needing(breaking("mode-lease",
		"After a 5xx the work may have begun, and an answer below 500 is final once it has: a client that sends a new key after an error, as it could while an error left nothing done, may have its work done twice",
		"tell clients to repeat with the same key first, and change the mode when they do", Clients), needLeaseSchema, needLeaseRollout)
	ruleModeTransaction = needing(breaking("mode-transaction",
		"Work that has begun is not finished any more where its request ends in an error, and what is in progress is left as it is",
		"let the work in progress come to its end first", Clients, Running), needDrained)
)

var modeRows = []row{{
	fields: []string{"Mode"}, member: "mode",
	value: func(p *policy.Policy) string { return string(mode(p)) },
	judge: turned(func(p *policy.Policy) bool { return mode(p) == policy.LeaseMode }, ruleModeLease, ruleModeTransaction),
}}

// mode fills in what the zero value stands for.
func mode(p *policy.Policy) policy.Mode {
	if p.Mode == "" {
		return policy.Transaction
	}
	return p.Mode
}

var (
	ruleLeaseDuration = compatible("lease-duration",
		"What a dead process leaves is taken up after another time, and until then a repetition is told to come back", Clients)
	ruleLeaseHeartbeat = editorial("lease-heartbeat",
		"A worker renews its lease at another pace")
	ruleStepsAdded = compatible("steps-added",
		"Work in progress runs the new steps as well, where the handler reaches them", Running)
	ruleStepsChanged = needing(breaking("steps-changed",
		"Work in progress goes on by the names of its steps: one that is gone, renamed or moved is not found, so its effect may happen twice, or the work rests until a program with the old steps finishes it",
		"add steps and keep the names and the order of those that are there", Running), needDrained)
	ruleCallAdded = compatible("call-added",
		"Another service is called, with a key that stays the same on each attempt", Running)
	ruleCallChanged = needing(breaking("call-changed",
		"Work in progress makes its call with another key, or where the other side does not look for it: a call that was made and not seen to end is made again, and the other side cannot tell",
		"keep the names, steps, headers and formats of the calls that are there", Running), needDrained)
	ruleCallWords = editorial("call-words",
		"The keys for the other side are the same: each is a UUID of version 5")
)

var leaseRows = []row{
	{
		fields: []string{"Lease.Duration"}, member: "lease.duration", context: within(byLease),
		value: span(func(p *policy.Policy) policy.Duration { return p.Lease.Duration }), judge: always(ruleLeaseDuration),
	},
	{
		fields: []string{"Lease.Heartbeat"}, member: "lease.heartbeat", context: within(byLease),
		value: span(func(p *policy.Policy) policy.Duration { return p.Lease.Heartbeat }), judge: always(ruleLeaseHeartbeat),
	},
	{
		fields: []string{"Steps"}, member: "steps", context: within(byLease),
		value: names(func(p *policy.Policy) []string { return p.Steps }),
		judge: func(p pair) Rule {
			if keepsOrder(p.old.Policy.Steps, p.new.Policy.Steps) {
				return ruleStepsAdded
			}
			return ruleStepsChanged
		},
	},
	{
		fields: []string{"Downstream"}, member: "downstream", context: within(byLease),
		value: func(p *policy.Policy) string {
			entries := make([]string, len(p.Downstream))
			for i, call := range p.Downstream {
				entries[i] = "{name: " + orEmpty(quoted(call.Name)) + ", step: " + orEmpty(quoted(call.Step)) +
					", header: " + orEmpty(quoted(call.Header)) + ", format: " + orEmpty(string(call.Format)) + "}"
			}
			return list(entries)
		},
		judge: func(p pair) Rule {
			added, removed := sets(calls(&p.old.Policy), calls(&p.new.Policy))
			switch {
			case len(removed) > 0:
				return ruleCallChanged
			case len(added) > 0:
				return ruleCallAdded
			default:
				return ruleCallWords
			}
		},
	},
}

func byLease(op *policy.Operation) bool { return mode(&op.Policy) == policy.LeaseMode }

// keepsOrder reports whether after has all of before, in its order, whatever stands between.
func keepsOrder(before, after []string) bool {
	for _, step := range before {
		i := slices.Index(after, step)
		if i < 0 {
			return false
		}
		after = after[i+1:]
	}
	return true
}

// calls are the downstream calls as their keys know them: the formats without a version are those of version 5.
func calls(p *policy.Policy) []policy.Downstream {
	list := slices.Clone(p.Downstream)
	for i := range list {
		if list[i].Format != policy.UUID4 && list[i].Format != policy.UUID7 {
			list[i].Format = policy.UUID5
		}
	}
	return list
}
