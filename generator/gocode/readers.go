package gocode

import (
	"encoding/json"
	"slices"
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
		if !t.asked {
			continue
		}
		if t.reader != "" && t.used {
			p.declareReader(f, t)
			f.Line()
		}
		if t.checker != "" {
			p.declareChecker(f, t)
			f.Line()
		}
	}
	return f
}

// hasReaders reports whether readersFile would hold anything.
func (p *plan) hasReaders() bool {
	asked := func(t *typ) bool { return t.asked }
	return slices.ContainsFunc(p.types, asked) || len(p.patterns) > 0
}

// declareReader writes, for a record,
//
//	func readPayment(v wire.Value) (m Payment) {
//		o := v.Object()
//		m.Amount = o.Member("amount").Required().Min("1").Int64()
//		return m
//	}
//
// and one returned expression for any other type. A type of the user's is checked first, and then read as it likes.
func (p *plan) declareReader(f *jen.File, t *typ) {
	signature := f.Func().Id(t.reader).Params(jen.Id("v").Qual(wirePath, "Value"))
	switch {
	case t.home != "":
		signature.Add(t.goType(reading)).Block(jen.Return(
			jen.Qual(wirePath, "Into").Types(t.goType(reading)).Call(jen.Id(t.checker).Call(jen.Id("v")))))
	case t.shape != record:
		signature.Id(t.name).Block(jen.Return(t.readBare(t.checks(jen.Id("v")), reading)))
	default:
		signature.Params(jen.Id("m").Id(t.name)).BlockFunc(func(g *jen.Group) {
			t.eachMember(g, func(name string, value *jen.Statement) { g.Id("m").Dot(name).Op("=").Add(value) }, reading)
			g.Return(jen.Id("m"))
		})
	}
}

// declareChecker writes what declareReader writes, without a value to put it into:
//
//	func checkPayment(v wire.Value) wire.Value {
//		o := v.Object()
//		o.Member("amount").Required().Min("1").Int64()
//		return v
//	}
func (p *plan) declareChecker(f *jen.File, t *typ) {
	f.Func().Id(t.checker).Params(jen.Id("v").Qual(wirePath, "Value")).Qual(wirePath, "Value").BlockFunc(func(g *jen.Group) {
		if t.shape == record {
			t.eachMember(g, func(_ string, value *jen.Statement) { g.Add(value) }, checking)
		} else {
			g.Add(t.readBare(t.checks(jen.Id("v")), checking))
		}
		g.Return(jen.Id("v"))
	})
}

// eachMember writes the reading of a record's members; yield gets the field and the expression.
func (t *typ) eachMember(g *jen.Group, yield func(name string, value *jen.Statement), m mode) {
	object := t.checks(jen.Id("v")).Dot("Object").Call()
	closed := t.more == nil && !t.schema.AdditionalAllowed
	if len(t.fields) == 0 && t.more == nil {
		if closed {
			object = object.Dot("Closed").Call()
		}
		g.Add(object)
		return
	}
	g.Id("o").Op(":=").Add(object)
	for _, field := range t.fields {
		member := jen.Id("o").Dot("Member").Call(jen.Lit(field.member))
		if field.required {
			member = member.Dot("Required").Call()
		}
		yield(field.name, field.slot.read(member, m))
	}
	if t.more != nil {
		yield(t.moreName(), jen.Qual(wirePath, "Rest").Call(jen.Id("o"), t.more.reader(m)))
	}
	if closed {
		g.Id("o").Dot("Closed").Call()
	}
}

// read is the expression that reads a slot from a value: v.Min("1").Int64(), wire.Optional(v, wire.Value.Text), ...
func (s slot) read(value *jen.Statement, m mode) *jen.Statement {
	t := s.typ
	if s.wrap == plain && t.nilable() && t.shape != raw && nullable(s.schema) {
		value = value.Dot("OrNull").Call()
	}
	if t.function(m) == "" {
		value = t.checks(value)
	}
	switch s.wrap {
	case opt:
		return jen.Qual(wirePath, "Optional").Call(value, t.bareReader(m))
	case orNull:
		return jen.Qual(wirePath, "OptionalOrNull").Call(value, t.bareReader(m))
	case tri:
		if s.boxed {
			return jen.Qual(wirePath, "ReadNullable").Call(value, slot{typ: t, schema: s.schema, wrap: opt}.reader(m))
		}
		return jen.Qual(wirePath, "ReadNullable").Call(value, t.bareReader(m))
	}
	if s.boxed {
		return jen.Qual(wirePath, "Optional").Call(value, t.bareReader(m))
	}
	if name := t.function(m); name != "" {
		return jen.Id(name).Call(value)
	}
	return t.readBare(value, m)
}

// reader is the function that reads a slot, for lists and maps: as short as can be, a literal where there is more to say.
func (s slot) reader(m mode) *jen.Statement {
	t := s.typ
	simple := t.function(m) != "" || !t.hasChecks()
	if s.wrap == plain && !s.boxed && simple && (!t.nilable() || !nullable(s.schema)) {
		return t.bareReader(m)
	}
	return jen.Func().Params(jen.Id("v").Qual(wirePath, "Value")).Add(s.goType(m)).Block(jen.Return(s.read(jen.Id("v"), m)))
}

// function is the name of the type's own function, checks included; empty when it has none.
func (t *typ) function(m mode) string {
	if m == checking {
		return t.checker
	}
	return t.reader
}

// bareReader is the function that reads a value of the type, without the checks of a type that has no function of its own.
func (t *typ) bareReader(m mode) *jen.Statement {
	switch {
	case t.function(m) != "":
		return jen.Id(t.function(m))
	case t.shape == list, t.shape == dict:
		return jen.Func().Params(jen.Id("v").Qual(wirePath, "Value")).Add(t.goType(m)).
			Block(jen.Return(t.readBare(jen.Id("v"), m)))
	default:
		return jen.Qual(wirePath, "Value").Dot(t.method())
	}
}

// readBare reads a value of the type without going through the type's own function.
func (t *typ) readBare(value *jen.Statement, m mode) *jen.Statement {
	switch {
	case t.shape == enum && t.declared() && m == reading:
		return jen.Id(t.name).Call(value.Dot("Text").Call())
	case t.shape == list:
		return jen.Qual(wirePath, "List").Call(value, t.item.reader(m))
	case t.shape == dict:
		return jen.Qual(wirePath, "Map").Call(value, t.item.reader(m))
	default:
		return value.Dot(t.method()).Call()
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
	hasNull := slices.ContainsFunc(t.schema.Enum, func(literal json.RawMessage) bool { return string(literal) == "null" })
	if t.schema.Nullable && !hasNull { // `nullable: true` beside an enum is meant to allow null
		arguments = append(arguments, jen.Lit("null"))
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
