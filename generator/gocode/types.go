package gocode

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// shape is what a schema is in Go.
type shape int

const (
	raw       shape = iota // json.RawMessage: anything, or what cannot be typed faithfully
	boolean                // bool
	int32s                 // int32, format int32
	int64s                 // int64
	float32s               // float32, format float
	float64s               // float64, format double
	number                 // json.Number: every digit of a number without a format, because float64 loses cents
	text                   // string
	timestamp              // time.Time, format date-time
	date                   // wire.Date, format date
	octets                 // []byte, format byte
	file                   // wire.File, format binary within multipart
	enum                   // a named string type with constants
	record                 // a struct
	list                   // a slice
	dict                   // a map
)

// typ is the Go type of one schema. Schemas are a graph, so typs are: there is one per schema node and use.
type typ struct {
	shape  shape
	schema *policy.Schema
	// name is the type's Go name; empty for a type written in place.
	name string
	// what says what a type is whose schema has no name.
	what string
	// home is the import path of a type of the user's; empty for the generated package's own.
	home string
	// hidden is true for what only types of the user's are made of: it is checked and not declared.
	hidden bool
	// reader is the function that reads the type; checker the one that only checks it, for what the generated package does
	// not declare. They are empty where an expression does.
	reader, checker string
	// item is what a list or a dict holds.
	item slot
	// fields are a record's.
	fields []*field
	// more is what a record keeps of members that are not among its fields; nil when it keeps none.
	more *slot
	// pattern is the variable that holds the compiled pattern; empty when there is none to check.
	pattern string
	// used is true when a request's own reader, and not only a checker, comes to the type.
	used bool
	// asked and answered say whether requests and responses reach the type.
	asked, answered bool
}

// field is one member of a record.
type field struct {
	name   string // in Go
	member string // in JSON
	slot   slot
	// required is what a request must hold, present what an answer must: a read-only member is not asked for, a
	// write-only one not answered.
	required, present bool
	// tagged is false for a member name that a struct tag cannot carry; MarshalJSON writes such members.
	tagged bool
}

// wrap is how a value is kept where it may be absent or null.
type wrap int

const (
	plain  wrap = iota // T; for slices, maps and raw messages nil is absence
	opt                // *T, nil when absent
	orNull             // *T, nil when absent or null
	tri                // wire.Nullable[T]: absent, null and a value are three things
)

// slot is a place that holds a value: a field, an item, a parameter.
type slot struct {
	typ *typ
	// schema is the schema as it stands in this place: null, direction and description may be the place's own.
	schema *policy.Schema
	wrap   wrap
	// boxed puts a pointer into a plain or tri slot, where a record would contain itself.
	boxed bool
}

// nilable reports whether absence needs no pointer. Of a type of the user's nobody knows.
func (t *typ) nilable() bool {
	if t.home != "" {
		return false
	}
	return t.shape == raw || t.shape == octets || t.shape == list || t.shape == dict
}

// place returns how a value of t is kept where schema s stands. Null and absence are told apart where a request could mean two things by them:
// optional and nullable members, as in a merge patch.
func (t *typ) place(s *policy.Schema, required, asked bool) slot {
	if s == nil {
		s = t.schema
	}
	place := slot{typ: t, schema: s}
	switch null := nullable(s); {
	case t.shape == raw:
		place.wrap = plain // null is data there
	case !required && null && asked:
		place.wrap = tri
	case t.nilable():
		place.wrap = plain
	case null:
		place.wrap = orNull
	case !required:
		place.wrap = opt
	}
	return place
}

// shapeOf decides what a schema is in Go. multipart is true where a binary member is a file.
func shapeOf(s *policy.Schema, multipart bool) shape {
	switch s.Kind {
	case policy.Boolean:
		return boolean
	case policy.Integer:
		return integerShape(s)
	case policy.Number:
		switch s.Format {
		case "float":
			return float32s
		case "double":
			return float64s
		}
		return number
	case policy.String:
		return stringShape(s, multipart)
	case policy.Array:
		return list
	case policy.Object:
		if len(s.Properties) == 0 && (s.AdditionalAllowed || s.Additional != nil) {
			return dict
		}
		return record
	}
	return raw
}

// integerShape is int64 unless the schema says less, or allows more than an int64 holds.
func integerShape(s *policy.Schema) shape {
	if s.Format == "int32" {
		return int32s
	}
	if limit, ok := new(big.Float).SetString(s.Maximum); ok && limit.Cmp(big.NewFloat(1<<63)) > 0 {
		return number
	}
	if s.Format == "uint64" {
		return number
	}
	return int64s
}

func stringShape(s *policy.Schema, multipart bool) shape {
	switch s.Format {
	case "date-time":
		return timestamp
	case "date":
		return date
	case "byte":
		return octets
	case "binary":
		if multipart {
			return file
		}
		return text
	}
	if values, ok := enumTexts(s); ok && len(values) > 0 {
		return enum
	}
	return text
}

// enumTexts returns the allowed strings; ok is false when something else than strings and null is among them.
func enumTexts(s *policy.Schema) (values []string, ok bool) {
	seen := map[string]bool{}
	for _, literal := range s.Enum {
		if string(literal) == "null" {
			continue
		}
		var value string
		if json.Unmarshal(literal, &value) != nil {
			return nil, false
		}
		if !seen[value] {
			seen[value] = true
			values = append(values, value)
		}
	}
	return values, true
}

// nullable reports whether null is allowed: by nullable, or as one of the enum's values.
func nullable(s *policy.Schema) bool {
	isNull := func(literal json.RawMessage) bool { return string(literal) == "null" }
	return s.Nullable || slices.ContainsFunc(s.Enum, isNull)
}

// tagSafe reports whether encoding/json takes name from a struct tag as it is.
func tagSafe(name string) bool {
	if name == "" || name == "-" {
		return false
	}
	for _, r := range name {
		if isWordRune(r) || strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			continue
		}
		return false
	}
	return true
}
