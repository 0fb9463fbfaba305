package extension

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Members is x-idempotency of one path item or one operation, read.
type Members struct {
	// Pos is where the value stands.
	Pos policy.Position
	// Level is the layer that the members belong to.
	Level policy.Level

	decision decision
	settings settings
	profile  profileChoice
	failed   []string // members that are there and could not be read
}

// decision is what x-idempotency on an operation says of repeating it.
type decision struct {
	kind policy.Decision
	// text is the reason of natural and none, the header of conditional.
	text string
	// pos is set where a decision was meant, even if it could not be read: the operation is not reported as undecided.
	pos policy.Position
}

// profileChoice is `profile:` at one level.
type profileChoice struct {
	name  string
	level policy.Level
	pos   policy.Position
}

func (c profileChoice) setting() effectiveSetting {
	return effectiveSetting{
		setting: setting{apply: func(p *policy.Policy) { p.Profile = c.name }, pos: c.pos},
		level:   c.level,
	}
}

// decisionWords are the members that decide without a key.
var decisionWords = []string{"natural", "none", "conditional"}

// rootOnly are the members that stand at the root of the document only.
var rootOnly = []string{"version", "title", "contact", "docsUrl", "consumers"}

// DecodeMembers reads x-idempotency of a path item or an operation, as level says. A nil node is absent: the result is nil
// and has no findings. What can be read of a faulty value is returned beside the findings.
func DecodeMembers(node *yaml.Node, at Locator, profiles *Profiles, level policy.Level) (*Members, diag.List) {
	if node == nil {
		return nil, nil
	}
	r := &reader{at: at, profiles: profiles}
	r.outer = r.position(node)
	value := r.resolve(node)
	m := &Members{Pos: r.position(value), Level: level, settings: settings{}}
	if level == policy.LevelOperation {
		r.readOperation(value, m)
	} else {
		r.readPathItem(value, m)
	}
	return m, r.diags
}

func (r *reader) readOperation(node *yaml.Node, m *Members) {
	m.decision.pos = m.Pos
	switch {
	case node != nil && node.Kind == yaml.ScalarNode:
		r.readShorthand(node, m)
	case node != nil && node.Kind == yaml.MappingNode:
		r.readFull(node, m)
	default:
		r.report(ruleWrongType, node, "write true, optional, an object with `key:` and so on, or {natural: \"why\"}", "x-idempotency is a decision or an object, not %s", describe(node))
	}
}

func (r *reader) readShorthand(node *yaml.Node, m *Members) {
	word := node.Value
	if tag := node.ShortTag(); tag == "!!bool" {
		word = "none"
		if strings.EqualFold(node.Value, "true") {
			word = "required"
		}
	} else if tag != "!!str" {
		r.report(ruleShorthand, node, "write true, false, required, optional, natural or none", "x-idempotency is %s, which is no decision", describe(node))
		return
	}
	switch word {
	case "required", "optional":
		required := word == "required"
		m.decision.kind = policy.Keyed
		m.settings["key.required"] = setting{apply: func(p *policy.Policy) { p.Key.Required = required }, pos: m.Pos}
	case "natural":
		m.decision.kind = policy.Natural
	case "none":
		m.decision.kind = policy.NotRepeatable
	default:
		r.report(ruleShorthand, node, shorthandHint(word), "x-idempotency is %s and must be true, false, required, optional, natural, none or an object", show(word))
	}
}

func shorthandHint(word string) string {
	if hint, ok := foreignWord(word); ok {
		return hint
	}
	if word == "conditional" {
		return "write {conditional: If-Match}"
	}
	if hint := didYouMean(word, []string{"required", "optional", "natural", "none", "true", "false"}); hint != "" {
		return hint
	}
	if stepName.MatchString(word) {
		return "if " + word + " names the key's field in the body, write {key: {in: body, pointer: /" + word + "}}"
	}
	return "write true for a required key"
}

func (r *reader) readFull(node *yaml.Node, m *Members) {
	fields := r.object(node)
	if i := slices.IndexFunc(fields, func(f field) bool { return slices.Contains(decisionWords, f.name) }); i >= 0 {
		r.readDecision(fields, fields[i], m)
		return
	}
	if form, ok := foreignForm(fields); ok {
		r.reportForeign(node, form)
		return
	}
	m.decision.kind = policy.Keyed
	r.readLayer(fields, m)
}

// readDecision reads {natural: why}, {none: why} and {conditional: If-Match}.
func (r *reader) readDecision(fields []field, chosen field, m *Members) {
	for _, f := range fields {
		if f.name != chosen.name {
			r.report(ruleMixedDecision, f.key, "leave one of the two out", "%s cannot stand beside %s, which decides by itself", show(f.name), chosen.name)
		}
	}
	if chosen.name == "conditional" {
		r.readCondition(chosen, m)
		return
	}
	text, ok := r.text(chosen.value, chosen.name)
	if !ok {
		return
	}
	m.decision.text = text
	m.decision.kind = policy.Natural
	if chosen.name == "none" {
		m.decision.kind = policy.NotRepeatable
	}
}

// conditions are the request headers that keep a change from being made twice (RFC 9110, section 13.1).
var conditions = []string{"If-Match", "If-None-Match", "If-Unmodified-Since"}

func (r *reader) readCondition(chosen field, m *Members) {
	text, ok := r.text(chosen.value, "conditional")
	if !ok {
		return
	}
	name := canonicalHeader(text)
	if !slices.Contains(conditions, name) {
		r.report(ruleCondition, chosen.value, didYouMean(text, conditions), "conditional is %s and must be %s", show(text), alternatives(conditions))
		return
	}
	m.decision.kind, m.decision.text = policy.Conditional, name
}

func (r *reader) readPathItem(node *yaml.Node, m *Members) {
	if node == nil || node.Kind != yaml.MappingNode {
		r.report(ruleMisplaced, node, "write the decision on each operation; a path item holds an object of defaults", "x-idempotency on a path item is %s, and a decision stands on an operation", describe(node))
		return
	}
	fields := r.object(node)
	if form, ok := foreignForm(fields); ok {
		r.reportForeign(node, form)
		return
	}
	r.readLayer(fields, m)
}

// readLayer reads the members of the full form.
func (r *reader) readLayer(fields []field, m *Members) {
	rest := make([]field, 0, len(fields))
	for _, f := range fields {
		if f.name == "profile" {
			m.profile = r.readProfile(f)
			continue
		}
		rest = append(rest, f)
	}
	r.readMembers(rest, "", m.settings)
	m.failed = r.failed
}

func (r *reader) readProfile(f field) profileChoice {
	name, ok := r.text(f.value, "profile")
	if !ok {
		return profileChoice{}
	}
	known := r.profiles.Names()
	if slices.Contains(known, name) {
		return profileChoice{name: name, pos: r.position(f.value)}
	}
	hint := didYouMean(name, known)
	if hint == "" {
		hint = "name the file of a profile of your own under profiles in idemgen.yaml, or with --profile-file"
	}
	r.report(ruleUnknownProfile, f.value, hint, "profile is %s and must be %s", show(name), alternatives(known))
	return profileChoice{}
}
