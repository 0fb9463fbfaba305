package runtime

import (
	"context"
	"slices"
)

// Observers is an observer that tells each of the given ones, in their order; the ends of requests in the opposite one, so
// that what the first has begun it ends last.
func Observers(observers ...Observer) Observer {
	return several(slices.DeleteFunc(slices.Clone(observers), func(o Observer) bool { return o == nil }))
}

type several []Observer

func (s several) Request(ctx context.Context, operation string) (context.Context, func(RequestEvent)) {
	ends := make([]func(RequestEvent), len(s))
	for i, o := range s {
		ctx, ends[i] = o.Request(ctx, operation)
	}
	return ctx, func(event RequestEvent) {
		for _, end := range slices.Backward(ends) {
			end(event)
		}
	}
}

func (s several) Step(ctx context.Context, event StepEvent) {
	for _, o := range s {
		o.Step(ctx, event)
	}
}

func (s several) LeaseLost(ctx context.Context, event LeaseLostEvent) {
	for _, o := range s {
		o.LeaseLost(ctx, event)
	}
}

func (s several) WorkLimit(ctx context.Context, event WorkLimitEvent) {
	for _, o := range s {
		o.WorkLimit(ctx, event)
	}
}

func (s several) Recovered(ctx context.Context, event RecoveryEvent) {
	for _, o := range s {
		o.Recovered(ctx, event)
	}
}

func (s several) Backlog(ctx context.Context, backlog Backlog) {
	for _, o := range s {
		o.Backlog(ctx, backlog)
	}
}
