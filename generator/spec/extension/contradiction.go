package extension

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// declaredMember is one member that a declaration and x-idempotency can both state.
type declaredMember struct {
	member string
	// value prints it, "" where it is not stated.
	value func(policy.Key) string
}

var declaredMembers = []declaredMember{
	{"key.required", func(k policy.Key) string { return strconv.FormatBool(k.Required) }},
	{"key.minLength", func(k policy.Key) string { return length(k.MinLength) }},
	{"key.maxLength", func(k policy.Key) string { return length(k.MaxLength) }},
	{"key.pattern", func(k policy.Key) string { return k.Pattern }},
	{"key.format", func(k policy.Key) string {
		if k.Format == policy.AnyFormat {
			return ""
		}
		return string(k.Format)
	}},
}

func length(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// reportContradictions compares what x-idempotency states with the declaration of the same key, and reports each
// difference at both places: a client reads one of them, the server keeps the other.
func (v *resolver) reportContradictions(declared policy.DeclaredKey) {
	for _, m := range declaredMembers {
		if m.member == "key.required" && !v.saysRequired(declared) {
			continue // the check of the key's schema reports it
		}
		for _, layer := range v.authoredLayers() {
			set, ok := layer.settings[m.member]
			if !ok || v.statedDeeper(m.member, layer) {
				continue
			}
			var stated policy.Policy
			set.apply(&stated)
			here, there := m.value(stated.Key), m.value(declared.Key)
			if there == "" || here == there {
				continue
			}
			v.reportBoth(set.pos, declared.Pos, "make both say the same",
				m.member+" is "+shown(here)+" in x-idempotency and "+shown(there)+" in the declaration of "+describeKey(declared.Key))
		}
	}
}

// shown prints numbers and words as they are, and anything else as quoted text.
func shown(value string) string {
	switch {
	case value == "":
		return "any"
	case stepName.MatchString(value) || isDigits(value):
		return value
	default:
		return show(value)
	}
}

// statedDeeper reports whether a deeper level than layer states the member too.
func (v *resolver) statedDeeper(member string, layer *Members) bool {
	for _, other := range v.authoredLayers() {
		if _, ok := other.settings[member]; ok && layerOrder[other.Level] > layerOrder[layer.Level] {
			return true
		}
	}
	return false
}

// reportOtherPlace reports that x-idempotency reads a key from a place where the document declares none.
func (v *resolver) reportOtherPlace(usable []policy.DeclaredKey, place policy.Key, at policy.Position) {
	if len(usable) == 0 || place.In == policy.InBody && place.Pointer == "" {
		return
	}
	v.reportBoth(at, usable[0].Pos, "make both name the same place",
		"x-idempotency reads the key from "+describeKey(place)+", and "+v.name()+" declares it in "+keyList(usable))
}

func (v *resolver) reportBoth(here, there policy.Position, hint, message string) {
	v.diags = append(v.diags, finding(ruleContradicts, here, hint, "%s", message))
	if there != here {
		v.diags = append(v.diags, finding(ruleContradicts, there, hint, "%s", message))
	}
}

// describeKey says where a key is: header "Idempotency-Key", body "/idempotency_key".
func describeKey(key policy.Key) string {
	where := key.Name
	if key.In == policy.InBody {
		where = key.Pointer
	}
	return string(key.In) + " " + show(where)
}

func keyList(keys []policy.DeclaredKey) string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = describeKey(key.Key)
	}
	return strings.Join(texts, ", ")
}

// name is how a message calls the operation. Method and path come from the document and are printed with care.
func (v *resolver) name() string { return operationName(v.op) }

func operationName(op *policy.Operation) string {
	const most = 200 // longer than any path that a person reads
	return escape(strings.ToValidUTF8(fmt.Sprintf("%.20s %.*s", op.Method, most, op.Path), "\uFFFD"))
}
