package gocode

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// pattern is a compiled expression at package level.
type pattern struct{ name, expr string }

// nameComponents names the named schemas, in the order of their names.
func (p *plan) nameComponents() {
	named := p.reach.named()
	for _, s := range named {
		switch shape := shapeOf(s, p.reach.files[s]); {
		case !needsName(shape) && shape != list && shape != dict:
			continue // a scalar is written in place
		case p.options.ModelsImport != "":
			p.component[s] = imported(s.Name)
		default:
			p.component[s] = p.claimType(exported(s.Name), exported(s.Name)+"Body", exported(s.Name)+"Model")
		}
	}
}

// claimType takes a name for a type, and with it the name of the function that reads the type.
func (p *plan) claimType(candidates ...string) string {
	free := slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return p.names.has("read" + name) })
	if len(free) == 0 {
		free = candidates[len(candidates)-1:]
	}
	for {
		name := p.names.claim(free...)
		if !p.names.has("read" + name) {
			p.names.take("read" + name)
			return name
		}
	}
}

// needsName reports whether Go wants a name for a type that a schema without one describes.
func needsName(s shape) bool { return s == record || s == enum }

// typeOf returns the Go type of s. A schema without a name of its own is named owner, and what says in a comment what it is.
func (p *plan) typeOf(s *policy.Schema, owner, what string) *typ {
	if s == nil {
		return scalar(raw)
	}
	if first := p.reach.canon[s]; first != nil {
		s = first
	}
	if t := p.bySchema[s]; t != nil {
		return t
	}
	t := &typ{
		shape:    shapeOf(s, p.reach.files[s]),
		schema:   s,
		what:     what,
		asked:    p.reach.asked[s],
		answered: p.reach.answered[s],
	}
	p.bySchema[s] = t
	t.name = p.component[s]
	switch {
	case t.name != "" && p.options.ModelsImport != "":
		t.home = p.options.ModelsImport
		t.reader, t.checker = p.names.claim("read"+t.name), p.names.claim("check"+t.name)
	case p.hidden && t.shape == record:
		t.hidden = true
		t.checker = p.names.claim("check" + owner)
	case p.hidden:
		t.hidden = true
	case t.name == "" && needsName(t.shape):
		t.name = p.claimType(owner)
	}
	if t.name != "" {
		owner = t.name
		if t.home == "" {
			t.reader = "read" + t.name
		}
	}
	if t.reader != "" || t.checker != "" {
		p.types = append(p.types, t)
	}
	outside := p.hidden
	p.hidden = p.hidden || t.home != ""
	p.fill(t, owner)
	p.hidden = outside
	return t
}

// fill decides what a type is made of.
func (p *plan) fill(t *typ, owner string) {
	s := t.schema
	p.planPattern(t, owner)
	switch t.shape {
	case raw:
		p.warnUntyped(s, owner)
	case list:
		t.item = p.itemOf(s.Items, owner+"Item", "an item of "+owner, t.asked)
	case dict:
		t.item = p.itemOf(s.Additional, owner+"Value", "a value of "+owner, t.asked)
	case record:
		p.fillRecord(t, owner)
	}
}

func (p *plan) itemOf(s *policy.Schema, owner, what string, asked bool) slot {
	item := p.typeOf(s, owner, what)
	return item.place(s, true, asked)
}

func (p *plan) fillRecord(t *typ, owner string) {
	fields := newScope("MarshalJSON", "UnmarshalJSON")
	for i := range t.schema.Properties {
		property := &t.schema.Properties[i]
		s := property.Schema
		name := fields.claim(exported(property.Name))
		f := &field{
			name:     name,
			member:   property.Name,
			required: property.Required && (s == nil || !s.ReadOnly),
			present:  property.Required && (s == nil || !s.WriteOnly),
			tagged:   tagSafe(property.Name),
		}
		f.slot = p.typeOf(s, owner+name, name+" of "+owner).place(s, property.Required, t.asked)
		t.fields = append(t.fields, f)
	}
	if t.schema.Additional != nil {
		more := p.itemOf(t.schema.Additional, owner+"AdditionalProperty", "another member of "+owner, t.asked)
		t.more = &more
	}
}

// moreName is the field for members that are not among a record's own.
func (t *typ) moreName() string {
	fields := newScope("MarshalJSON", "UnmarshalJSON")
	for _, f := range t.fields {
		fields.take(f.name)
	}
	return fields.claim("AdditionalProperties")
}

func (p *plan) planPattern(t *typ, owner string) {
	s := t.schema
	if s.Pattern == "" || s.Kind != policy.String || !t.asked || t.shape == file {
		return
	}
	if _, err := regexp.Compile(s.Pattern); err != nil || !s.PatternRE2 {
		p.warnings = append(p.warnings, diag.Diagnostic{
			Pos: s.Pos, Rule: "pattern-not-checked", Severity: diag.Warning,
			Message: "Go's regexp cannot compile this pattern, so requests are not checked against it",
			Hint:    "check it in the handler, or write it without lookaround and backreferences (RE2 syntax)",
		})
		return
	}
	for _, known := range p.patterns {
		if known.expr == s.Pattern {
			t.pattern = known.name
			return
		}
	}
	t.pattern = p.names.claim("pattern" + owner)
	p.patterns = append(p.patterns, pattern{t.pattern, s.Pattern})
}

func (p *plan) warnUntyped(s *policy.Schema, owner string) {
	if s.Degraded == "" || p.hidden {
		return
	}
	what := "schema " + quoted(s.Name)
	if s.Name == "" {
		what = "the schema of " + owner
	}
	p.warnings = append(p.warnings, diag.Diagnostic{
		Pos: s.Pos, Rule: "untyped-schema", Severity: diag.Warning,
		Message: fmt.Sprintf("%s becomes json.RawMessage: %s", what, cleanLine(s.Degraded)),
		Hint:    "decode it in the handler, or give it one type",
	})
}

// quoted is a name of the document within a message.
func quoted(name string) string { return fmt.Sprintf("%q", name) }

func (t *typ) markUsed() {
	if t == nil || t.used {
		return
	}
	t.used = true
	if t.home != "" {
		return // what it is made of is only checked
	}
	t.item.typ.markUsed()
	for _, f := range t.fields {
		f.slot.typ.markUsed()
	}
	if t.more != nil {
		t.more.typ.markUsed()
	}
}

// scalar is a type without a schema: nothing is known of it, and nothing checked.
func scalar(s shape) *typ { return &typ{shape: s, schema: &policy.Schema{Kind: policy.Any}} }
