package compat

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleReplayCurrent = breaking("replay-current",
		"A repetition is answered from the state of its time: a client that takes it for the first answer, byte for byte, is wrong",
		"answer from the current state in another operation, which clients can read without a key", Clients)
	ruleReplayStored = breaking("replay-stored",
		"A repetition gets the first answer again: a client that takes it for the state of its time is wrong",
		"say so first, and name the operation that reads the current state", Clients)
	ruleMarkerAdded = compatible("marker-added",
		"A repetition can be told from a first answer", Clients)
	ruleMarkerRemoved = breaking("marker-removed",
		"A client that tells a repetition by its marker takes it for a first answer",
		"keep the marker", Clients)
	ruleMarkerRenamed = breaking("marker-renamed",
		"A client that looks for the old marker takes a repetition for a first answer",
		"keep the marker, in whatever spelling", Clients)
	ruleMarkerValue = breaking("marker-value",
		"A client that compares the marker's value takes a repetition for a first answer",
		"keep the value", Clients)
	ruleReplayStatus = breaking("replay-status",
		"A repetition is answered with another status than before: a client that expects the old one takes it for something else",
		"keep the statuses", Clients)
)

var replayRows = []row{
	{
		fields: []string{"Replay.As"}, member: "replay.as",
		value: word(func(p *policy.Policy) policy.ReplayKind { return p.Replay.As }),
		judge: turned(func(p *policy.Policy) bool { return p.Replay.As == policy.Current }, ruleReplayCurrent, ruleReplayStored),
	},
	{
		fields: []string{"Replay.Header"}, member: "replay.header",
		value: text(marker),
		judge: func(p pair) Rule {
			before, after := marker(&p.old.Policy), marker(&p.new.Policy)
			switch {
			case before == "":
				return ruleMarkerAdded
			case after == "":
				return ruleMarkerRemoved
			case strings.EqualFold(before, after):
				return ruleHeaderCase
			default:
				return ruleMarkerRenamed
			}
		},
	},
	{
		fields: []string{"Replay.Value"}, member: "replay.value",
		context: within(func(op *policy.Operation) bool { return marker(&op.Policy) != "" }),
		value:   text(func(p *policy.Policy) string { return p.Replay.Value }), judge: always(ruleMarkerValue),
	},
	{
		fields: []string{"Replay.Status"}, member: "replay.status",
		value: func(p *policy.Policy) string {
			entries := make([]string, len(p.Replay.Status))
			for i, change := range p.Replay.Status {
				entries[i] = strconv.Itoa(change.From) + ": " + strconv.Itoa(change.To)
			}
			return pairs(entries)
		},
		judge: always(ruleReplayStatus),
	},
}

func marker(p *policy.Policy) string { return p.Replay.Header }

var (
	ruleInFlightConflict = breaking("in-flight-conflict",
		"A repetition that comes while the first request is at work is refused at once, where it was answered with the first answer: a client that does not try again takes that for a failure",
		"have clients retry such a refusal first, as the policy has always asked them to", Clients)
	ruleInFlightWait = compatible("in-flight-wait",
		"A repetition that comes while the first request is at work may get its answer; it takes up to the time that it waits", Clients)
	ruleInFlightTime = compatible("in-flight-time",
		"A repetition waits for the first answer for another time before it is refused as before", Clients)
	ruleRetryAfter = compatible("retry-after",
		"A client that meets a request at work is told to come back at another time", Clients)
	ruleRetryAfterSame = editorial("retry-after-same",
		"Retry-After says the same number of seconds")
)

var inFlightRows = []row{
	{
		fields: []string{"InFlight.Answer"}, member: "inFlight.answer",
		value: word(func(p *policy.Policy) policy.InFlightAnswer { return p.InFlight.Answer }),
		judge: turned(func(p *policy.Policy) bool { return p.InFlight.Answer == policy.Conflict }, ruleInFlightConflict, ruleInFlightWait),
	},
	{
		fields: []string{"InFlight.MaxWait"}, member: "inFlight.maxWait",
		context: within(func(op *policy.Operation) bool { return op.Policy.InFlight.Answer == policy.Wait }),
		value:   span(func(p *policy.Policy) policy.Duration { return p.InFlight.MaxWait }), judge: always(ruleInFlightTime),
	},
	{
		fields: []string{"InFlight.RetryAfter"}, member: "inFlight.retryAfter",
		value: span(func(p *policy.Policy) policy.Duration { return p.InFlight.RetryAfter }),
		judge: func(p pair) Rule {
			if policydoc.RetryAfter(&p.old.Policy) == policydoc.RetryAfter(&p.new.Policy) {
				return ruleRetryAfterSame
			}
			return ruleRetryAfter
		},
	},
}
