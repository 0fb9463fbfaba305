package runtime

import (
	"context"
	"fmt"
)

// taken is the work of a record that somebody holds: its request, what is done for it, and the keys for its external calls.
type taken[TX any] struct {
	call *Call[TX]
	work LeaseWork[TX]
	keys derivation
}

// takeUp makes the work of a record that another worker held of the request that it was stored with, and its keys with the
// secret that it was begun with. The context is the work's, with an error too: in makes it of ctx for the stored principal; nil
// leaves it as it is.
func (e *Engine[TX]) takeUp(ctx context.Context, p *program[TX], held *Held, in func(ctx context.Context, principal string) (context.Context, error)) (context.Context, taken[TX], error) {
	stored, err := held.envelope()
	if err != nil {
		return ctx, taken[TX]{}, err
	}
	if in != nil {
		if ctx, err = in(ctx, stored.principal); err != nil {
			return ctx, taken[TX]{}, err
		}
	}
	call, work, err := e.resume(ctx, p, held, stored)
	if err != nil {
		return ctx, taken[TX]{}, err
	}
	keys, err := e.settings.derivation(held.ID, held.Operation, stored.secret)
	return ctx, taken[TX]{call, work, keys}, err
}

// resume makes the work of a record that another worker held, of the request that it was stored with.
func (e *Engine[TX]) resume(ctx context.Context, p *program[TX], held *Held, stored *envelope) (c *Call[TX], work LeaseWork[TX], err error) {
	for i := range held.Steps {
		if name := held.Steps[i].Name; p.plan.step(name) < 0 { // it was renamed, and would be done again under its new name
			return nil, work, Explain(fmt.Sprintf("the step %q is done, and the policy has none of this name; a service whose policy has it finishes the work", name), nil)
		}
	}
	request, err := stored.request(ctx)
	if err != nil {
		return nil, work, err
	}
	c = &Call[TX]{engine: e, plan: p.plan, request: request, body: stored.body, principal: stored.principal, id: held.ID, key: stored.key}
	c.reader.Reset(c.body)
	request.Body = rewound{&c.reader}
	copy(c.print[:], held.Fingerprint)
	c.first, _ = p.plan.firstAttempt(request) // none where the policy asked for none when it was sent
	err = caught(func() (err error) {
		work, err = p.make(c)
		return err
	})
	if err == nil {
		err = work.check(p.plan)
	}
	return c, work, err
}

// putOff leaves a record in progress that this process cannot work on: it may have had effects.
func (e *Engine[TX]) putOff(ctx context.Context, p *plan, held *Held, err error) leaseEnd {
	if err != nil {
		e.observe(ctx, p, "stored work cannot be taken up", err, e.named(held.ID)...)
	}
	l := newLease(ctx, held, taken[TX]{call: &Call[TX]{engine: e, plan: p}})
	return l.suspend()
}
