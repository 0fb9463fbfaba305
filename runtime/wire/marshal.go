package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Marshal writes a value as encoding/json does, but without escaping for HTML, for MarshalJSON methods. The text is
// read by programs, not by browsers, and the same text is what a replay sends.
func Marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MarshalObject writes the members of known, which must be written as an object, and then those of more, sorted by
// name. A name that known has written is left out of more.
func MarshalObject(known any, more map[string]any) ([]byte, error) {
	text, err := Marshal(known)
	if err != nil {
		return nil, err
	}
	root, problem := parseJSON(string(text))
	if problem != "" || root.kind != object {
		return nil, fmt.Errorf("%T is not written as a JSON object", known)
	}
	out := text[:len(text)-1]
	empty := len(root.kids) == 0
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if _, taken := root.find(name); taken {
			continue
		}
		value, err := Marshal(more[name])
		if err != nil {
			return nil, err
		}
		if !empty {
			out = append(out, ',')
		}
		empty = false
		out = append(append(appendJSONString(out, name), ':'), value...)
	}
	return append(out, '}'), nil
}

// Unmarshal reads a JSON text as a request's body is read, checks included, for UnmarshalJSON methods. The error is an
// [*Invalid].
func Unmarshal[T any](data []byte, read func(Value) T) (T, error) {
	in := NewReader(nil, data)
	value := read(in.JSON())
	return value, in.Err()
}

// Into reads a value by encoding/json, into a type that knows by itself how it is written. The fields of a form or
// parameter are strings to it.
func Into[T any](v Value) T {
	var value T
	raw := v.Raw()
	if raw == nil {
		return value
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		v.spoil("must be what the service's own type takes") // err may repeat the value
		var zero T
		return zero
	}
	return value
}
