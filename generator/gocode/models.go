package gocode

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/runtime/policy"
)

// modelsFile declares the types, each with its constants and its JSON methods.
func (p *plan) modelsFile() *jen.File {
	f := newFile(p.options)
	for _, t := range p.types {
		if !t.declared() {
			continue
		}
		switch t.shape {
		case enum:
			p.declareEnum(f, t)
		case record:
			p.declareRecord(f, t)
		default:
			f.Add(doc(t.lead(), t.schema.Description)).Type().Id(t.name).Add(t.underlying(reading))
		}
		f.Line()
	}
	return f
}

// declared reports whether the generated package declares the type.
func (t *typ) declared() bool { return t.name != "" && t.home == "" }

// mode is what a function of the generated package is for.
type mode int

const (
	reading  mode = iota // it returns the Go value, and reports
	checking             // it reports only, and hands the wire.Value on
)

// lead begins the comment of a type.
func (t *typ) lead() string {
	lead := t.name + " is " + t.what + "."
	switch {
	case t.schema.Name != "":
		lead = t.name + " is the schema " + cleanLine(t.schema.Name) + "."
	case t.schema.Title != "":
		lead = t.name + " is " + firstParagraph(t.schema.Title) + "."
	}
	return lead
}

// goType is the type by which t is referred to; in checking mode, what a function returns for it.
func (t *typ) goType(m mode) *jen.Statement {
	switch {
	case m == checking && t.checker != "":
		return jen.Qual(wirePath, "Value")
	case t.home != "":
		return jen.Qual(t.home, t.name)
	case t.name != "":
		return jen.Id(t.name)
	default:
		return t.underlying(m)
	}
}

// underlying is the type without its name.
func (t *typ) underlying(m mode) *jen.Statement {
	switch t.shape {
	case boolean:
		return jen.Bool()
	case int32s:
		return jen.Int32()
	case int64s:
		return jen.Int64()
	case float32s:
		return jen.Float32()
	case float64s:
		return jen.Float64()
	case number:
		return jen.Qual("encoding/json", "Number")
	case text, enum:
		return jen.String()
	case timestamp:
		return jen.Qual("time", "Time")
	case date:
		return jen.Qual(wirePath, "Date")
	case octets:
		return jen.Index().Byte()
	case file:
		return jen.Qual(wirePath, "File")
	case list:
		return jen.Index().Add(t.item.goType(m))
	case dict:
		return jen.Map(jen.String()).Add(t.item.goType(m))
	default:
		return jen.Qual("encoding/json", "RawMessage")
	}
}

// goType is the type of a slot.
func (s slot) goType(m mode) *jen.Statement {
	value := s.typ.goType(m)
	if s.boxed {
		value = jen.Op("*").Add(value)
	}
	switch s.wrap {
	case opt, orNull:
		return jen.Op("*").Add(value)
	case tri:
		return jen.Qual(wirePath, "Nullable").Types(value)
	default:
		return value
	}
}

func (p *plan) declareEnum(f *jen.File, t *typ) {
	f.Add(doc(t.lead(), t.schema.Description)).Type().Id(t.name).String()
	f.Line()
	values, _ := enumTexts(t.schema)
	f.Comment("// The values of " + t.name + ".")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, value := range values {
			g.Id(p.names.claim(t.name + exported(value))).Id(t.name).Op("=").Lit(value)
		}
	})
}

func (p *plan) declareRecord(f *jen.File, t *typ) {
	f.Add(doc(t.lead(), t.schema.Description)).Type().Id(t.name).StructFunc(func(g *jen.Group) {
		for _, field := range t.fields {
			g.Add(field.comment(t.asked)).Id(field.name).Add(field.slot.goType(reading)).Tag(map[string]string{"json": field.tag()})
		}
		if t.more != nil {
			g.Comment("// " + t.moreName() + " holds the members without a field of their own.")
			g.Id(t.moreName()).Map(jen.String()).Add(t.more.goType(reading)).Tag(map[string]string{"json": "-"})
		}
	})
	p.marshalMethod(f, t)
	p.unmarshalMethod(f, t)
}

// defaultLimit is the longest default that a comment repeats, in bytes.
const defaultLimit = 60

// comment is the description of a member, with what its type does not say.
func (f *field) comment(asked bool) *jen.Statement {
	s := f.slot.schema
	var lead string
	switch {
	case s.ReadOnly:
		lead = "Read-only: answers hold it, requests need not."
	case s.WriteOnly:
		lead = "Write-only: leave it empty in an answer."
	}
	if s.Deprecated {
		lead = strings.TrimSpace(lead + " Deprecated by the document.")
	}
	if asked {
		lead = strings.TrimSpace(lead + " " + defaultOf(s))
	}
	description := s.Description
	if f.slot.typ.name != "" && description == f.slot.typ.schema.Description {
		description = "" // it stands at the type
	}
	if lead == "" && firstParagraph(description) == "" {
		return jen.Null()
	}
	return doc(lead, description)
}

