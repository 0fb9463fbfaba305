package runtime

import (
	"context"
	"net/http"
	"time"
)

// reply is an answer and what became of the request that it answers.
type reply struct {
	Response
	outcome Outcome
}

// watch is what the engine's observer is told of one request: exactly once, whichever way the request ends.
type watch struct {
	end   func(RequestEvent) // nil once told
	began time.Time
	event RequestEvent // Waited and Runs are counted in it
}

// begin tells observer of a request and returns it with the observer's context.
func (w *watch) begin(observer Observer, r *http.Request, operation string) *http.Request {
	w.began = time.Now()
	w.event.Operation = operation
	var ctx context.Context
	ctx, w.end = observer.Request(r.Context(), operation)
	if ctx == r.Context() {
		return r
	}
	return r.WithContext(ctx)
}

// tell tells the end of the request, if it has not been told. status is 0 where no answer is sent.
func (w *watch) tell(outcome Outcome, status int) {
	end := w.end
	if end == nil {
		return
	}
	w.end = nil
	w.event.Outcome, w.event.Status = outcome, status
	w.event.Duration = time.Since(w.began)
	end(w.event)
}

// finish tells the observer what became of the request, and sends its answer.
func (c *Call[TX]) finish(r reply) {
	c.watch.tell(r.outcome, r.Status)
	c.accompany(r)
	send(c.writer, r.Response)
}

// End has the observer told of a request that ends without an answer: what stands between [Engine.Begin] and the call's
// own end, such as the reading of the parameters, panicked. It is deferred there, and does nothing where the call has
// ended.
func (c *Call[TX]) End() { c.watch.tell(OutcomeFailed, 0) }

// refuse answers with a problem of the runtime's own, and says of the request what its kind says.
func (c *Call[TX]) refuse(problem *Problem) reply {
	return reply{c.respond(problem), problem.outcome}
}

// refuseAs answers with a problem, and says of the request what outcome says.
func (c *Call[TX]) refuseAs(outcome Outcome, problem *Problem) reply {
	return reply{c.respond(problem), outcome}
}
