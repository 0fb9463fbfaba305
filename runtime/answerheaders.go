package runtime

import (
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// keyPlaceholder stands for the request's key in the value of a header of answers.headers.
const keyPlaceholder = "{key}"

// checkAnswerHeaders is a part of checkAnswers.
func (p *plan) checkAnswerHeaders(fault faultFunc) {
	for _, header := range p.op.Policy.Answers.Headers {
		name := http.CanonicalHeaderKey(header.Name)
		switch {
		case !policy.IsToken(header.Name):
			fault("answers.headers: %q is not a header name", header.Name)
		case !isFieldValue(header.Value):
			fault("answers.headers: the value of %s has a character that no header may hold", name)
		case slices.Contains(perAnswer, name) || slices.Contains(alwaysStored, name):
			fault("answers.headers: %s is the answer's own", name)
		case name == http.CanonicalHeaderKey(p.op.Policy.Replay.Header):
			fault("answers.headers: %s is what marks a replay", name)
		case slices.ContainsFunc(p.answers, func(h policy.HeaderValue) bool { return h.Name == name }):
			fault("answers.headers: %s stands twice", name)
		}
		p.answers = append(p.answers, policy.HeaderValue{Name: name, Value: header.Value})
	}
}

// accompany adds the policy's headers to the answer of a request whose key was accepted: whose work was done, now or
// before, or whose handler said no. They are not stored, so that a changed policy holds for what was done before. A refusal
// has none of them.
func (c *Call[TX]) accompany(r reply) {
	if c.key == "" {
		return
	}
	switch r.outcome {
	case OutcomeFresh, OutcomeNotKept, OutcomeReplayed, OutcomeWaited, OutcomeTooLarge:
	default:
		return
	}
	for _, header := range c.plan.answers {
		value := header.Value
		if strings.Contains(value, keyPlaceholder) {
			if !canEcho(c.key) {
				continue
			}
			value = strings.ReplaceAll(value, keyPlaceholder, c.key)
		}
		r.Header[header.Name] = []string{value}
	}
}

// canEcho reports whether a key can stand in a header as it is: one from a body or a query may not (RFC 9110, section 5.5).
func canEcho(key string) bool {
	for i := range len(key) {
		if key[i] > '~' {
			return false
		}
	}
	return isFieldValue(key)
}
