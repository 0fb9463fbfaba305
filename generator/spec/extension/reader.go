package extension

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Locator says where a node stands. The room that loads documents knows files and overlays; this one does not.
type Locator func(*yaml.Node) policy.Position

// maxNodes bounds how many values one extension may come to. The largest sensible one has a few hundred; YAML aliases can
// multiply a few lines into millions.
const maxNodes = 10_000

// reader walks nodes and collects what it finds wrong.
type reader struct {
	at    Locator
	diags diag.List
	nodes int
	// profiles are those that `profile:` can name.
	profiles *Profiles
	// outer stands in for the position of a node that has none, such as one that an overlay's tool made.
	outer policy.Position
	// parts are the positions of the entries of the list or map that is being read.
	parts []part
	// failed are the members that are there and could not be read: what depends on them is not judged.
	failed []string
}

// part is one entry of a list or map: its index or name, and where it stands.
type part struct {
	name string
	pos  policy.Position
}

func (r *reader) position(node *yaml.Node) policy.Position {
	// An empty value has no text to point at: YAML places it wherever the next token is.
	empty := node != nil && node.Kind == yaml.ScalarNode && node.Value == "" && node.ShortTag() == "!!null"
	if node != nil && r.at != nil && (!empty || !r.outer.IsValid()) {
		if pos := r.at(node); pos.IsValid() {
			return pos
		}
	}
	return r.outer
}

func (r *reader) report(rule Rule, node *yaml.Node, hint, format string, args ...any) {
	r.diags = append(r.diags, finding(rule, r.position(node), hint, format, args...))
}

// finding makes one diagnostic. Text from a document goes into it through show only.
func finding(rule Rule, pos policy.Position, hint, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{
		Pos: pos, Rule: rule.ID, Severity: rule.Severity,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
}

// resolve follows aliases to the value as it was written. It returns nil for an alias that leads nowhere.
func (r *reader) resolve(node *yaml.Node) *yaml.Node {
	for hops := 0; node != nil; hops++ {
		switch {
		case node.Kind == yaml.DocumentNode && len(node.Content) == 1:
			node = node.Content[0]
		case node.Kind == yaml.AliasNode && hops < 100:
			node = node.Alias
		case node.Kind == yaml.AliasNode:
			return nil
		default:
			return node
		}
	}
	return nil
}

// field is one member of an object: its key as written, and its value with aliases resolved.
type field struct {
	name       string
	key, value *yaml.Node
}

// object returns the members of a mapping in the order of the document. A member written here hides one that a merge key
// (`<<`) brings; of several merged objects the first wins.
func (r *reader) object(node *yaml.Node) []field {
	fields, seen := r.ownFields(node)
	r.merge(node, seen, &fields)
	return fields
}

func (r *reader) ownFields(node *yaml.Node) ([]field, map[string]bool) {
	var fields []field
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if isMerge(key) || !r.spend(key) {
			continue
		}
		name, ok := r.memberName(key)
		if !ok {
			continue
		}
		if seen[name] {
			r.report(ruleDuplicateMember, key, "keep one of them", "%s stands twice in this object", show(name))
			continue
		}
		seen[name] = true
		fields = append(fields, field{name: name, key: key, value: r.resolve(value)})
	}
	return fields, seen
}

// merge adds what the merge keys of an object bring. A loop of them ends when the values are spent.
func (r *reader) merge(node *yaml.Node, seen map[string]bool, fields *[]field) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if !isMerge(node.Content[i]) || !r.spend(node.Content[i]) {
			continue
		}
		for _, source := range r.mergeSources(node.Content[i+1]) {
			own, names := r.ownFields(source)
			for _, f := range own {
				if !seen[f.name] {
					*fields = append(*fields, f)
				}
			}
			for name := range names {
				seen[name] = true
			}
			r.merge(source, seen, fields)
		}
	}
}

func (r *reader) mergeSources(value *yaml.Node) []*yaml.Node {
	target := r.resolve(value)
	if target == nil {
		return nil
	}
	candidates := []*yaml.Node{target}
	if target.Kind == yaml.SequenceNode {
		candidates = target.Content
	}
	var sources []*yaml.Node
	for _, candidate := range candidates {
		if source := r.resolve(candidate); source != nil && source.Kind == yaml.MappingNode {
			sources = append(sources, source)
			continue
		}
		r.report(ruleWrongType, value, "merge an object: <<: *name", "a merge key brings in %s", describe(r.resolve(candidate)))
	}
	return sources
}

// memberName returns a key's text. Numbers are allowed as names, for the status map of replay.
func (r *reader) memberName(key *yaml.Node) (string, bool) {
	name := r.resolve(key)
	if name == nil || name.Kind != yaml.ScalarNode {
		r.report(ruleWrongType, key, "write a name", "the name of a member is %s", describe(name))
		return "", false
	}
	return name.Value, true
}

func isMerge(key *yaml.Node) bool { return key.ShortTag() == "!!merge" }

// spend counts a value against maxNodes and reports once when they are used up.
func (r *reader) spend(node *yaml.Node) bool {
	r.nodes++
	if r.nodes == maxNodes+1 {
		r.report(ruleAliasLoop, node, "write the members in place", "aliases and merge keys make more than %d values of this extension", maxNodes)
	}
	return r.nodes <= maxNodes
}

// describe names a value in a message: what it is and, when short, what it says.
func describe(node *yaml.Node) string {
	if node == nil {
		return "an alias that leads nowhere"
	}
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "the boolean " + showScalar(node)
	case "!!int", "!!float":
		return "the number " + showScalar(node)
	default:
		return "the text " + showScalar(node)
	}
}

// showScalar prints a value as a message repeats it: numbers, booleans and plain words of other types bare, text in quotes.
func showScalar(node *yaml.Node) string {
	if node.ShortTag() != "!!str" && plainNumber.MatchString(node.Value) {
		return node.Value
	}
	return show(node.Value)
}

// plainNumber is what can stand in a message without quotes.
var plainNumber = regexp.MustCompile(`^[-+.0-9A-Za-z_]{1,30}$`)

// maxShown is how much of a document's text a message repeats, in characters.
const maxShown = 60

// show prints text from a document inside a message: in quotes, cut, and with everything unprintable escaped.
func show(text string) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	rest := ""
	if len(runes) > maxShown {
		runes, rest = runes[:maxShown], "..."
	}
	return `"` + escape(string(runes)) + rest + `"`
}

// escape leaves printable text as it is, backslashes too: a pattern is shown as its author wrote it.
func escape(text string) string {
	if !strings.ContainsFunc(text, unprintable) && !strings.Contains(text, `"`) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// didYouMean is a hint that names the nearest of the known words, or empty when none is near.
func didYouMean(text string, known []string) string {
	if near := diag.Nearest(text, known); near != "" {
		return "did you mean " + escape(near) + "?"
	}
	return ""
}
