package spec

import (
	"cmp"
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
)

// need says how much a reference's target is needed, and with that how a missing one weighs.
type need int

const (
	looking need = iota // only looked at: what is missing is a problem of the document
	typing              // a keyed operation's schema: a missing one is free-form, but none is taken from elsewhere
	must                // a keyed operation's interface: without it no right code can be written
)

// maxChain is how many references may lead to references. More than a few are a loop or an attack.
const maxChain = 64

// resolver follows references.
type resolver struct {
	src  *sources
	rep  *reporter
	told map[*yaml.Node]int // reference -> its finding's index
	// swagger has the references that were rewritten, as they were: what a finding shows.
	swagger map[*yaml.Node]string
}

// show is a reference as its author wrote it.
func (r *resolver) show(ref *yaml.Node) string { return quoteShort(cmp.Or(r.swagger[ref], ref.Value)) }

// reference is what a mapping's `$ref` says, nil when it has none. A member that is called `$ref` but is no text is an
// ordinary member, such as a property of that name.
func reference(n *yaml.Node) *yaml.Node {
	if ref := get(n, "$ref"); isText(ref) {
		return ref
	}
	return nil
}

// deref follows n's reference, if it has one, to the end. named is the reference that led to the target, nil when n is
// no reference. A reference that leads nowhere gives nil, and a finding.
func (r *resolver) deref(n *yaml.Node, weight need) (target, named *yaml.Node) {
	for range maxChain {
		ref := reference(n)
		if ref == nil {
			return n, named
		}
		named = ref
		if n = r.follow(ref, weight); n == nil {
			return nil, named
		}
	}
	r.tell(named, weight, ruleRefLoop, "let it refer to something else than itself",
		"the reference %s leads back to itself", r.show(named))
	return nil, named
}

