package runtime

import (
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// The names of what the runtime itself has to say. A problem's type is the base (see [WithProblemBase]) and the name,
// unless the policy gives another; docs/problems.md has a section for each. They are published and never change their meaning.
const (
	ProblemMissingKey          = "missing-key"
	ProblemMalformedKey        = "malformed-key"
	ProblemKeyReused           = "key-reused"
	ProblemInFlight            = "in-flight"
	ProblemUnavailable         = "unavailable"
	ProblemAnswerNotKept       = "answer-not-kept"
	ProblemUnknownFingerprint  = "unknown-fingerprint"
	ProblemOutcomeUnknown      = "outcome-unknown"
	ProblemConflict            = "conflict"
	ProblemDuplicateEffect     = "duplicate-effect"
	ProblemUnauthenticated     = "unauthenticated"
	ProblemMalformedBody       = "malformed-body"
	ProblemBodyTooLarge        = "body-too-large"
	ProblemUnsupportedEncoding = "unsupported-encoding"
	ProblemInvalidRequest      = "invalid-request"
	ProblemUnsupportedMedia    = "unsupported-media-type"
	ProblemInternalError       = "internal-error"
	ProblemAnswerUnavailable   = "answer-unavailable"
	ProblemExpired             = "expired"
)

// problemCase is one thing the runtime itself has to say.
type problemCase struct {
	name   string
	status int
	title  string
	// answer finds what the policy says of the case; nil where a policy has no say.
	answer func(*policy.Errors) policy.ErrorAnswer
	// outcome is what an observer is told.
	outcome Outcome
}

var (
	caseMissing     = &problemCase{ProblemMissingKey, 400, "Idempotency key is missing", func(e *policy.Errors) policy.ErrorAnswer { return e.Missing }, OutcomeMissingKey}
	caseMalformed   = &problemCase{ProblemMalformedKey, 400, "Idempotency key is malformed", func(e *policy.Errors) policy.ErrorAnswer { return e.Malformed }, OutcomeMalformedKey}
	caseMismatch    = &problemCase{ProblemKeyReused, 422, "Idempotency key was used for another request", func(e *policy.Errors) policy.ErrorAnswer { return e.Mismatch }, OutcomeMismatch}
	caseInFlight    = &problemCase{ProblemInFlight, 409, "A request with this idempotency key is in progress", func(e *policy.Errors) policy.ErrorAnswer { return e.InFlight }, OutcomeInProgress}
	caseUnavailable = &problemCase{ProblemUnavailable, 503, "The request was not carried out", func(e *policy.Errors) policy.ErrorAnswer { return e.Unavailable }, OutcomeUnavailable}
	caseTooLarge    = &problemCase{ProblemAnswerNotKept, 409, "The request was carried out, its answer was too large to keep", func(e *policy.Errors) policy.ErrorAnswer { return e.TooLarge }, OutcomeTooLarge}
	caseExpired     = &problemCase{ProblemExpired, 412, "The first attempt is too long ago, or in the future", func(e *policy.Errors) policy.ErrorAnswer { return e.Expired }, OutcomeInvalid}

	caseOldVersion      = &problemCase{ProblemUnknownFingerprint, 422, "The earlier request with this key cannot be compared", nil, OutcomeMismatch}
	caseUnknownOutcome  = &problemCase{ProblemOutcomeUnknown, 503, "The outcome of the request is not known yet", nil, OutcomeUnknown}
	caseConflict        = &problemCase{ProblemConflict, 409, "The request conflicts with an earlier one", nil, OutcomeDuplicateEffect}
	caseDuplicateEffect = &problemCase{ProblemDuplicateEffect, 409, "The effect of this request exists already", nil, OutcomeDuplicateEffect}
	caseUnauthenticated = &problemCase{ProblemUnauthenticated, 401, "The request is not authenticated", nil, OutcomeUnauthenticated}
	caseBadBody         = &problemCase{ProblemMalformedBody, 400, "The request body is malformed", nil, OutcomeInvalid}
	caseBodyTooLarge    = &problemCase{ProblemBodyTooLarge, 413, "The request body is too large", nil, OutcomeInvalid}
	caseBadEncoding     = &problemCase{ProblemUnsupportedEncoding, 415, "The request body's encoding is not supported", nil, OutcomeInvalid}
	caseBadRequest      = &problemCase{ProblemInvalidRequest, 400, "The request is invalid", nil, OutcomeInvalid}
	caseBadMedia        = &problemCase{ProblemUnsupportedMedia, 415, "The request body's content type is not supported", nil, OutcomeInvalid}
	// The effect stands, which is why this is not caseUnavailable.
	caseAnswerUnavailable = &problemCase{ProblemAnswerUnavailable, 503, "The request was carried out, its answer cannot be read now", nil, OutcomeUnavailable}
	caseInternal          = &problemCase{ProblemInternalError, 500, "Internal error", nil, OutcomeFailed}
)

var cases = []*problemCase{
	caseMissing, caseMalformed, caseMismatch, caseInFlight, caseUnavailable, caseTooLarge, caseOldVersion, caseUnknownOutcome,
	caseConflict, caseDuplicateEffect, caseUnauthenticated, caseBadBody, caseBodyTooLarge, caseBadEncoding,
	caseBadRequest, caseBadMedia, caseAnswerUnavailable, caseInternal, caseExpired,
}

// DefaultErrors are the answers that the runtime gives where a policy says nothing of them. Generated code leaves out
// what is equal, so that [WithProblemBase] has its say.
func DefaultErrors() policy.Errors {
	answer := func(c *problemCase) policy.ErrorAnswer {
		return policy.ErrorAnswer{Status: c.status, Type: DefaultProblemBase + c.name, Title: c.title}
	}
	return policy.Errors{
		Missing:     answer(caseMissing),
		Malformed:   answer(caseMalformed),
		Mismatch:    answer(caseMismatch),
		InFlight:    answer(caseInFlight),
		Unavailable: answer(caseUnavailable),
		TooLarge:    answer(caseTooLarge),
		Expired:     answer(caseExpired),
		Shape:       "problem",
	}
}

// problem is what the policy says of a case, completed by the case's own values. detail never repeats what a client sent.
func (p *plan) problem(c *problemCase, detail string) *Problem {
	problem := &Problem{
		Status: c.status,
		Type:   p.settings.problemBase + c.name,
		Title:  c.title,
		Detail: detail,
		Header: http.Header{},

		kind:    c.name,
		outcome: c.outcome,
	}
	if c.answer == nil {
		return problem
	}
	answer := c.answer(&p.op.Policy.Errors)
	if answer.Status != 0 {
		problem.Status = answer.Status
	}
	if answer.Type != "" {
		problem.Type = answer.Type
	}
	if answer.Title != "" {
		problem.Title = answer.Title
	}
	problem.Code = answer.Code
	for _, header := range answer.Headers {
		problem.Header.Add(header.Name, header.Value)
	}
	return problem
}

// retryLater adds Retry-After, in whole seconds and at least one, unless the policy set one.
func (p *plan) retryLater(problem *Problem) *Problem {
	if problem.Header.Get("Retry-After") != "" {
		return problem
	}
	problem.Header.Set("Retry-After", wholeSeconds(p.op.Policy.InFlight.RetryAfter))
	return problem
}

// wholeSeconds is d rounded up to seconds, and at least one.
func wholeSeconds(d time.Duration) string {
	seconds := int64(d / time.Second)
	if d%time.Second > 0 {
		seconds++
	}
	return strconv.FormatInt(max(seconds, 1), 10)
}

func (p *plan) inFlight() *Problem {
	return p.retryLater(p.problem(caseInFlight, "Send the same request again later, with the same key."))
}

// inFlightFor is inFlight where what is left of the other request's lease is known: there is no use in asking earlier. It
// is left to the policy's Retry-After header, if that has one.
func (p *plan) inFlightFor(left time.Duration) *Problem {
	problem := p.problem(caseInFlight, "Send the same request again later, with the same key.")
	if problem.Header.Get("Retry-After") == "" {
		problem.Header.Set("Retry-After", wholeSeconds(left))
	}
	return problem
}

// otherInProgress is the answer where the work of another request is in progress under the key.
func (p *plan) otherInProgress() *Problem {
	return p.problem(caseMismatch, "The first request with this key was another one, and stands. Send a new request with a new key.")
}

func (p *plan) unavailable() *Problem {
	return p.retryLater(p.problem(caseUnavailable, "Nothing was done. Send the same request again later, with the same key."))
}

// unavailableWithoutKey is unavailable where there is no key, or none has been read yet.
func (p *plan) unavailableWithoutKey() *Problem {
	return p.retryLater(p.problem(caseUnavailable, "Nothing was done. Send the same request again later."))
}

func (p *plan) unknownOutcome() *Problem {
	return p.retryLater(p.problem(caseUnknownOutcome,
		"It may have been carried out. Send the same request again with the same key, never with a new one, to find out."))
}

func (p *plan) internal() *Problem {
	return p.problem(caseInternal, "Nothing was done. Send the same request again with the same key.")
}

// internalWithoutKey is internal where there is no key.
func (p *plan) internalWithoutKey() *Problem {
	return p.problem(caseInternal, "Nothing was done. Send the same request again.")
}

// faulty is internal where another attempt is not going to help.
func (p *plan) faulty() *Problem {
	return p.problem(caseInternal, "Nothing was done. The service has a fault that sending the request again does not cure.")
}

// conflict is the answer where one of the policy's guards says that something may be done once only, and it was.
func (p *plan) conflict() *Problem {
	return p.problem(caseConflict, "It may be done once only, and has been done by another request.")
}

// duplicateEffect is the answer where a guard says that this effect is there already.
func (p *plan) duplicateEffect() *Problem {
	return p.problem(caseDuplicateEffect, "It was made by another request. Read the current state instead.")
}

// notRebuilt is the answer where the function that rebuilds answers failed.
func (p *plan) notRebuilt() *Problem {
	return p.problem(caseInternal, "The request was carried out before and its effect stands, but its answer could not be made. Send it again with the same key.")
}

// answerUnavailable is notRebuilt where the store is to blame, or the time.
func (p *plan) answerUnavailable() *Problem {
	return p.retryLater(p.problem(caseAnswerUnavailable, "Its effect stands. Send the same request again later, with the same key."))
}

// unrecorded is the answer where nothing tells whether the work was done, and a next attempt would not find out either.
func (p *plan) unrecorded() *Problem {
	problem := p.problem(caseUnknownOutcome,
		"It may have been carried out, and there is no record of it, so sending it again may repeat its effect.")
	problem.Status = http.StatusInternalServerError // not 503, which invites to try again
	return problem
}

// unplanned is the answer for an operation that cannot be served at all.
func unplanned() *Problem {
	return &Problem{
		Status: caseInternal.status,
		Type:   DefaultProblemBase + caseInternal.name,
		Title:  caseInternal.title,
		Detail: "Nothing was done.",

		outcome: caseInternal.outcome,
	}
}
