package extension

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// The readers here serve one member each.

var keyFormat = oneOf(policy.AnyFormat, policy.UUID, policy.UUID4, policy.UUID5, policy.UUID7)

// not turns `body: true` into OmitBody false.
func not(value read[bool]) read[bool] {
	return func(r *reader, node *yaml.Node, member string) (bool, bool) {
		b, ok := value(r, node, member)
		return !b, ok
	}
}

// canonical reads a header name as http.Header writes it.
func canonical(name read[string]) read[string] {
	return func(r *reader, node *yaml.Node, member string) (string, bool) {
		text, ok := name(r, node, member)
		return canonicalHeader(text), ok
	}
}

// canonicalHeaders sorts the headers of a fingerprint: their order carries no meaning.
func canonicalHeaders(names read[[]string]) read[[]string] {
	return func(r *reader, node *yaml.Node, member string) ([]string, bool) {
		headers, ok := names(r, node, member)
		order := make([]int, len(headers))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(headers[a], headers[b]) })
		sorted, parts := make([]string, len(headers)), make([]part, len(headers))
		for i, from := range order {
			sorted[i] = headers[from]
			parts[i] = part{strconv.Itoa(i), r.parts[from].pos}
		}
		r.parts = parts
		return sorted, ok
	}
}

func scopePart(r *reader, node *yaml.Node, member string) (policy.ScopePart, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	switch part := policy.ScopePart(text); part {
	case policy.ScopePrincipal, policy.ScopeOperation, policy.ScopeAccount, policy.ScopeRegion:
		return part, true
	}
	name, isHeader := strings.CutPrefix(text, "header:")
	if !isHeader {
		known := []string{"principal", "operation", "account", "region", "header:NAME"}
		r.report(ruleWrongValue, node, didYouMean(text, known), "%s is %s and must be %s", member, show(text), alternatives(known))
		return "", false
	}
	if !policy.IsToken(name) {
		r.report(ruleBadHeader, node, "write header:Stripe-Account", "%s names the header %s, which is not a header name", member, show(name))
		return "", false
	}
	if reservedHeaders[canonicalHeader(name)] {
		r.report(ruleHeaderRole, node, "the principal stands for who asks", "%s %s has a meaning of its own in HTTP", member, show(name))
		return "", false
	}
	return policy.ScopePart("header:" + canonicalHeader(name)), true
}

func storedStatus(r *reader, node *yaml.Node, member string) (string, bool) {
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" && node.ShortTag() != "!!str" {
		r.report(ruleBadStatus, node, "write a code such as 402 or a class such as 2XX", "%s is a status, not %s", member, describe(node))
		return "", false
	}
	text, err := policy.ParseStatus(node.Value)
	if err != nil || text != strings.ToUpper(node.Value) {
		r.report(ruleBadStatus, node, "write a code such as 402 or a class such as 2XX", "%s %s is not a status", member, show(node.Value))
		return "", false
	}
	if text[0] == '1' {
		r.report(ruleBadStatus, node, "leave it out", "%s %s is an interim answer, which cannot be stored", member, show(node.Value))
		return "", false
	}
	return text, true
}

// marker reads the header that tells a replay; "" is no marker at all.
func marker(r *reader, node *yaml.Node, member string) (string, bool) {
	if isEmptyText(node) {
		return "", true
	}
	return headerName(reservedHeaders, "has a meaning of its own in HTTP")(r, node, member)
}

// firstSentHeader reads the header that says when a request was sent first; "" asks for none, against a profile that does.
func firstSentHeader(r *reader, node *yaml.Node, member string) (string, bool) {
	if isEmptyText(node) {
		return "", true
	}
	return canonical(headerName(reservedHeaders, "has a meaning of its own in HTTP"))(r, node, member)
}

func isEmptyText(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && node.Value == ""
}

func (r *reader) fieldValue(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	if !isFieldValue(text) || len(text) > 1000 {
		r.report(ruleBadHeader, node, "header values have printable ASCII only", "%s %s is not a header value", member, show(text))
		return "", false
	}
	return text, true
}

// bodiless statuses carry no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
func bodiless(code int) bool { return code == 204 || code == 205 || code == 304 }

