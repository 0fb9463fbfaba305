package compat

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleErrorStatus = breaking("error-status",
		"A client that tells the refusal by its status takes it for something else, and may retry what it should not, or not what it should",
		"keep the status; say more in the body", Clients)
	ruleErrorType = breaking("error-type",
		"A client that tells the refusal by its type does not know it",
		"keep the type", Clients)
	ruleErrorTypeAdded = compatible("error-type-added",
		"The refusal has a type to be told by", Clients)
	ruleErrorCode = breaking("error-code",
		"A client that tells the refusal by its code does not know it",
		"keep the code", Clients)
	ruleErrorCodeAdded = compatible("error-code-added",
		"The refusal has a code to be told by", Clients)
	ruleErrorTitle = editorial("error-title",
		"The refusal's title, which is for people, reads otherwise")
	ruleErrorHeader = breaking("error-header",
		"A client that reads the header of the refusal does not find it, or another value",
		"keep the header and its value", Clients)
	ruleErrorHeaderAdded = compatible("error-header-added",
		"The refusal carries a further header", Clients)
	ruleErrorShape = breaking("error-shape",
		"A client that reads the body of a refusal does not understand it: its members and its media type are others",
		"go on sending the old shape, and offer the new one in another version of the operation", Clients)
)

// refusals are the runtime's own answers: where a policy holds them, and what reads them.
var refusals = []struct {
	field, member string
	answer        func(*policy.Policy) *policy.ErrorAnswer
	reads         func(*policy.Operation) bool
}{
	{"Missing", "missing", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Missing }, func(op *policy.Operation) bool { return op.Policy.Key.Required }},
	{"Malformed", "malformed", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Malformed }, nil},
	{"Mismatch", "mismatch", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Mismatch }, nil},
	{"InFlight", "inFlight", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.InFlight }, nil},
	{"Unavailable", "unavailable", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Unavailable }, nil},
	{"TooLarge", "tooLarge", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.TooLarge }, func(op *policy.Operation) bool { return keepsBody(&op.Policy) }},
	{"Expired", "expired", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Expired }, asksFirstSent},
}

var errorRows = append(refusalRows(), row{
	fields: []string{"Errors.Shape"}, member: "errors.shape",
	value: func(p *policy.Policy) string { return quoted(shape(p)) }, judge: always(ruleErrorShape),
})

// refusalRows has the rows of each refusal. Status and headers are the same whatever the body's shape; what stands in the
// body is told of by the shape where that has changed.
func refusalRows() []row {
	var all []row
	for _, r := range refusals {
		field, member, answer := "Errors."+r.field+".", "errors."+r.member+".", r.answer
		reads := r.reads
		if reads == nil {
			reads = func(*policy.Operation) bool { return true }
		}
		inBody := func(op *policy.Operation) string {
			if !reads(op) {
				return ""
			}
			return shape(&op.Policy)
		}
		all = append(all,
			row{
				fields: []string{field + "Status"}, member: member + "status", context: within(reads),
				value: number(func(p *policy.Policy) int { return answer(p).Status }), judge: always(ruleErrorStatus),
			},
			row{
				fields: []string{field + "Type"}, member: member + "type", context: inBody,
				value: text(func(p *policy.Policy) string { return answer(p).Type }),
				judge: addedOr(func(p *policy.Policy) string { return answer(p).Type }, ruleErrorTypeAdded, ruleErrorType),
			},
			row{
				fields: []string{field + "Title"}, member: member + "title", context: inBody,
				value: text(func(p *policy.Policy) string { return answer(p).Title }), judge: always(ruleErrorTitle),
			},
			row{
				fields: []string{field + "Code"}, member: member + "code", context: inBody,
				value: text(func(p *policy.Policy) string { return answer(p).Code }),
				judge: addedOr(func(p *policy.Policy) string { return answer(p).Code }, ruleErrorCodeAdded, ruleErrorCode),
			},
			row{
				fields: []string{field + "Headers"}, member: member + "headers", context: within(reads),
				value: func(p *policy.Policy) string { return headerValues(answer(p).Headers) },
				judge: headersAddedOr(func(p *policy.Policy) []policy.HeaderValue { return answer(p).Headers }, ruleErrorHeaderAdded, ruleErrorHeader),
			})
	}
	return all
}

// shape fills in what the zero value stands for.
func shape(p *policy.Policy) string {
	if p.Errors.Shape == "" {
		return "problem"
	}
	return p.Errors.Shape
}

// addedOr judges text by whether there was none.
func addedOr(text func(*policy.Policy) string, added, changed Rule) func(pair) Rule {
	return func(p pair) Rule {
		if text(&p.old.Policy) == "" {
			return added
		}
		return changed
	}
}

// headersAddedOr judges headers by whether all that were there still are.
func headersAddedOr(headers func(*policy.Policy) []policy.HeaderValue, added, changed Rule) func(pair) Rule {
	return func(p pair) Rule {
		_, gone := sets(canonicalHeaders(headers(&p.old.Policy)), canonicalHeaders(headers(&p.new.Policy)))
		if len(gone) > 0 {
			return changed
		}
		return added
	}
}

var (
	ruleAnswerHeader = breaking("answer-header",
		"A client that reads the header from an answer does not find it, or another value",
		"keep the header and its value", Clients)
	ruleAnswerHeaderAdded = compatible("answer-header-added",
		"Answers carry a further header", Clients)
)

var answerRows = []row{{
	fields: []string{"Answers.Headers"}, member: "answers.headers",
	value: func(p *policy.Policy) string { return headerValues(p.Answers.Headers) },
	judge: headersAddedOr(func(p *policy.Policy) []policy.HeaderValue { return p.Answers.Headers }, ruleAnswerHeaderAdded, ruleAnswerHeader),
}}

func canonicalHeaders(headers []policy.HeaderValue) []policy.HeaderValue {
	list := slices.Clone(headers)
	for i := range list {
		list[i].Name = canonicalHeader(list[i].Name)
	}
	return list
}
