package extension

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// x-idempotency is a name that other tools and repositories have used before, each in a form of its own. Whoever brings
// such a document is told which form it is and how to write it here. The forms are those that research found in public
// documents.

// foreignObject is an object form of x-idempotency that is not ours.
type foreignObject struct {
	name string
	// mark is the member that tells the form, others are those that it may have besides.
	mark   string
	others []string
	hint   string
}

var foreignObjects = []foreignObject{
	{"the JSON Schema form that lists key fields", "oneOf", nil,
		"write `fingerprint: {include: [/field]}` for what identifies a request and `key:` for where its key is"},
	{"the form {endpoint, field, description}", "endpoint", []string{"field", "description"},
		"write x-idempotency on the operation: `key: {in: body, pointer: /field}`, and the description as `note:`"},
	{"the form {key, first, repeat}", "repeat", []string{"key", "first"},
		"write `key: {in: body, pointer: /field}` and `replay: {status: {201: 200}}`"},
	{"poolster's form {enabled, header, auto_generate}", "auto_generate", []string{"enabled", "header"},
		"write `key: {in: header, name: Idempotency-Key}`; a key is made by the client, never by the server"},
	{"poolster's form {enabled, header, auto_generate}", "enabled", []string{"header"},
		"write `x-idempotency: true`, or `none` for not enabled"},
	{"API Evangelist's conventions form", "mechanism", []string{"coverage", "header", "evidence", "scope"},
		"write x-idempotency on each operation: `key: {in: header, name: Idempotency-Key}`"},
	{"the form {ttl, scope}, as in x-altair-idempotency", "ttl", []string{"scope", "mode"},
		"write `retention: PT24H` for ttl and `scope: [principal, operation]`"},
	{"the form {header, description}", "header", []string{"description"},
		"write `key: {in: header, name: Idempotency-Key}`, and the description as `note:`"},
}

// foreignForm recognises an object that is another tool's as a whole. Where members of ours stand beside those of another
// form, each is read for itself.
func foreignForm(fields []field) (foreignObject, bool) {
	for _, form := range foreignObjects {
		stranger := slices.ContainsFunc(fields, func(f field) bool { return f.name != form.mark && !slices.Contains(form.others, f.name) })
		if hasField(fields, form.mark) && !stranger {
			return form, true
		}
	}
	return foreignObject{}, false
}

func hasField(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
}

// foreignWord is a hint for a text that is a short form elsewhere.
func foreignWord(text string) (hint string, known bool) {
	switch strings.ToLower(text) {
	case "accepted":
		return "`accepted` is another tool's word: write optional", true
	case "safe":
		return "`safe` is another tool's word: leave x-idempotency out on a method that is safe, or write {natural: \"why\"}", true
	case "auth":
		return "`auth` is another tool's word: write {none: \"why\"} or {natural: \"why\"}", true
	case "content":
		return "for a key made from the content write {natural: \"why\"}", true
	case "yes", "on", "enabled", "always", "mandatory":
		return "write true or required", true
	case "no", "off", "disabled", "never":
		return "write false or none", true
	}
	return "", false
}

// elsewhere are members that other forms have, or that stand elsewhere in ours.
var elsewhere = map[string]string{
	"$ref":        "state defaults at the root or on the path item, or use a YAML anchor; no reference is followed here",
	"ttl":         "write `retention: PT24H`",
	"header":      "write `key: {in: header, name: Idempotency-Key}`",
	"field":       "write `key: {in: body, pointer: /field}`",
	"enabled":     "leave it out: an object is a key that is required",
	"first":       "write `replay: {status: {201: 200}}`",
	"repeat":      "write `replay: {status: {201: 200}}`",
	"expiry":      "write `retention: PT24H`",
	"expires":     "write `retention: PT24H`",
	"window":      "write `retention: PT24H` for how long keys are kept, `retryWindow:` for how long clients retry",
	"description": "write `note:`",
	"reason":      "write {natural: \"why\"} or {none: \"why\"}",
	"required":    "write `key: {required: true}`",
	"optional":    "write `key: {required: false}`",
	"name":        "write `key: {name: Idempotency-Key}`",
	"pattern":     "write `key: {pattern: ...}`",
	"format":      "write `key: {format: uuid}`",
	"maxLength":   "write `key: {maxLength: 255}`",
	"maxBody":     "write `store: {maxBody: 1MiB}`",
	"statuses":    "write `store: {statuses: [2XX]}`",
	"include":     "write `fingerprint: {include: [/field]}`",
	"exclude":     "write `fingerprint: {exclude: [/field]}`",
	"guards":      "write `guard:`",
	"replayed":    "write `replay:`",
	"conflict":    "write `inFlight: {answer: conflict}`",
}

// reportUnknown reports a member that the grammar lacks at this place.
func (r *reader) reportUnknown(f field, path string) {
	if path == "" && slices.Contains(rootOnly, f.name) {
		r.report(ruleMisplaced, f.key, "move it to x-idempotency at the root of the document", "%s stands at the root of the document only", f.name)
		return
	}
	if path == "" && slices.Contains(decisionWords, f.name) {
		r.report(ruleMisplaced, f.key, "write it on each operation", "%s is a decision about one operation", f.name)
		return
	}
	if hint, ok := elsewhere[f.name]; ok && path == "" {
		r.report(ruleUnknownMember, f.key, hint, "x-idempotency has no member %s", show(f.name))
		return
	}
	r.unknown(f, whereIs(path), children(path))
}

// reportForeign reports an object of another tool as a whole, in place of each of its members.
func (r *reader) reportForeign(node *yaml.Node, form foreignObject) {
	r.report(ruleForeignShape, node, form.hint, "this is %s, not idemgen's", form.name)
}