func (r *reader) statusChanges(node *yaml.Node, member string) ([]policy.StatusChange, bool) {
	fields, ok := r.objectIn(node, member)
	if !ok {
		return nil, false
	}
	var changes []policy.StatusChange
	for _, f := range fields {
		from, fromOK := status(200, 599)(r, scalarKey(f), member)
		to, toOK := status(200, 599)(r, f.value, member+"."+f.name)
		switch {
		case !fromOK || !toOK:
			ok = false
		case from == to:
			r.report(ruleReplayStatus, f.key, "leave it out", "%s sends %d as itself", member, from)
			ok = false
		case bodiless(to) && !bodiless(from):
			r.report(ruleReplayStatus, f.value, "send it as 200", "%s sends %d as %d, which can carry no body", member, from, to)
			ok = false
		default:
			changes = append(changes, policy.StatusChange{From: from, To: to})
			r.parts = append(r.parts, part{f.name, r.position(f.value)})
		}
	}
	slices.SortFunc(changes, func(a, b policy.StatusChange) int { return a.From - b.From })
	return changes, ok
}

// scalarKey is a member's name as a text value: JSON has no number as a name, YAML has.
func scalarKey(f field) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.name, Line: f.key.Line, Column: f.key.Column}
}

// stepName keeps a step usable as a name in code, in a column and in a derived key.
var stepName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)

func (r *reader) step(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if ok && !stepName.MatchString(text) {
		r.report(ruleBadName, node, "start with a letter; letters, digits, _ and - follow, 63 at most", "%s %s is not a step's name", member, show(text))
		return "", false
	}
	return text, ok
}

func (r *reader) steps(node *yaml.Node, member string) ([]string, bool) {
	entries, ok := r.entries(node, member)
	var steps []string
	for i, entry := range entries {
		step, good := r.step(entry, member+"["+strconv.Itoa(i)+"]")
		if good && slices.Contains(steps, step) {
			r.report(ruleDuplicateStep, entry, "a step done is never run again: give each its own name", "step %s stands twice", show(step))
			good = false
		}
		if !good {
			ok = false
			continue
		}
		r.parts = append(r.parts, part{strconv.Itoa(len(steps)), r.position(entry)})
		steps = append(steps, step)
	}
	return steps, ok
}

func (r *reader) downstream(node *yaml.Node, member string) ([]policy.Downstream, bool) {
	entries, ok := r.entries(node, member)
	var calls []policy.Downstream
	for i, entry := range entries {
		call, good := r.downstreamCall(entry, member+"["+strconv.Itoa(i)+"]")
		if good && slices.ContainsFunc(calls, func(c policy.Downstream) bool { return c.Name == call.Name && c.Step == call.Step }) {
			r.report(ruleDuplicateEntry, entry, "two calls in one step need two names", "%s holds %s twice", member, show(call.Name))
			good = false
		}
		if !good {
			ok = false
			continue
		}
		r.parts = append(r.parts, part{strconv.Itoa(len(calls)), r.position(entry)})
		calls = append(calls, call)
	}
	return calls, ok
}

func (r *reader) downstreamCall(node *yaml.Node, member string) (policy.Downstream, bool) {
	call := policy.Downstream{Header: "Idempotency-Key", Format: policy.UUID5}
	fields, ok := r.objectIn(node, member)
	if !ok {
		return call, false
	}
	for _, f := range fields {
		var good bool
		switch f.name {
		case "name":
			call.Name, good = r.line(f.value, member+".name")
		case "step":
			call.Step, good = r.step(f.value, member+".step")
		case "header":
			call.Header, good = headerName(reservedHeaders, "has a meaning of its own in HTTP")(r, f.value, member+".header")
		case "format":
			call.Format, good = keyFormat(r, f.value, member+".format")
		default:
			r.unknown(f, member, []string{"name", "step", "header", "format"})
			good = false
		}
		ok = ok && good
	}
	if ok && call.Name == "" {
		r.report(ruleWrongType, node, "write name: and step:", "%s has no name", member)
		ok = false
	}
	return call, ok
}

