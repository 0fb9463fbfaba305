package gocode

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/runtime/wire"
)

// readersFile holds a function for each declared type that requests hold: it reads the type from a [wire.Value] and reports
// what the schema does not allow.
func (p *plan) readersFile() *jen.File {
	f := newFile(p.options)
	if len(p.patterns) > 0 {
		f.Comment("// The patterns of the document, each compiled once.")
		f.Var().DefsFunc(func(g *jen.Group) {
			for _, pattern := range p.patterns {
				g.Id(pattern.name).Op("=").Qual("regexp", "MustCompile").Call(jen.Lit(pattern.expr))
			}
		})
		f.Line()
	}
	for _, t := range p.types {
		if t.asked {
			p.declareReader(f, t)
			f.Line()
		}
	}
	return f
}

// hasReaders reports whether readersFile would hold anything.
func (p *plan) hasReaders() bool {
	for _, t := range p.types {
		if t.asked {
			return true
		}
	}
	return len(p.patterns) > 0
}

// declareReader writes, for a record,
//
//	func readPayment(v wire.Value) (m Payment) {
//		o := v.Object()
//		m.Amount = o.Member("amount").Required().Min("1").Int64()
//		return m
//	}
//
// and one returned expression for any other type.
func (p *plan) declareReader(f *jen.File, t *typ) {
	signature := f.Func().Id("read" + t.name).Params(jen.Id("v").Qual(wirePath, "Value"))
	value := t.checks(jen.Id("v"))
	if t.shape != record {
		signature.Id(t.name).Block(jen.Return(t.readBare(value)))
		return
	}
	signature.Params(jen.Id("m").Id(t.name)).BlockFunc(func(g *jen.Group) {
		closed := t.more == nil && !t.schema.AdditionalAllowed
		if len(t.fields) == 0 && t.more == nil {
			value = value.Dot("Object").Call()
			if closed {
				value = value.Dot("Closed").Call()
			}
			g.Add(value)
			g.Return(jen.Id("m"))
			return
		}
		g.Id("o").Op(":=").Add(value).Dot("Object").Call()
		for _, field := range t.fields {
			member := jen.Id("o").Dot("Member").Call(jen.Lit(field.member))
			if field.required {
				member = member.Dot("Required").Call()
			}
			g.Id("m").Dot(field.name).Op("=").Add(field.slot.read(member))
		}
		if t.more != nil {
			g.Id("m").Dot(t.moreName()).Op("=").Qual(wirePath, "Rest").Call(jen.Id("o"), t.more.reader())
		}
		if closed {
			g.Id("o").Dot("Closed").Call()
		}
		g.Return(jen.Id("m"))
	})
}

// read is the expression that reads a slot from a value: v.Min("1").Int64(), wire.Optional(v, wire.Value.Text), ...
func (s slot) read(value *jen.Statement) *jen.Statement {
	t := s.typ
	if s.wrap == plain && t.nilable() && t.shape != raw && nullable(s.schema) {
		value = value.Dot("OrNull").Call()
	}
	if !t.named() {
		value = t.checks(value)
	}
	switch s.wrap {
	case opt:
		return jen.Qual(wirePath, "Optional").Call(value, t.reader())
	case orNull:
		return jen.Qual(wirePath, "OptionalOrNull").Call(value, t.reader())
	case tri:
		if s.boxed {
			return jen.Qual(wirePath, "ReadNullable").Call(value, slot{typ: t, schema: s.schema, wrap: opt}.reader())
		}
		return jen.Qual(wirePath, "ReadNullable").Call(value, t.reader())
	}
	if s.boxed {
		return jen.Qual(wirePath, "Optional").Call(value, t.reader())
	}
	return t.readPlain(value)
}

// reader is the function that reads a slot, for lists and maps: as short as can be, a literal where there is more to say.
func (s slot) reader() *jen.Statement {
	if s.wrap == plain && !s.boxed && (s.typ.named() || !s.typ.hasChecks()) && !(s.typ.nilable() && nullable(s.schema)) {
		return s.typ.reader()
	}
	return jen.Func().Params(jen.Id("v").Qual(wirePath, "Value")).Add(s.goType()).Block(jen.Return(s.read(jen.Id("v"))))
}

// named reports whether the type has a reader of its own, checks included.
func (t *typ) named() bool { return t.name != "" }

// readPlain reads a value of the type.
func (t *typ) readPlain(value *jen.Statement) *jen.Statement {
	if t.named() && t.shape != foreign {
		return jen.Id("read" + t.name).Call(value)
	}
	return t.readBare(value)
}

