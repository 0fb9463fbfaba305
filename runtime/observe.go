package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// PanicError is what a [WithErrorObserver] function is given of a handler that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the panic's value and where it happened.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// Describer is a store that can say more of an error of its database than the type, without any of the data: the names of
// the table and the constraint, for example. A [Store] may implement it; what it returns is logged.
type Describer interface {
	Describe(err error) []slog.Attr
}

// observe reports an error that a client is not told. The text of an error, of a handler's above all, may repeat what the
// client sent. Without an observer what is logged of it is the types of its chain, its SQLSTATE, what the store describes,
// what its [Explained] parts say, and of a panic the stack.
func (e *Engine[TX]) observe(ctx context.Context, p *plan, what string, err error) {
	if e.settings.onError != nil {
		e.settings.onError(ctx, p.op.ID, err)
		return
	}
	attributes := []slog.Attr{slog.String("operation", p.op.ID)}
	if text := explanation(err); text != "" {
		attributes = append(attributes, slog.String("cause", text))
	}
	attributes = append(attributes, slog.String("type", types(err)))
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		attributes = append(attributes, slog.String("sqlstate", state.SQLState()))
	}
	if store, ok := e.store.(Describer); ok {
		attributes = append(attributes, store.Describe(err)...)
	}
	var panicked *PanicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, slog.String("panic", fmt.Sprintf("%T", panicked.Value)), slog.String("stack", string(panicked.Stack)))
	}
	attributes = append(attributes, slog.String("more", "runtime.WithErrorObserver is given the error whole"))
	e.settings.logger.LogAttrs(ctx, slog.LevelError, "idempotency: "+what, attributes...)
}

// types names the types of an error and of what it wraps, from the outside in.
func types(err error) string {
	var names []string
	for _, e := range chain(err) {
		names = append(names, fmt.Sprintf("%T", e))
	}
	return strings.Join(names, " > ")
}