// shapeTemplate names a user's own template.
var shapeTemplate = regexp.MustCompile(`^template:[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// shapes are the bodies that the runtime's own answers can have.
var shapes = []string{"problem", "stripe", "adyen", "square", "aws", "paypal"}

func (r *reader) shape(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok || slices.Contains(shapes, text) || shapeTemplate.MatchString(text) {
		return text, ok
	}
	known := append(slices.Clone(shapes), "template:NAME")
	r.report(ruleWrongValue, node, didYouMean(text, known), "%s is %s and must be %s", member, show(text), alternatives(known))
	return "", false
}

func (r *reader) headerValues(node *yaml.Node, member string) ([]policy.HeaderValue, bool) {
	fields, ok := r.objectIn(node, member)
	var headers []policy.HeaderValue
	for _, f := range fields {
		name, nameOK := headerName(answersOwnHeaders, "is set by the server or by authentication")(r, scalarKey(f), member)
		value, valueOK := r.fieldValue(f.value, member+"."+f.name)
		if !nameOK || !valueOK {
			ok = false
			continue
		}
		if slices.ContainsFunc(headers, func(h policy.HeaderValue) bool { return sameHeader(h.Name, name) }) {
			r.report(ruleDuplicateMember, f.key, "header names differ by more than case", "%s holds the header %s twice", member, show(name))
			ok = false
			continue
		}
		headers = append(headers, policy.HeaderValue{Name: canonicalHeader(name), Value: value})
	}
	slices.SortFunc(headers, func(a, b policy.HeaderValue) int { return strings.Compare(a.Name, b.Name) })
	return headers, ok
}

// placeholder is what looks like one in the value of an answer's header.
var placeholder = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_.-]*\}`)

// answerHeaders reads headers whose values may hold {key}. Any other name in braces is a slip that clients would see.
func (r *reader) answerHeaders(node *yaml.Node, member string) ([]policy.HeaderValue, bool) {
	headers, ok := r.headerValues(node, member)
	for _, header := range headers {
		for _, found := range placeholder.FindAllString(header.Value, -1) {
			if found != policy.KeyPlaceholder {
				r.report(ruleBadHeader, node, "write {key} for the request's key; nothing else is filled in", "%s.%s holds %s, which stands for nothing", member, header.Name, show(found))
				ok = false
			}
		}
	}
	return headers, ok
}

func (r *reader) guards(node *yaml.Node, member string) ([]policy.Guard, bool) {
	entries, ok := r.entries(node, member)
	var guards []policy.Guard
	var parts []part
	for i, entry := range entries {
		guard, good := r.guard(entry, member+"["+strconv.Itoa(i)+"]")
		if good && slices.ContainsFunc(guards, func(g policy.Guard) bool { return g.Table == guard.Table && slices.Equal(g.Columns, guard.Columns) }) {
			r.report(ruleDuplicateGuard, entry, "leave one of them out", "%s on table %s stands twice with these columns", member, show(guard.Table))
			good = false
		}
		if !good {
			ok = false
			continue
		}
		parts = append(parts, part{strconv.Itoa(len(guards)), guard.Pos})
		guards = append(guards, guard)
	}
	r.parts = parts // not those of the last guard's columns
	return guards, ok
}

func (r *reader) guard(node *yaml.Node, member string) (policy.Guard, bool) {
	guard := policy.Guard{Pos: r.position(node)}
	fields, ok := r.objectIn(node, member)
	if !ok {
		return guard, false
	}
	for _, f := range fields {
		var good bool
		switch f.name {
		case "table":
			guard.Table, good = r.table(f.value, member+".table")
		case "columns":
			guard.Columns, good = list((*reader).identifier)(r, f.value, member+".columns")
		case "on":
			guard.On, good = oneOf("conflict")(r, f.value, member+".on")
		default:
			r.unknown(f, member, []string{"table", "columns", "on"})
			good = false
		}
		ok = ok && good
	}
	switch {
	case !ok:
		return guard, false
	case guard.Table == "":
		r.report(ruleBadIdentifier, node, "write table: and columns:", "%s names no table", member)
		return guard, false
	case len(guard.Columns) == 0:
		r.report(ruleBadIdentifier, node, "write table: and columns:", "%s names no columns", member)
		return guard, false
	}
	guard.Constraint = guard.Name()
	return guard, true
}

func (r *reader) identifier(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	if err := checkIdentifier(text); err != nil {
		r.report(ruleBadIdentifier, node, "write a plain name such as account_id", "%s %s %v", member, show(text), err)
		return "", false
	}
	return text, true
}

// table reads a table's name, with its schema or without.
func (r *reader) table(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	schema, name, qualified := strings.Cut(text, ".")
	err := checkIdentifier(schema)
	if err == nil && qualified {
		err = checkIdentifier(name)
	}
	if err != nil {
		r.report(ruleBadIdentifier, node, "write payments or billing.payments", "%s %s %v", member, show(text), err)
		return "", false
	}
	return text, true
}
