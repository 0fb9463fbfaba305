// Package param has the types by which generated SDKs tell a value from none.
package param

// Opt is a value or none.
type Opt[T any] struct {
	Value T
	set   bool
}

// NewOpt makes a value that is set.
func NewOpt[T any](value T) Opt[T] { return Opt[T]{Value: value, set: true} }

// String is a text or none.
type String struct {
	value string
	set   bool
}

// NewString makes a text that is set.
func NewString(value string) String { return String{value, true} }

// To points to a copy of a value.
func To[T any](value T) *T { return &value }
