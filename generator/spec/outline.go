package spec

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// maxOutline bounds the members of one outline. The largest body of a real document has under 400.
const maxOutline = 2000

// outline is what can be said of every operation at little cost: its schemas are looked at two levels deep and no further.
// Nothing that is wrong is reported here.
func (l *loading) outline(op *operation) policy.Outline {
	var o policy.Outline
	for _, tag := range items(get(op.node, "tags")) {
		if isText(tag) {
			o.Tags = append(o.Tags, tag.Value)
		}
	}
	parameters, _ := l.parameters(op, looking)
	for _, parameter := range parameters {
		if text(get(parameter, "in")) == "header" {
			o.Headers = append(o.Headers, text(get(parameter, "name")))
		}
	}
	slices.Sort(o.Headers)
	o.Members = l.outlineMembers(op)
	o.Answers = l.outlineAnswers(op)
	o.Retries = l.retries(op)
	return o
}

func (l *loading) outlineMembers(op *operation) []policy.OutlineMember {
	if op.out.Method == "GET" || op.out.Method == "HEAD" {
		return nil
	}
	var list []policy.OutlineMember
	seen := map[string]bool{}
	add := func(pointer string, at *yaml.Node) {
		if !seen[pointer] && len(list) < maxOutline {
			seen[pointer] = true
			list = append(list, policy.OutlineMember{Pointer: pointer, Pos: l.src.at(at)})
		}
	}
	body, _ := l.refs.deref(get(op.node, "requestBody"), looking)
	for _, content := range members(get(body, "content")) {
		content, _ = l.refs.deref(content, looking)
		for _, top := range l.properties(get(content, "schema")) {
			pointer := "/" + escapeToken(top.key.Value)
			add(pointer, top.key)
			value, _ := l.refs.deref(top.schema, looking)
			inner, prefix := value, pointer+"/"
			if each := get(value, "items"); each != nil {
				inner, prefix = each, pointer+"/-/"
			}
			for _, member := range l.properties(inner) {
				add(prefix+escapeToken(member.key.Value), member.key)
			}
		}
	}
	return list
}

func (l *loading) outlineAnswers(op *operation) []policy.OutlineAnswer {
	var list []policy.OutlineAnswer
	for status, response := range members(get(op.node, "responses")) {
		if strings.HasPrefix(status.Value, "x-") {
			continue
		}
		response, _ = l.refs.deref(response, looking)
		answer := policy.OutlineAnswer{Status: status.Value, Pos: l.src.at(status)}
		for mediaType := range members(get(response, "content")) {
			answer.MediaTypes = append(answer.MediaTypes, mediaType.Value)
		}
		slices.Sort(answer.MediaTypes)
		list = append(list, answer)
	}
	slices.SortFunc(list, func(a, b policy.OutlineAnswer) int { return cmp.Compare(a.Status, b.Status) })
	return list
}

// speakeasyRetries is what generated clients are told about repeating requests, at the root and on operations; it is
// written down at https://www.speakeasy.com/docs/customize-sdks/retries. Of the extensions that published documents use
// it is the one that says for how long.
const speakeasyRetries = "x-speakeasy-retries"

func (l *loading) retries(op *operation) *policy.Retries {
	key, value := lookup(op.node, speakeasyRetries)
	if value == nil {
		key, value = lookup(l.root, speakeasyRetries)
	}
	if !isMap(value) {
		return nil
	}
	r := &policy.Retries{Member: speakeasyRetries, Pos: l.src.at(key)}
	r.Off = text(get(value, "strategy")) == "none"
	const longest = int(^uint(0)>>1) / int(time.Millisecond)
	if elapsed := count(walk(value, "backoff", "maxElapsedTime")); elapsed <= longest {
		r.MaxElapsed = time.Duration(elapsed) * time.Millisecond
	}
	return r
}
