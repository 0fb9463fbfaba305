package spec

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// operation is an operation while it is being read: what the document says, and where.
type operation struct {
	out     policy.Operation
	node    *yaml.Node // the operation
	item    *yaml.Node // its path item, with what a $ref brings
	idNode  *yaml.Node // the operationId, nil when there is none
	section string     // "paths" or "webhooks"
	itemKey string     // the path or the webhook's name as written
	fixed   bool       // one of OpenAPI's own methods, not one of additionalOperations
}

// methods are the operations that a path item has members for (OpenAPI 3.2, section 4.9.1).
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations lists every operation of the document, sorted as [policy.Document.Operations] says.
func (l *loading) operations() []*operation {
	var list []*operation
	// A finding that stops nothing would have a run delete what an earlier one generated.
	l.isObject("paths", "write paths: {/payments: {post: ...}}", l.rep.fail)
	l.isObject("webhooks", "write webhooks: {paid: {post: ...}}", l.rep.fail)
	l.isObject("components", "", l.rep.problem)
	for key, item := range members(get(l.root, "paths")) {
		if strings.HasPrefix(key.Value, "/") {
			list = append(list, l.pathItem("paths", key, item)...)
		} else if !strings.HasPrefix(key.Value, "x-") {
			l.rep.problem(key, ruleStructure, "let it begin with a slash", "the path %s does not begin with a slash", shown(key.Value))
		}
	}
	for key, item := range members(get(l.root, "webhooks")) {
		if !strings.HasPrefix(key.Value, "x-") {
			list = append(list, l.pathItem("webhooks", key, item)...)
		}
	}
	slices.SortStableFunc(list, func(a, b *operation) int {
		switch {
		case a.out.Webhook != b.out.Webhook:
			if b.out.Webhook {
				return -1
			}
			return 1
		case a.out.Path != b.out.Path:
			return strings.Compare(a.out.Path, b.out.Path)
		default:
			return strings.Compare(a.out.Method, b.out.Method)
		}
	})
	l.identify(list)
	return list
}

// isObject reports a member of the document that is something else. An empty one is as good as none.
func (l *loading) isObject(member, hint string, report func(n *yaml.Node, rule, hint, format string, args ...any)) {
	if value := get(l.written, member); value != nil && !isNull(value) && !isMap(value) {
		report(value, ruleStructure, hint, "%s must be an object", member)
	}
}

func (l *loading) pathItem(section string, key, item *yaml.Node) []*operation {
	item = l.mergedItem(item, "/"+section+"/"+escapeToken(key.Value))
	if item == nil || isNull(item) {
		return nil
	}
	if !isMap(item) {
		l.rep.problem(item, ruleStructure, "", "the path item %s must be an object", shown(key.Value))
		return nil
	}
	var list []*operation
	add := func(at, node *yaml.Node, method, pointer string, fixed bool) {
		if !isMap(node) {
			l.rep.problem(at, ruleStructure, "", "the operation %s %s must be an object", shown(method), shown(key.Value))
			return
		}
		if node, at, pointer = l.mergedOperation(node, at, pointer); node == nil {
			return
		}
		op := l.operation(at, node, method, key.Value)
		op.section, op.itemKey, op.item, op.fixed = section, key.Value, item, fixed
		op.out.Webhook, op.out.Pointer = section == "webhooks", pointer
		list = append(list, op)
	}
	for member, node := range members(item) {
		pointer := below(l.stands[member], member.Value)
		switch {
		case slices.Contains(methods, member.Value):
			add(member, node, strings.ToUpper(member.Value), pointer, true)
		case member.Value == "additionalOperations":
			if !isMap(node) {
				l.rep.problem(node, ruleStructure, "", "additionalOperations of %s must be an object", shown(key.Value))
			}
			for method, node := range members(node) {
				add(method, node, method.Value, below(pointer, method.Value), false)
			}
		}
	}
	return list
}

// mergedOperation is an operation with what its reference brings, if it has one, and where that stands. OpenAPI knows
// references on path items only; documents in many files have them here, and bundlers follow them.
func (l *loading) mergedOperation(node, at *yaml.Node, pointer string) (_, _ *yaml.Node, _ string) {
	if reference(node) == nil {
		return node, at, pointer
	}
	target, named := l.refs.deref(node, must)
	if target == nil {
		return nil, nil, ""
	}
	merged := beside(node, target)
	if f := l.src.fileOf(target); f == nil || f.document() != l.main {
		return merged, target, ""
	}
	return merged, target, fragmentOf(named.Value)
}

