package runtime

import (
	"context"
	"net/http"
	"time"
)

// First is the first answer of a request, as far as it is kept, for a function that rebuilds it.
type First struct {
	Status int
	Header http.Header
	// Body is nil where the policy keeps none, and where it was too large to keep.
	Body []byte
	// At is when it was committed, by the store's clock.
	At time.Time
}

// CurrentFunc rebuilds the answer to a repeated request from the current state, for a policy with `replay.as: current`. It
// reads through tx, which is rolled back afterwards. It has no effect of its own: the request was carried out before.
type CurrentFunc[TX any] func(ctx context.Context, tx TX, first *First) (Response, error)

// Current sets the function that rebuilds the answer to a repetition of this request. It is called before
// [Call.Transaction], and for lease mode by the operation's [LeaseProgram].
func (c *Call[TX]) Current(rebuild CurrentFunc[TX]) { c.current = rebuild }
