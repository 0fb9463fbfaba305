package wire

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
)

// Nullable is a member that may be absent, null or a value, where the three mean different things, as in a PATCH. The
// zero Nullable is absent. In a struct it is written with the tag `json:"name,omitzero"`.
type Nullable[T any] struct {
	value T
	state nullState
}

type nullState uint8

const (
	isAbsent nullState = iota
	isNull
	isValue
)

// Some returns a Nullable that holds a value.
func Some[T any](value T) Nullable[T] { return Nullable[T]{value, isValue} }

// Null returns a Nullable that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: isNull} }

// ReadNullable reads a member in its three states.
func ReadNullable[T any](v Value, read func(Value) T) Nullable[T] {
	switch {
	case !v.Present(), v.kind() == spoiled:
		return Nullable[T]{}
	case v.IsNull():
		return Null[T]()
	default:
		return Some(read(v))
	}
}

// Get returns the value; ok is false when n is absent or null.
func (n Nullable[T]) Get() (value T, ok bool) { return n.value, n.state == isValue }

// IsNull reports whether n is null.
func (n Nullable[T]) IsNull() bool { return n.state == isNull }

// IsZero reports whether n is absent; encoding/json leaves out such a member that has the option omitzero.
func (n Nullable[T]) IsZero() bool { return n.state == isAbsent }

// MarshalJSON writes the value, or null when there is none.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.state != isValue {
		return []byte("null"), nil
	}
	return Marshal(n.value)
}

// UnmarshalJSON reads null or a value. encoding/json does not call it for an absent member.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		*n = Null[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*n = Some(value)
	return nil
}

// Value implements driver.Valuer, so that a Nullable is a query argument: the value as database/sql converts it, by its
// own Value method where it has one, and NULL when n is null or absent. An UPDATE that leaves an absent member alone has
// to ask IsZero.
func (n Nullable[T]) Value() (driver.Value, error) {
	if n.state != isValue {
		return nil, nil
	}
	return driver.DefaultParameterConverter.ConvertValue(n.value) // calls the Value of a driver.Valuer
}

// Scan implements sql.Scanner: NULL is null, anything else a value, converted as database/sql does for a T. n is never
// absent afterwards, and unchanged after an error.
func (n *Nullable[T]) Scan(src any) error {
	var scanned sql.Null[T]
	if err := scanned.Scan(src); err != nil {
		return err
	}
	if !scanned.Valid {
		*n = Null[T]()
		return nil
	}
	*n = Some(scanned.V)
	return nil
}
