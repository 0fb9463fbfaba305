package runtime

import (
	"errors"
	"strings"
)

// Explained is an error that says what a service's own code or set-up does wrong. LogText holds nothing that a client sent,
// so it is logged, where of other errors only the type is; see [WithLogger].
type Explained interface {
	error
	LogText() string
}

// Explain returns an [Explained] error that wraps cause, which may be nil. It is for stores and generated code: text is
// written by them alone, with no value of a request in it.
func Explain(text string, cause error) error { return &explained{text, cause} }

type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string {
	if e.cause == nil {
		return e.text
	}
	return e.text + ": " + e.cause.Error()
}

func (e *explained) Unwrap() error { return e.cause }

func (e *explained) LogText() string { return e.text }

// isExplained reports whether err is or wraps an [Explained] error.
func isExplained(err error) bool {
	var known Explained
	return errors.As(err, &known)
}

// explanation is what the [Explained] errors in err say, from the outside in.
func explanation(err error) string {
	var texts []string
	for _, e := range chain(err) {
		if known, ok := e.(Explained); ok { //nolint:errorlint // chain has unwrapped it
			texts = append(texts, known.LogText())
		}
	}
	return strings.Join(texts, ": ")
}

// chain is err and all that it wraps, from the outside in.
func chain(err error) []error {
	if err == nil {
		return nil
	}
	all := []error{err}
	switch wrapper := err.(type) { //nolint:errorlint // this is the unwrapping
	case interface{ Unwrap() error }:
		all = append(all, chain(wrapper.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, inner := range wrapper.Unwrap() {
			all = append(all, chain(inner)...)
		}
	}
	return all
}