// defaultOf says what absence means to the document. It is not filled in: whether a client left something out is the
// handler's to know.
func defaultOf(s *policy.Schema) string {
	if s == nil || len(s.Default) == 0 || len(s.Default) > defaultLimit {
		return ""
	}
	return "Default " + cleanLine(string(s.Default)) + ", which is not filled in."
}

// tag is the field's struct tag for encoding/json. What an answer must hold is always written; the rest is left out when
// it is zero: a nil pointer, slice or map, an absent [wire.Nullable].
func (f *field) tag() string {
	switch {
	case !f.tagged:
		return "-"
	case f.present:
		return f.member
	default:
		return f.member + ",omitzero"
	}
}

// needsEmpty reports whether nil would be written as null where the document allows a list or a map only.
func (f *field) needsEmpty() bool {
	s := f.slot
	if !f.present || s.wrap != plain || nullable(s.schema) {
		return false
	}
	return s.typ.shape == list || s.typ.shape == dict || s.typ.shape == octets
}

// marshalMethod writes MarshalJSON where struct tags are not enough:
//
//	func (m Payment) MarshalJSON() ([]byte, error) {
//		type plain Payment
//		if m.Lines == nil {
//			m.Lines = []Line{}
//		}
//		return wire.Marshal(plain(m))
//	}
func (p *plan) marshalMethod(f *jen.File, t *typ) {
	var empty, untagged []*field
	for _, field := range t.fields {
		switch {
		case !field.tagged:
			untagged = append(untagged, field)
		case t.answered && field.needsEmpty():
			empty = append(empty, field)
		}
	}
	if len(empty) == 0 && len(untagged) == 0 && t.more == nil {
		return
	}
	f.Line()
	f.Comment("// MarshalJSON writes what struct tags cannot say: " + marshalReason(empty, untagged, t) + ".")
	f.Func().Params(jen.Id("m").Id(t.name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			g.Type().Id("plain").Id(t.name)
			for _, field := range empty {
				g.If(jen.Id("m").Dot(field.name).Op("==").Nil()).Block(
					jen.Id("m").Dot(field.name).Op("=").Add(field.slot.goType(reading)).Values(),
				)
			}
			if len(untagged) == 0 && t.more == nil {
				g.Return(jen.Qual(wirePath, "Marshal").Call(jen.Id("plain").Call(jen.Id("m"))))
				return
			}
			g.Id("more").Op(":=").Map(jen.String()).Any().Values()
			if t.more != nil {
				g.For(jen.List(jen.Id("name"), jen.Id("value")).Op(":=").Range().Id("m").Dot(t.moreName())).Block(
					jen.Id("more").Index(jen.Id("name")).Op("=").Id("value"),
				)
			}
			for _, field := range untagged {
				field.addTo(g)
			}
			g.Return(jen.Qual(wirePath, "MarshalObject").Call(jen.Id("plain").Call(jen.Id("m")), jen.Id("more")))
		})
}

func marshalReason(empty, untagged []*field, t *typ) string {
	var reasons []string
	if len(empty) > 0 {
		reasons = append(reasons, "a required list or map is never null")
	}
	if len(untagged) > 0 || t.more != nil {
		reasons = append(reasons, "members without a tag")
	}
	return strings.Join(reasons, ", ")
}

// addTo puts a member that has no tag into the map called more.
func (f *field) addTo(g *jen.Group) {
	value := jen.Id("m").Dot(f.name)
	set := jen.Id("more").Index(jen.Lit(f.member)).Op("=").Add(value)
	switch {
	case f.present:
		g.Add(set)
	case f.slot.wrap == tri, f.slot.typ.shape == timestamp && f.slot.wrap == plain:
		g.If(jen.Op("!").Add(value).Dot("IsZero").Call()).Block(set)
	case f.slot.wrap == opt, f.slot.wrap == orNull, f.slot.boxed, f.slot.typ.nilable():
		g.If(jen.Add(value).Op("!=").Nil()).Block(set)
	default:
		g.Add(set)
	}
}

// unmarshalMethod reads members that struct tags cannot name.
func (p *plan) unmarshalMethod(f *jen.File, t *typ) {
	untagged := t.more != nil
	for _, field := range t.fields {
		untagged = untagged || !field.tagged
	}
	if !untagged || !t.asked {
		return
	}
	f.Line()
	f.Comment("// UnmarshalJSON reads what a request may hold, members without a tag too.")
	f.Func().Params(jen.Id("m").Op("*").Id(t.name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Params(jen.Err().Error()).
		Block(
			jen.List(jen.Op("*").Id("m"), jen.Err()).Op("=").Qual(wirePath, "Unmarshal").Call(jen.Id("data"), jen.Id("read"+t.name)),
			jen.Return(jen.Err()),
		)
}
