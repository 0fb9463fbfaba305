package keyflow

import (
	"fmt"
	"strconv"
)

// Quality is how a value is made.
type Quality string

// Qualities. Random and ordered identifiers are fresh at every call; Derived is the same for the same input.
const (
	Random  Quality = "random"  // uuid v4, crypto/rand, nanoid
	Ordered Quality = "ordered" // uuid v1, v6, v7, ulid, xid, ksuid
	Weak    Quality = "weak"    // math/rand
	Clock   Quality = "clock"   // time.Now and what is made of it
	Counter Quality = "counter" // an attempt or sequence number
	Person  Quality = "person"  // an e-mail address, a telephone number
	Derived Quality = "derived" // uuid v3, v5, a hash
)

// Fresh reports whether such a value differs from call to call.
func (q Quality) Fresh() bool {
	switch q {
	case Random, Ordered, Weak, Clock:
		return true
	}
	return false
}

// Mints is the fact of a function whose results are new at every call, or are made of its parameters.
type Mints struct{ Flows []Flow }

// Flow is one thing that a result of a function is made of.
type Flow struct {
	Result   int     // which result
	Field    string  // of that result's struct, "" for the result itself
	Quality  Quality // how it is minted; "" when it comes from a parameter
	Param    int     // the parameter, the receiver counted as the first one; -1 when it is minted
	Of       string  // the field of the parameter, "" for itself
	Mixed    bool    // one of several values that the result may have
	IfAbsent []int   // parameters that were looked at first: it is minted only when the caller gives none
	Path     []string
}

// SendsKey is the fact of a function that sends an idempotency key.
type SendsKey struct {
	Own    bool      // it mints what it sends, whoever calls it
	Absent []int     // it mints what it sends unless one of these parameters brings a key; Own is false then
	Mint   Quality   // how its own key is made
	Params []ParamOf // parameters that become the key
	Path   []string  // "pay.charge (pay.go:12)", outermost first, the mint last
}

// ParamOf is a parameter, the receiver counted as the first one, or a field of it.
type ParamOf struct {
	Index int
	Field string
}

// Retries is the fact of a function that calls parameters, or functions that are fields of them, again until they succeed.
type Retries struct{ Params []ParamOf }

// Touches is the fact of a package whose functions have any of the other facts. It is the gate of packages that import nothing else of interest.
type Touches struct{}

// AFact marks the facts.
func (*Mints) AFact()    {}
func (*SendsKey) AFact() {}
func (*Retries) AFact()  {}
func (*Touches) AFact()  {}

func (f *Mints) String() string {
	text := "mints"
	for _, flow := range f.Flows {
		switch {
		case flow.Quality == "":
			text += fmt.Sprintf(" %d%s<-%d%s", flow.Result, dot(flow.Field), flow.Param, dot(flow.Of))
		case flow.Mixed:
			text += fmt.Sprintf(" %d%s=maybe-%s", flow.Result, dot(flow.Field), flow.Quality)
		default:
			text += fmt.Sprintf(" %d%s=%s", flow.Result, dot(flow.Field), flow.Quality)
		}
	}
	return text
}

func (f *SendsKey) String() string {
	text := "sends"
	if f.Own {
		text += " own-" + string(f.Mint)
	}
	for _, index := range f.Absent {
		text += fmt.Sprintf(" unless-%d", index)
	}
	for _, param := range f.Params {
		text += fmt.Sprintf(" %d%s", param.Index, dot(param.Field))
	}
	return text
}

func (f *Retries) String() string {
	params := make([]string, len(f.Params))
	for i, param := range f.Params {
		params[i] = strconv.Itoa(param.Index) + dot(param.Field)
	}
	return fmt.Sprintf("retries %v", params)
}
func (*Touches) String() string { return "touches" }

func dot(field string) string {
	if field == "" {
		return ""
	}
	return "." + field
}

// Facts are kept small: a function with more than this is not one that people wrote to make a key.
const (
	maxFlows  = 12
	maxParams = 8
	maxPath   = 6
)