// beside is target with the members beside the reference that led to it: those win.
func beside(n, target *yaml.Node) *yaml.Node {
	merged := &yaml.Node{Kind: yaml.MappingNode, Tag: mapTag, Line: n.Line, Column: n.Column}
	for _, from := range []*yaml.Node{n, target} {
		for member, value := range members(from) {
			if member.Value != "$ref" && !has(merged, member.Value) {
				merged.Content = append(merged.Content, member, value)
			}
		}
	}
	return merged
}

// below is the pointer of a member of what pointer names.
func below(pointer, member string) string {
	if pointer == "" {
		return ""
	}
	return pointer + "/" + escapeToken(member)
}

// mergedItem is the path item at pointer with what its references bring. Members beside `$ref` win: OpenAPI leaves it
// open, tools agree on it. Where each member stands is noted in l.stands.
func (l *loading) mergedItem(item *yaml.Node, pointer string) *yaml.Node {
	l.noteStands(item, pointer)
	if reference(item) == nil {
		return item
	}
	if end, _ := l.refs.deref(item, must); end == nil {
		return nil
	}
	merged := item
	for ref := reference(item); ref != nil; ref = reference(item) {
		item = l.refs.follow(ref, must)
		l.noteStands(item, fragmentOf(ref.Value))
		merged = beside(merged, item)
	}
	return merged
}

// noteStands remembers the pointer of the path item that a member stands in: where it was written, and so the first one.
// No pointer into the main document leads to what stands in another file.
func (l *loading) noteStands(item *yaml.Node, pointer string) {
	if f := l.src.fileOf(item); f == nil || f.document() != l.main {
		pointer = ""
	}
	for member := range members(item) {
		if _, known := l.stands[member]; !known {
			l.stands[member] = pointer
		}
	}
}

func (l *loading) operation(key, node *yaml.Node, method, path string) *operation {
	op := &operation{node: node, idNode: get(node, "operationId")}
	if text(op.idNode) == "" {
		op.idNode = nil
	}
	op.out = policy.Operation{
		ID:          text(op.idNode),
		Method:      method,
		Path:        path,
		Summary:     text(get(node, "summary")),
		Description: text(get(node, "description")),
		Deprecated:  isTrue(get(node, "deprecated")),
		Pos:         l.src.at(key),
	}
	for status := range members(get(node, "responses")) {
		if len(status.Value) == 3 && status.Value[0] == '2' {
			op.out.Successes = append(op.out.Successes, status.Value)
		}
	}
	slices.Sort(op.out.Successes)
	if docs := walk(node, "externalDocs", "url"); isText(docs) {
		op.out.ExternalDocs = docs.Value
	}
	return op
}

// identify gives an identifier to the operations that have none. It depends on nothing but the operation's method and
// path, unless another operation has that very identifier.
func (l *loading) identify(list []*operation) {
	taken := names{}
	for _, op := range list {
		if op.idNode != nil {
			taken[op.out.ID] = 1
		}
	}
	for _, op := range list {
		if op.idNode != nil {
			continue
		}
		op.out.ID, op.out.IDMade = taken.claim(madeID(op.out.Method, op.out.Path)), true
	}
}

// madeID joins method and path: "post", "/payments/{id}/refunds" become "postPaymentsIdRefunds".
func madeID(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	upper := true
	for _, r := range path {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		upper = false
	}
	return b.String()
}

// sameIDs reports operationIds that stand twice. Two keyed operations of one identifier would share their records'
// scope and one would be answered with the other's result, so that is an error.
func (l *loading) sameIDs(list []*operation) {
	first := map[string]*operation{}
	for _, op := range list {
		if op.idNode == nil {
			continue
		}
		other := first[op.out.ID]
		if other == nil {
			first[op.out.ID] = op
			continue
		}
		const hint = "give each operation an operationId of its own"
		format := "the operationId %s is that of %s %s as well"
		if op.out.Decision == policy.Keyed && other.out.Decision == policy.Keyed {
			l.rep.fail(op.idNode, ruleOperationID, hint, format, quoteShort(op.out.ID), other.out.Method, shown(other.out.Path))
		} else {
			l.rep.problem(op.idNode, ruleOperationID, hint, format, quoteShort(op.out.ID), other.out.Method, shown(other.out.Path))
		}
		if other.out.Decision != policy.Keyed {
			first[op.out.ID] = op
		}
	}
}
