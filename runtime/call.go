package runtime

import (
	"bytes"
	"errors"
	"net/http"
)

// Call is one request that [Engine.Begin] let through. It is used by one goroutine and ends with [Call.Reject] or
// [Call.Transaction].
type Call[TX any] struct {
	engine    *Engine[TX]
	plan      *plan
	writer    http.ResponseWriter
	request   *http.Request
	reader    bytes.Reader // request.Body reads from it
	body      []byte
	principal string
	id        ID
	key       string
	first     firstSent
	print     [fingerprintSize]byte
	current   CurrentFunc[TX] // nil unless a replay is rebuilt
	watch     watch
}

// Request is the request as the client sent it, unzipped, with its Body at the beginning again at each call.
func (c *Call[TX]) Request() *http.Request {
	c.reader.Reset(c.body)
	return c.request
}

// Body is the whole body, unzipped. It must not be changed.
func (c *Call[TX]) Body() []byte { return c.body }

// Key is the client's key, decoded; "" where the key is optional and absent.
func (c *Call[TX]) Key() string { return c.key }

// Principal is who asks.
func (c *Call[TX]) Principal() string { return c.principal }

// Reject answers a request that is invalid before any work: nothing is stored, and the corrected request may be sent with
// the same key. An err that is or wraps a [ProblemError] is answered as it says, any other with 400 and its text.
func (c *Call[TX]) Reject(err error) {
	if problem, ok := asProblem(err); ok {
		c.finish(c.refuseAs(OutcomeInvalid, problem))
		return
	}
	detail := ""
	if err != nil {
		detail = err.Error()
	}
	c.finish(c.refuse(c.plan.problem(caseBadRequest, detail)))
}

// read takes from r who asks, the key and the body, and makes the record's id and the fingerprint of them. What is wrong
// comes back as the problem to answer with.
func (c *Call[TX]) read(r *http.Request) *Problem {
	p := c.plan
	var problem *Problem
	if c.principal, problem = c.engine.identify(p, r); problem != nil {
		return problem
	}
	if c.key, problem = p.keyOutsideBody(r); problem != nil {
		return problem
	}
	if c.request, c.body, problem = p.readBody(c.writer, r, &c.reader); problem != nil {
		if problem.Err != nil {
			c.engine.observe(r.Context(), p, "no body to read", problem.Err)
		}
		return problem
	}
	content, problem := p.parseBody(c.request, c.body)
	if problem != nil {
		return problem
	}
	if c.key, problem = p.keyInBody(c.key, content); problem != nil {
		return problem
	}
	if c.key == "" {
		return nil
	}
	if c.first, problem = p.firstAttempt(c.request); problem != nil {
		return problem
	}
	scope, problem := p.scope(c.request, c.principal)
	if problem != nil {
		return problem
	}
	c.id = ID{Scope: scope, Key: c.key}
	c.print = p.fingerprintOf(c.request, content)
	return nil
}

// identify asks the principal function. An account that is not known never falls back to a shared one.
func (e *Engine[TX]) identify(p *plan, r *http.Request) (string, *Problem) {
	principal, err := e.principal(r)
	if err == nil && principal != "" {
		return principal, nil
	}
	if problem, ok := asProblem(err); ok {
		return "", problem
	}
	switch {
	case err == nil || errors.Is(err, ErrUnauthenticated):
		problem := p.problem(caseUnauthenticated, "Send the request with valid credentials.")
		problem.Header.Set("WWW-Authenticate", e.settings.challenge)
		return "", problem
	default:
		e.observe(r.Context(), p, "principal function failed", err)
		return "", p.unavailableWithoutKey()
	}
}

// respond is a problem in the operation's shape.
func (c *Call[TX]) respond(problem *Problem) Response {
	answer := problem.response(c.plan)
	c.dropMarker(answer)
	return answer
}

// unavailable is the plan's, in words that fit the request.
func (c *Call[TX]) unavailable() *Problem {
	if c.key == "" {
		return c.plan.unavailableWithoutKey()
	}
	return c.plan.unavailable()
}

// internal is the plan's, in words that fit the request.
func (c *Call[TX]) internal() *Problem {
	if c.key == "" {
		return c.plan.internalWithoutKey()
	}
	return c.plan.internal()
}
