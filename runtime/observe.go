package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// PanicError is what a [WithErrorObserver] function is given of a handler that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the panic's value and where it happened.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// observe reports an error that a client is not told. The text of an error, of a handler's above all, may repeat what the
// client sent: without an observer only the types of its chain and its SQLSTATE are logged, and of a panic the stack.
func (e *Engine[TX]) observe(ctx context.Context, p *plan, what string, err error) {
	if e.settings.onError != nil {
		e.settings.onError(ctx, p.op.ID, err)
		return
	}
	attributes := []any{"operation", p.op.ID, "type", types(err)}
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		attributes = append(attributes, "sqlstate", state.SQLState())
	}
	var panicked *PanicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, "panic", fmt.Sprintf("%T", panicked.Value), "stack", string(panicked.Stack))
	}
	e.settings.logger.ErrorContext(ctx, "idempotency: "+what, attributes...)
}

// types names the types of an error's chain, from the outside in.
func types(err error) string {
	var names []string
	for ; err != nil; err = errors.Unwrap(err) {
		names = append(names, fmt.Sprintf("%T", err))
	}
	return strings.Join(names, " > ")
}
