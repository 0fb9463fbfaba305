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
)

// problemCase is one thing the runtime itself has to say.
type problemCase struct {
	name   string
	status int
	title  string
	// answer finds what the policy says of the case; nil where a policy has no say.
	answer func(*policy.Errors) policy.ErrorAnswer
}

var (
	caseMissing     = &problemCase{ProblemMissingKey, 400, "Idempotency key is missing", func(e *policy.Errors) policy.ErrorAnswer { return e.Missing }}
	caseMalformed   = &problemCase{ProblemMalformedKey, 400, "Idempotency key is malformed", func(e *policy.Errors) policy.ErrorAnswer { return e.Malformed }}
	caseMismatch    = &problemCase{ProblemKeyReused, 422, "Idempotency key was used for another request", func(e *policy.Errors) policy.ErrorAnswer { return e.Mismatch }}
	caseInFlight    = &problemCase{ProblemInFlight, 409, "A request with this idempotency key is in progress", func(e *policy.Errors) policy.ErrorAnswer { return e.InFlight }}
	caseUnavailable = &problemCase{ProblemUnavailable, 503, "The request was not carried out", func(e *policy.Errors) policy.ErrorAnswer { return e.Unavailable }}
	caseTooLarge    = &problemCase{ProblemAnswerNotKept, 409, "The request was carried out, its answer was too large to keep", func(e *policy.Errors) policy.ErrorAnswer { return e.TooLarge }}

	caseOldVersion      = &problemCase{ProblemUnknownFingerprint, 422, "The earlier request with this key cannot be compared", nil}
	caseUnknownOutcome  = &problemCase{ProblemOutcomeUnknown, 503, "The outcome of the request is not known yet", nil}
	caseConflict        = &problemCase{ProblemConflict, 409, "The request conflicts with an earlier one", nil}
	caseDuplicateEffect = &problemCase{ProblemDuplicateEffect, 409, "The effect of this request exists already", nil}
	caseUnauthenticated = &problemCase{ProblemUnauthenticated, 401, "The request is not authenticated", nil}
	caseBadBody         = &problemCase{ProblemMalformedBody, 400, "The request body is malformed", nil}
	caseBodyTooLarge    = &problemCase{ProblemBodyTooLarge, 413, "The request body is too large", nil}
	caseBadEncoding     = &problemCase{ProblemUnsupportedEncoding, 415, "The request body's encoding is not supported", nil}
	caseBadRequest      = &problemCase{ProblemInvalidRequest, 400, "The request is invalid", nil}
	caseBadMedia        = &problemCase{ProblemUnsupportedMedia, 415, "The request body's content type is not supported", nil}
	caseInternal        = &problemCase{ProblemInternalError, 500, "Internal error", nil}
)

var cases = []*problemCase{
	caseMissing, caseMalformed, caseMismatch, caseInFlight, caseUnavailable, caseTooLarge, caseOldVersion, caseUnknownOutcome,
	caseConflict, caseDuplicateEffect, caseUnauthenticated, caseBadBody, caseBodyTooLarge, caseBadEncoding,
	caseBadRequest, caseBadMedia, caseInternal,
}

// problem is what the policy says of a case, completed by the case's own values. detail never repeats what a client sent.
func (p *plan) problem(c *problemCase, detail string) *Problem {
	problem := &Problem{
		Status: c.status,
		Type:   p.settings.problemBase + c.name,
		Title:  c.title,
		Detail: detail,
		Header: http.Header{},
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
	seconds := int64((p.op.Policy.InFlight.RetryAfter + time.Second - 1) / time.Second)
	problem.Header.Set("Retry-After", strconv.FormatInt(max(seconds, 1), 10))
	return problem
}

func (p *plan) inFlight() *Problem {
	return p.retryLater(p.problem(caseInFlight, "Send the same request again later, with the same key."))
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
	}
}
