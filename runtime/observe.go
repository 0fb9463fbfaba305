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

// RecordNamer is a store whose records have names, by which they are found in its database. A [Store] may implement it; what
// is logged of work in lease mode has the name as "record".
type RecordNamer interface {
	// RecordName tells neither scope nor key: a short hash of both will do. Whoever knows an account and can guess a key can
	// confirm the guess by it, so it is for logs and not for clients.
	RecordName(id ID) string
}

// observe is the engine's, of the record of a request.
func (c *Call[TX]) observe(ctx context.Context, what string, err error) {
	if c.key == "" { // there is none
		c.engine.observe(ctx, c.plan, what, err)
		return
	}
	c.engine.observe(ctx, c.plan, what, err, c.engine.named(c.id)...)
}

// named is the name of a record, where the store has one.
func (e *Engine[TX]) named(id ID) []slog.Attr {
	if store, ok := e.store.(RecordNamer); ok {
		if name := store.RecordName(id); name != "" {
			return []slog.Attr{slog.String("record", name)}
		}
	}
	return nil
}

// observe reports an error that a client is not told. The text of an error, of a handler's above all, may repeat what the
// client sent. Without an observer what is logged of it is the types of its chain, its SQLSTATE, what the store describes,
// what its [Explained] parts say, and of a panic the stack. known is logged as it is.
func (e *Engine[TX]) observe(ctx context.Context, p *plan, what string, err error, known ...slog.Attr) {
	if e.settings.onError != nil {
		e.settings.onError(ctx, p.op.ID, err)
		return
	}
	attributes := append([]slog.Attr{slog.String("operation", p.op.ID)}, known...)
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

// brief is what can be told of an error with nothing in it that a client sent; "" for nil.
func brief(err error) string {
	if err == nil {
		return ""
	}
	parts := []string{types(err)}
	if text := explanation(err); text != "" {
		parts = []string{text, types(err)}
	}
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		parts = append(parts, "SQLSTATE "+state.SQLState())
	}
	return strings.Join(parts, ", ")
}

// types names the types of an error and of what it wraps, from the outside in.
func types(err error) string {
	var names []string
	for _, e := range chain(err) {
		names = append(names, fmt.Sprintf("%T", e))
	}
	return strings.Join(names, " > ")
}