// readBare reads a value of the type without going through the type's own reader.
func (t *typ) readBare(value *jen.Statement) *jen.Statement {
	switch t.shape {
	case foreign:
		return jen.Qual(wirePath, "Into").Types(t.goType()).Call(value)
	case enum:
		return jen.Id(t.name).Call(value.Dot("Text").Call())
	case list:
		return jen.Qual(wirePath, "List").Call(value, t.item.reader())
	case dict:
		return jen.Qual(wirePath, "Map").Call(value, t.item.reader())
	default:
		return value.Dot(t.method()).Call()
	}
}

// reader is the function that reads a value of the type, without the checks of a type that has no name.
func (t *typ) reader() *jen.Statement {
	switch {
	case t.shape == foreign:
		return jen.Qual(wirePath, "Into").Types(t.goType())
	case t.named():
		return jen.Id("read" + t.name)
	case t.shape == list, t.shape == dict:
		return jen.Func().Params(jen.Id("v").Qual(wirePath, "Value")).Add(t.goType()).Block(jen.Return(t.readBare(jen.Id("v"))))
	default:
		return jen.Qual(wirePath, "Value").Dot(t.method())
	}
}

// method is the method of [wire.Value] that reads a scalar.
func (t *typ) method() string {
	switch t.shape {
	case boolean:
		return "Bool"
	case int32s:
		return "Int32"
	case int64s:
		return "Int64"
	case float32s:
		return "Float32"
	case float64s:
		return "Float64"
	case number:
		return "Number"
	case timestamp:
		return "Time"
	case date:
		return "Date"
	case octets:
		return "Bytes"
	case file:
		return "File"
	case raw:
		return "Raw"
	default:
		return "Text"
	}
}

// hasChecks reports whether checks adds anything.
func (t *typ) hasChecks() bool {
	var probe []check
	t.eachCheck(func(c check) { probe = append(probe, c) })
	return len(probe) > 0
}

// checks appends the schema's limits to a value, as a chain of calls.
func (t *typ) checks(value *jen.Statement) *jen.Statement {
	t.eachCheck(func(c check) { value = value.Dot(c.method).Call(c.arguments...) })
	return value
}

// check is one call of a chain.
type check struct {
	method    string
	arguments []jen.Code
}

// eachCheck yields the checks in the order in which JSON Schema's chapters have them. A record's, an enum's and a list's
// are within their own reader.
func (t *typ) eachCheck(yield func(check)) {
	s := t.schema
	if t.shape == foreign {
		return // the user's type says what it holds
	}
	t.enumCheck(yield)
	switch s.Kind {
	case policy.Integer, policy.Number:
		literal := func(method, limit string) {
			if limit != "" {
				yield(check{method, []jen.Code{jen.Lit(limit)}})
			}
		}
		literal(either(s.ExclusiveMinimum, "MoreThan", "Min"), s.Minimum)
		literal(either(s.ExclusiveMaximum, "LessThan", "Max"), s.Maximum)
		literal("MultipleOf", s.MultipleOf)
	case policy.String:
		if t.shape == file {
			return
		}
		count(yield, "MinLength", s.MinLength)
		count(yield, "MaxLength", s.MaxLength)
		if t.pattern != "" {
			yield(check{"Pattern", []jen.Code{jen.Id(t.pattern)}})
		}
		if t.shape == text && wire.KnownFormat(s.Format) {
			yield(check{"Format", []jen.Code{jen.Lit(s.Format)}})
		}
	case policy.Array:
		count(yield, "MinItems", s.MinItems)
		count(yield, "MaxItems", s.MaxItems)
		if s.UniqueItems {
			yield(check{method: "UniqueItems"})
		}
	case policy.Object:
		count(yield, "MinProperties", s.MinProperties)
		count(yield, "MaxProperties", s.MaxProperties)
	}
}

// enumCheck compares strings as strings and anything else by its value in JSON.
func (t *typ) enumCheck(yield func(check)) {
	if len(t.schema.Enum) == 0 {
		return
	}
	var arguments []jen.Code
	if values, ok := enumTexts(t.schema); ok && t.schema.Kind == policy.String {
		for _, value := range values {
			arguments = append(arguments, jen.Lit(value))
		}
		yield(check{"OneOf", arguments})
		return
	}
	for _, literal := range t.schema.Enum {
		arguments = append(arguments, jen.Lit(strings.ToValidUTF8(string(literal), "\uFFFD")))
	}
	yield(check{"OneOfJSON", arguments})
}

func count(yield func(check), method string, limit *int) {
	if limit != nil {
		yield(check{method, []jen.Code{jen.Lit(*limit)}})
	}
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
