package policydoc

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Flow is what happens when the answer to a request is lost and the request is sent again, step by step. The page draws it
// ([Flow.SVG]) and tells it in words.
type Flow struct {
	// ID is the fragment of its place on the page; no operation has one like it.
	ID    string
	Title string
	// About says which operations it is about.
	About   Sentence
	Parties []string
	Steps   []Step
}

// Step is one step of a flow, in words for the list and in fewer for the drawing.
type Step struct {
	// Number counts the steps from one.
	Number int
	// From and To count the flow's parties from zero; a step that a party does by itself has them equal.
	From, To int
	Label    string
	Text     Sentence
	// Lost is a message that does not arrive.
	Lost bool
}

// The parties, in the order of the drawing.
const (
	you = iota
	api
	otherService
)

// flows are those of the ways to repeat that the document has.
func flows(doc *policy.Document) []Flow {
	var atOnce, inSteps, calls, conditional bool
	for i := range doc.Operations {
		op := &doc.Operations[i]
		switch {
		case op.Decision == policy.Conditional:
			conditional = true
		case op.Decision != policy.Keyed:
		case op.Policy.Mode == policy.LeaseMode:
			inSteps = true
			calls = calls || len(op.Policy.Downstream) > 0
		default:
			atOnce = true
		}
	}
	var list []Flow
	if atOnce {
		list = append(list, atOnceFlow())
	}
	if inSteps {
		list = append(list, stepsFlow(calls))
	}
	if conditional {
		list = append(list, conditionFlow())
	}
	for _, flow := range list {
		for i := range flow.Steps {
			flow.Steps[i].Number = i + 1
		}
	}
	return list
}

func atOnceFlow() Flow {
	return Flow{
		ID: "page_flow_key", Title: "A lost answer, and the same key again",
		About:   say("Work with a key is done as a whole or not at all."),
		Parties: []string{"You", "This API"},
		Steps: []Step{
			{From: you, To: api, Label: "request, key K", Text: say("You send a request with a key.")},
			{From: api, To: api, Label: "does the work, keeps the answer", Text: say("The work is done, and the answer is kept under the key.")},
			{From: api, To: you, Label: "answer is lost", Text: say("The answer does not reach you. You cannot tell whether the work was done."), Lost: true},
			{From: you, To: api, Label: "same request, key K", Text: say("You send the same request with the same key.")},
			{From: api, To: you, Label: "answer; nothing is done again", Text: say("You get the answer. The work is not done again.")},
		},
	}
}

func stepsFlow(calls bool) Flow {
	f := Flow{
		ID: "page_flow_steps", Title: "Work that goes on after you are gone",
		About:   say("Some work takes several steps, and is finished once it has begun."),
		Parties: []string{"You", "This API"},
		Steps: []Step{
			{From: you, To: api, Label: "request, key K", Text: say("You send a request with a key, and the work begins.")},
			{From: api, To: you, Label: "connection is lost", Text: say("The connection breaks. The work goes on."), Lost: true},
			{From: you, To: api, Label: "same request, key K", Text: say("You send the same request with the same key.")},
			{From: api, To: you, Label: "still at work, ask later", Text: say("You hear that the work is still going on, and when to ask again.")},
			{From: api, To: api, Label: "finishes, keeps the answer", Text: say("The work is finished, and the answer is kept under the key.")},
			{From: you, To: api, Label: "same request, key K", Text: say("You send the same request with the same key.")},
			{From: api, To: you, Label: "answer; nothing is done again", Text: say("You get the answer. The work is not done again.")},
		},
	}
	if calls {
		f.Parties = append(f.Parties, "Other service")
		f.Steps = slices.Insert(f.Steps, 1, Step{From: api, To: otherService, Label: "call, key from K", Text: say("Another service is called with a key that is derived from yours, the same for each attempt.")})
		f.Steps = slices.Insert(f.Steps, 5, Step{From: otherService, To: api, Label: "result", Text: say("The other service answers.")})
	}
	return f
}

func conditionFlow() Flow {
	return Flow{
		ID: "page_flow_condition", Title: "A lost answer, and the same condition again",
		About:   say("A change with a condition is made only while what it changes is as you last saw it."),
		Parties: []string{"You", "This API"},
		Steps: []Step{
			{From: you, To: api, Label: "change, if still version 1", Text: say("You send a change on the condition that nothing else changed since you last looked.")},
			{From: api, To: api, Label: "makes the change: version 2", Text: say("The change is made.")},
			{From: api, To: you, Label: "answer is lost", Text: say("The answer does not reach you. You cannot tell whether the change was made."), Lost: true},
			{From: you, To: api, Label: "same change, if still version 1", Text: say("You send the same change on the same condition.")},
			{From: api, To: you, Label: "412: it is not", Text: say("The condition is no longer true, so the answer is {} and nothing is changed.", code("412"))},
			{From: you, To: api, Label: "what is there now?", Text: say("You read what is there now.")},
			{From: api, To: you, Label: "version 2", Text: say("You see whether it has your change.")},
		},
	}
}