// follow is one step: the node that ref names.
func (r *resolver) follow(ref *yaml.Node, weight need) *yaml.Node {
	from := r.src.fileOf(ref)
	if from == nil {
		return nil
	}
	from = from.document()
	if target := from.resolved[ref.Value]; target != nil {
		return target
	}
	file, _, _ := strings.Cut(ref.Value, "#")
	into := from
	if file != "" {
		if into = r.open(from, ref, file, weight); into == nil {
			return nil
		}
	}
	target := into.find(fragmentOf(ref.Value))
	if target == nil {
		r.tell(ref, weight, ruleDanglingRef, "add what it names, or mend the reference", "the reference %s leads nowhere", r.show(ref))
		return nil
	}
	if from.resolved == nil {
		from.resolved = map[string]*yaml.Node{}
	}
	from.resolved[ref.Value] = target
	return target
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:|^//`)

func (r *resolver) open(from *source, ref *yaml.Node, file string, weight need) *source {
	if scheme.MatchString(file) {
		r.tell(ref, weight, ruleRemoteRef, "save it beside the document and refer to the file",
			"the reference %s leads to another place than a file; nothing is fetched", r.show(ref))
		return nil
	}
	name, err := url.PathUnescape(file)
	if err != nil {
		name = file
	}
	into, err := r.src.openRef(from, name)
	switch {
	case errors.Is(err, errOutside):
		r.tell(ref, weight, ruleOutsideRef, "name a folder that holds both files: root: in idemgen.yaml, or --root",
			"the reference %s leads out of %s", r.show(ref), r.src.rootName)
		return nil
	case err != nil:
		r.tell(ref, weight, ruleRefFile, "mend the path, which is relative to the file that it stands in",
			"the file of the reference %s cannot be read: %v", r.show(ref), err)
		return nil
	}
	if into.root == nil && !into.broken {
		if failure := into.parse(); failure != nil {
			into.broken = true
			r.rep.syntax(into, failure)
		} else {
			r.rep.duplicates(into)
		}
	}
	if into.broken {
		return nil
	}
	return into
}

// tell reports a reference once. Told twice, it keeps the higher severity.
func (r *resolver) tell(ref *yaml.Node, weight need, rule, hint, format string, args ...any) {
	severity := diag.Warning
	if r.rep.strict || weight == must || weight == typing && (rule == ruleRemoteRef || rule == ruleOutsideRef) {
		severity = diag.Error
	}
	if i, ok := r.told[ref]; ok {
		if severity == diag.Error {
			r.rep.list[i].Severity = diag.Error
		}
		return
	}
	r.told[ref] = len(r.rep.list)
	r.rep.add(severity, r.src.at(ref), rule, hint, format, args...)
}

// document is the file that references in f are relative to: an overlay's are the main document's.
func (f *source) document() *source {
	if f.overlays != nil {
		return f.overlays
	}
	return f
}

// fragmentOf is a reference's fragment, decoded.
func fragmentOf(ref string) string {
	_, fragment, _ := strings.Cut(ref, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		return decoded
	}
	return fragment
}

// find is the node that a fragment names: a JSON Pointer, an anchor, or the whole file.
func (f *source) find(fragment string) *yaml.Node {
	if fragment != "" && fragment[0] != '/' {
		return f.anchor(fragment)
	}
	n := f.root
	for _, token := range pointerTokens(fragment) {
		if n = f.child(n, token); n == nil {
			return nil
		}
	}
	return n
}

// child is one step of a JSON Pointer. Large mappings, such as components.schemas, get an index.
func (f *source) child(n *yaml.Node, token string) *yaml.Node {
	const large = 2 * 64
	if !isMap(n) || len(n.Content) < large {
		return child(n, token)
	}
	index := f.indexes[n]
	if index == nil {
		index = make(map[string]*yaml.Node, len(n.Content)/2)
		for key, value := range members(n) {
			index[key.Value] = value
		}
		if f.indexes == nil {
			f.indexes = map[*yaml.Node]map[string]*yaml.Node{}
		}
		f.indexes[n] = index
	}
	return index[token]
}

// anchor finds a schema by its `$anchor` (JSON Schema 2020-12, section 8.2.2).
func (f *source) anchor(name string) *yaml.Node {
	if f.anchors == nil {
		f.anchors = map[string]*yaml.Node{}
		collectAnchors(f.root, f.anchors)
	}
	return f.anchors[name]
}

func collectAnchors(n *yaml.Node, into map[string]*yaml.Node) {
	if n == nil {
		return
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := get(n, keyword); isText(name) && into[name.Value] == nil {
			into[name.Value] = n
		}
	}
	for _, c := range n.Content {
		collectAnchors(c, into)
	}
}

// sweep reports every reference of a file that leads nowhere, wherever it stands. Files that are only referred to from
// what nobody reads are not opened for it. What looks like a reference inside an example is data.
func (r *resolver) sweep(n *yaml.Node) {
	eachMember(n, func(_, key, value *yaml.Node) bool {
		if key.Value == "$ref" && isText(value) {
			r.glance(value)
		}
		return true
	})
}

func (r *resolver) glance(ref *yaml.Node) {
	file, _, _ := strings.Cut(ref.Value, "#")
	if file == "" || scheme.MatchString(file) {
		r.follow(ref, looking)
	}
}

// nameOf is the name that a reference gives to what it names: the component's, or the file's.
func nameOf(ref string) string {
	file, _, _ := strings.Cut(ref, "#")
	tokens := pointerTokens(fragmentOf(ref))
	if len(tokens) == 0 {
		base := path.Base(file)
		return strings.TrimSuffix(base, path.Ext(base))
	}
	last := len(tokens) - 1
	switch {
	case last == 0,
		last == 2 && tokens[0] == "components",
		last >= 1 && (tokens[last-1] == "definitions" || tokens[last-1] == "$defs" || tokens[last-1] == "schemas"):
		return tokens[last]
	}
	// A place inside something else: what it is inside of says more than the last step, which may be "items" or "0".
	var parts []string
	for _, token := range tokens {
		switch token {
		case "components", "schemas", "definitions", "$defs", "paths", "properties", "content", "schema":
			continue
		}
		parts = append(parts, token)
	}
	return strings.Trim(componentName(strings.Join(parts, "_")), "_")
}
