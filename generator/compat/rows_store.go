package compat

import (
	"strconv"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleStatusKept = breaking("status-kept",
		"An answer that left the key free for another attempt is final: a client that repeats its request after it, to have it carried out after all, gets the same answer again",
		"say so first: clients that try again after such an answer have to send a new key", Clients)
	ruleStatusNotKept = breaking("status-not-kept",
		"An answer that was final is not kept any more: a client that repeats its request after it has it carried out again",
		"go on keeping each answer that clients know as final", Clients)
	ruleStatusesChanged = breaking("statuses-changed",
		"A client that repeats its request is carried out again where the old answer was final, and gets the old answer again where the key was free",
		"go on keeping what was kept, and tell clients of what is final now", Clients)

	ruleKeptHeaderAdded = compatible("kept-header-added",
		"A repetition has further headers of the first answer", Clients)
	ruleKeptHeaderRemoved = breaking("kept-header-removed",
		"A client that reads the header from the answer to a repetition does not find it",
		"keep the header", Clients)
	ruleKeptHeaderBuiltIn = editorial("kept-header-built-in",
		"A repetition has the header either way: it is one of those that are always kept")

	ruleLimitLower = breaking("answer-limit-lower",
		"A client whose answer is between the two limits gets it once; a repetition is only told that the work was done",
		"keep the limit", Clients)
	ruleLimitHigher = compatible("answer-limit-higher",
		"A repetition gets larger answers whole", Clients)
	ruleBodyDropped = breaking("answer-body-dropped",
		"A client that missed the first answer gets its status from a repetition, and no body",
		"keep the body, sealed if it must not lie about", Clients)
	ruleBodyKept = compatible("answer-body-kept",
		"A repetition has the first answer's body", Clients)
)

var storeRows = []row{
	{
		fields: []string{"Store.Statuses"}, member: "store.statuses",
		value: func(p *policy.Policy) string { return array(statusSet(p.Store.Statuses)) },
		judge: func(p pair) Rule {
			added, removed := sets(codes(p.old.Policy.Store.Statuses), codes(p.new.Policy.Store.Statuses))
			switch {
			case len(removed) == 0:
				return ruleStatusKept
			case len(added) == 0:
				return ruleStatusNotKept
			default:
				return ruleStatusesChanged
			}
		},
	},
	{
		fields: []string{"Store.Headers"}, member: "store.headers",
		value: names(func(p *policy.Policy) []string { return headerSet(p.Store.Headers) }),
		judge: func(p pair) Rule {
			added, removed := sets(policydoc.KeptHeaders(&p.old.Policy), policydoc.KeptHeaders(&p.new.Policy))
			switch {
			case len(removed) > 0:
				return ruleKeptHeaderRemoved
			case len(added) > 0:
				return ruleKeptHeaderAdded
			default:
				return ruleKeptHeaderBuiltIn
			}
		},
	},
	{
		fields: []string{"Store.MaxBody"}, member: "store.maxBody", context: within(func(op *policy.Operation) bool { return keepsBody(&op.Policy) }),
		value: number(maxBody), judge: grown(maxBody, ruleLimitHigher, ruleLimitLower),
	},
	{
		fields: []string{"Store.OmitBody"}, member: "store.body",
		context: within(func(op *policy.Operation) bool { return op.Policy.Replay.As != policy.Current }),
		value:   yesNo(func(p *policy.Policy) bool { return !p.Store.OmitBody }),
		judge:   turned(func(p *policy.Policy) bool { return p.Store.OmitBody }, ruleBodyDropped, ruleBodyKept),
	},
}

func maxBody(p *policy.Policy) int64 { return p.Store.MaxBody }

// keepsBody reports whether a repetition is answered with a body that was kept.
func keepsBody(p *policy.Policy) bool { return !p.Store.OmitBody && p.Replay.As != policy.Current }

// codes are the status codes of a set, one by one.
func codes(set policy.Statuses) []int {
	var list []int
	for code := 100; code < 600; code++ {
		if set.Contains(code) {
			list = append(list, code)
		}
	}
	return list
}

// statusSet writes a set so that two that hold the same codes are written alike: sorted, and a class that is there whole as
// the class.
func statusSet(set policy.Statuses) []string {
	var byClass [6][]string
	for _, code := range codes(set) {
		byClass[code/100] = append(byClass[code/100], strconv.Itoa(code))
	}
	var list []string
	for class, inClass := range byClass {
		if len(inClass) == 100 {
			inClass = []string{strconv.Itoa(class) + "XX"}
		}
		list = append(list, inClass...)
	}
	return list
}
