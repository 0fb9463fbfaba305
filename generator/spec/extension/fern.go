package extension

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Fern's pair is imported with Fern's meaning: `x-fern-idempotent: true` marks an operation that takes the headers which
// `x-fern-idempotency-headers` lists at the root of the document
// (fern-api/docs, products/sdks/guides/configure-idempotency.mdx). x-idempotency on the operation goes before it.

// decideByFern decides about an operation that Fern marks.
func (v *resolver) decideByFern() bool {
	if v.in.FernIdempotent == nil {
		return false
	}
	r := &reader{at: v.in.At, outer: v.op.Pos}
	defer func() { v.diags = append(v.diags, r.diags...) }()
	mark := r.resolve(v.in.FernIdempotent)
	marked, ok := r.fernMark(mark)
	if !ok || !marked {
		return false
	}
	key, found := v.fernKey(r.fernHeaders(v.in.FernHeaders))
	if !found {
		r.report(ruleFernWithoutKey, mark, "decide with x-idempotency, or list one key header in x-fern-idempotency-headers",
			"%s is marked as idempotent for Fern, and which key it takes cannot be told", v.name())
		return false
	}
	v.accept(key, r.position(mark))
	return true
}

func (r *reader) fernMark(node *yaml.Node) (marked, ok bool) {
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		r.report(ruleFern, node, "write x-fern-idempotent: true", "x-fern-idempotent is true or false, not %s", describe(node))
		return false, false
	}
	return strings.EqualFold(node.Value, "true"), true
}

// fernHeaders reads the list of {header, name}. Members that are not about the header are Fern's own affair.
func (r *reader) fernHeaders(node *yaml.Node) []policy.DeclaredKey {
	if node == nil {
		return nil
	}
	value := r.resolve(node)
	if value == nil || value.Kind != yaml.SequenceNode {
		r.report(ruleFern, value, "write [{header: Idempotency-Key, name: idempotencyKey}]", "x-fern-idempotency-headers is a list, not %s", describe(value))
		return nil
	}
	entries, _ := r.entries(value, "x-fern-idempotency-headers")
	var keys []policy.DeclaredKey
	for i, entry := range entries {
		if key, ok := r.fernHeader(entry, i); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

func (r *reader) fernHeader(entry *yaml.Node, index int) (policy.DeclaredKey, bool) {
	member := "x-fern-idempotency-headers[" + strconv.Itoa(index) + "]"
	fields, ok := r.objectIn(entry, member)
	if !ok {
		return policy.DeclaredKey{}, false
	}
	for _, f := range fields {
		if f.name != "header" {
			continue
		}
		name, ok := headerName(reservedHeaders, "has a meaning of its own in HTTP")(r, f.value, member+".header")
		key := policy.Key{In: policy.InHeader, Name: name, Required: true}
		return policy.DeclaredKey{Key: key, Known: "x-fern-idempotency-headers", Pos: r.position(f.value)}, ok
	}
	r.report(ruleFern, entry, "write {header: Idempotency-Key, name: idempotencyKey}", "%s names no header", member)
	return policy.DeclaredKey{}, false
}

// fernKey is the key that a marked operation takes: its only declared one, of several the one that Fern lists, else the
// only header of Fern's list that is called a key.
func (v *resolver) fernKey(headers []policy.DeclaredKey) (policy.DeclaredKey, bool) {
	usable := usableKeys(v.op)
	if len(usable) == 1 {
		return usable[0], true
	}
	var listed []policy.DeclaredKey
	for _, key := range usable {
		for _, header := range headers {
			if samePlace(key.Key, header.Key) {
				listed = append(listed, key)
			}
		}
	}
	if len(usable) == 0 {
		listed = headers
	}
	if len(listed) > 1 {
		listed = calledKey(listed)
	}
	if len(listed) == 1 {
		return listed[0], true
	}
	return policy.DeclaredKey{}, false
}

// calledKey keeps the headers whose name says that they carry a key; Fern's list may also have an expiry.
func calledKey(keys []policy.DeclaredKey) []policy.DeclaredKey {
	var called []policy.DeclaredKey
	for _, key := range keys {
		if name := diag.Fold(key.Key.Name); strings.HasSuffix(name, "key") || strings.HasSuffix(name, "requestid") {
			called = append(called, key)
		}
	}
	return called
}
