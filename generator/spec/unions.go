package spec

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// unfaithful says why a schema of one type cannot be written as one all the same.
func (c *converter) unfaithful(n *yaml.Node, f *flat, kind policy.Kind) string {
	if own, _ := c.refs.deref(n, looking); own != nil {
		if mapping := walk(own, "discriminator", "mapping"); isMap(mapping) && len(mapping.Content) > 2 && len(f.unions) == 0 {
			return "its discriminator leads to " + decimal(len(mapping.Content)/2) + " schemas"
		}
	}
	for _, u := range f.unions {
		if onlyRequires(u.branches) && kind == policy.Object {
			continue
		}
		if _, ok := c.scalars(u, kind, f); !ok {
			return u.reason()
		}
	}
	for _, part := range f.parts {
		if reason := bringsMembers(part); reason != "" {
			return reason
		}
	}
	return ""
}

// scalar is what one branch of a union of scalars says.
type scalar struct {
	kind   policy.Kind
	format string
	enum   []*yaml.Node
}

// scalars looks whether a union is one of scalars of a single type: every value of each branch is then a value of that
// type, which is as much as Go can say of it.
func (c *converter) scalars(u union, outer policy.Kind, whole *flat) (scalar, bool) {
	if outer == policy.Object || outer == policy.Array || len(whole.unions) != 1 {
		return scalar{}, false
	}
	var all scalar
	for i, branch := range u.branches {
		f := c.flatten(branch)
		if len(f.unions) > 0 || f.degraded != "" || f.nullable {
			return scalar{}, false
		}
		kind, null, reason := c.kind(&f)
		if reason != "" || null {
			return scalar{}, false
		}
		if kind == policy.Any && outer != policy.Any && onlyConstraints(f.parts) {
			kind = outer
		}
		if kind == policy.Any || kind == policy.Object || kind == policy.Array {
			return scalar{}, false
		}
		one := scalar{kind: kind}
		for _, part := range f.parts {
			if format := text(get(part, "format")); format != "" {
				one.format = format
			}
			if enum := enumOf(part); enum != nil {
				one.enum = enum
			}
		}
		switch {
		case i == 0:
			all = one
			continue
		case all.kind != one.kind && isNumeric(all.kind) && isNumeric(one.kind):
			all.kind = policy.Number
		case all.kind != one.kind:
			return scalar{}, false
		}
		if all.format != one.format {
			all.format = ""
		}
		if all.enum == nil || one.enum == nil {
			all.enum = nil
		} else {
			all.enum = slices.Concat(all.enum, one.enum)
		}
	}
	return all, outer == policy.Any || outer == all.kind
}

// onlyConstraints reports whether parts limit a value without saying its type.
func onlyConstraints(parts []*yaml.Node) bool {
	for _, part := range parts {
		for _, keyword := range []string{"properties", "items", "additionalProperties", "prefixItems"} {
			if has(part, keyword) {
				return false
			}
		}
	}
	return len(parts) > 0
}

func (c *converter) scalarUnion(s *policy.Schema, f *flat) {
	if len(f.unions) != 1 || s.Kind == policy.Object {
		return
	}
	all, ok := c.scalars(f.unions[0], s.Kind, f)
	if !ok {
		return
	}
	s.Kind = all.kind
	if s.Format == "" {
		s.Format = all.format
	}
	if s.Enum == nil {
		s.Enum = enumJSON(all.enum, all.kind)
	}
}
