package gocode

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// policiesFile writes the effective policy of each operation as a literal that a reviewer can check against the document:
// what is not set is left out, names and times stand as a person would write them, and a policy that several operations
// have is written once, under a name that is none of theirs.
func (p *plan) policiesFile() *jen.File {
	f := newFile(p.options)
	for _, s := range p.shared {
		f.Comment("// " + s.variable + " is one policy of several operations: each that names it below.")
		f.Var().Id(s.variable).Op("=").Add(policyLiteral(s.policy))
		f.Line()
	}
	for _, o := range p.operations {
		f.Comment("// " + o.variable + " is how retries of " + o.name + " are handled.")
		f.Var().Id(o.variable).Op("=").Add(o.literal())
		f.Line()
	}
	return f
}

// shared is a policy that two or more operations have.
type shared struct {
	variable string
	policy   *policy.Policy
}

// sharePolicies finds the policies that several operations have. They are numbered by the first operation of each, so a
// further operation renames none unless it is the first to share another policy.
func (p *plan) sharePolicies() {
	var texts []string
	same := map[string][]*operation{}
	for _, o := range p.operations {
		text := written(o.op.Policy)
		if same[text] == nil {
			texts = append(texts, text)
		}
		same[text] = append(same[text], o)
	}
	for _, text := range texts {
		all := same[text]
		if len(all) == 1 {
			continue
		}
		s := &shared{variable: p.names.claim("sharedPolicy"), policy: &all[0].op.Policy}
		p.shared = append(p.shared, s)
		for _, o := range all {
			o.shared = s
		}
	}
}

// members collects the set members of a literal.
type members []jen.Code

func (m *members) add(name string, value jen.Code) {
	*m = append(*m, jen.Id(name).Op(":").Add(value))
}

func (m *members) text(name, value string) {
	if value != "" {
		m.add(name, jen.Lit(value))
	}
}

func (m *members) number(name string, value int64) {
	if value != 0 {
		m.add(name, jen.Lit(int(value)))
	}
}

func (m *members) flag(name string, value bool) {
	if value {
		m.add(name, jen.True())
	}
}

func (m *members) texts(name string, values []string) {
	if len(values) > 0 {
		m.add(name, texts(values))
	}
}

func (m *members) duration(name string, value time.Duration) {
	if value != 0 {
		m.add(name, duration(value))
	}
}

// constant writes a value of a string type by the name of its constant, or as a conversion where it has none.
func (m *members) constant(name, value, typeName string, constants map[string]string) {
	if value == "" {
		return
	}
	if constant, known := constants[value]; known {
		m.add(name, jen.Qual(policyPath, constant))
		return
	}
	m.add(name, jen.Qual(policyPath, typeName).Call(jen.Lit(value)))
}

func (m *members) headerValues(name string, headers []policy.HeaderValue) {
	if len(headers) == 0 {
		return
	}
	m.add(name, jen.Index().Qual(policyPath, "HeaderValue").ValuesFunc(func(g *jen.Group) {
		for _, h := range headers {
			g.Values(jen.Id("Name").Op(":").Lit(h.Name), jen.Id("Value").Op(":").Lit(h.Value))
		}
	}))
}

// nested adds a struct that has anything set.
func (m *members) nested(name, typeName string, inner members) {
	if len(inner) > 0 {
		m.add(name, inner.literal(jen.Qual(policyPath, typeName)))
	}
}

// literal writes the members on a line each, or on one line when there are few.
func (m members) literal(typ *jen.Statement) *jen.Statement {
	return typ.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: len(m) > 3}, m...)
}

func texts(values []string) *jen.Statement {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, value := range values {
			g.Lit(value)
		}
	})
}

// duration writes the longest unit that divides it: 24 * time.Hour.
func duration(value time.Duration) *jen.Statement {
	units := []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}}
	for _, u := range units {
		if value == u.unit {
			return jen.Qual("time", u.name)
		}
		if value%u.unit == 0 {
			return jen.Lit(int(value/u.unit)).Op("*").Qual("time", u.name)
		}
	}
	return jen.Lit(int(value)).Op("*").Qual("time", "Nanosecond")
}

func (o *operation) literal() *jen.Statement {
	var m members
	m.text("ID", o.op.ID)
	m.text("Method", o.op.Method)
	m.text("Route", o.route())
	m.texts("PathParams", o.wildcards)
	m.texts("RequestHeaders", o.requestHeaders())
	m.text("DocsURL", o.docsURL)
	m.flag("WithoutBody", o.withoutBody())
	m.add("Policy", o.policy())
	return jen.Qual(runtimePath, "Operation").Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, m...)
}

// withoutBody reports whether the document declares no body, so that the runtime refuses one.
func (o *operation) withoutBody() bool {
	in := o.op.Policy.Key.In
	return o.op.Shape != nil && o.op.Shape.Body == nil && in != policy.InBody && in != policy.InForm
}

// route is the template under which the runtime knows the operation. A webhook has no path, so its name stands for one.
func (o *operation) route() string {
	path := routeTemplate(o.op.Path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// policy is the literal of o's policy, or the variable of the one that it shares.
func (o *operation) policy() *jen.Statement {
	if o.shared != nil {
		return jen.Id(o.shared.variable)
	}
	return policyLiteral(&o.op.Policy)
}

// written is what is written of a policy: not the note, which is for the page, nor where guards stand.
func written(p policy.Policy) string {
	p.Note = ""
	p.Guards = slices.Clone(p.Guards)
	for i := range p.Guards {
		p.Guards[i].Pos = policy.Position{}
	}
	return fmt.Sprintf("%#v", p)
}

func policyLiteral(p *policy.Policy) *jen.Statement {
	var m members
	m.text("Profile", p.Profile)
	m.constant("Mode", string(p.Mode), "Mode", map[string]string{"transaction": "Transaction", "lease": "LeaseMode"})
	m.nested("Key", "Key", keyMembers(&p.Key))
	if len(p.Scope) > 0 {
		m.add("Scope", scopeLiteral(p.Scope))
	}
	m.duration("Retention", p.Retention)
	m.duration("RetryWindow", p.RetryWindow)
	m.nested("Fingerprint", "Fingerprint", fingerprintMembers(&p.Fingerprint))
	m.nested("Store", "StoreRules", storeMembers(&p.Store))
	m.nested("Replay", "Replay", replayMembers(&p.Replay))
	m.nested("InFlight", "InFlight", inFlightMembers(&p.InFlight))
	m.nested("Lease", "Lease", leaseMembers(&p.Lease))
	m.texts("Steps", p.Steps)
	if len(p.Downstream) > 0 {
		m.add("Downstream", downstreamLiteral(p.Downstream))
	}
	m.nested("Errors", "Errors", errorsMembers(&p.Errors))
	m.nested("Answers", "Answers", answersMembers(&p.Answers))
	if len(p.Guards) > 0 {
		m.add("Guards", guardsLiteral(p.Guards))
	}
	return jen.Qual(policyPath, "Policy").Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, m...)
}

// formatNames are the constants of key formats.
var formatNames = map[string]string{
	"any": "AnyFormat", "uuid": "UUID", "uuid4": "UUID4", "uuid5": "UUID5", "uuid7": "UUID7",
}

func keyMembers(k *policy.Key) members {
	var m members
	m.constant("In", string(k.In), "Location", map[string]string{
		"header": "InHeader", "query": "InQuery", "body": "InBody", "form": "InForm",
	})
	m.text("Name", k.Name)
	m.text("Pointer", k.Pointer)
	m.flag("Required", k.Required)
	m.constant("Format", string(k.Format), "Format", formatNames)
	m.number("MinLength", int64(k.MinLength))
	m.number("MaxLength", int64(k.MaxLength))
	m.constant("LengthUnit", string(k.LengthUnit), "LengthUnit", map[string]string{"characters": "Characters", "bytes": "Bytes"})
	m.text("Pattern", k.Pattern)
	m.constant("Syntax", string(k.Syntax), "Syntax", map[string]string{"structured": "Structured", "bare": "Bare", "either": "Either"})
	m.flag("RefusePersonalData", k.RefusePersonalData)
	m.nested("FirstSent", "FirstSent", firstSentMembers(&k.FirstSent))
	return m
}

func firstSentMembers(f *policy.FirstSent) members {
	var m members
	m.text("Header", f.Header)
	m.duration("MaxSkew", f.MaxSkew)
	return m
}

func scopeLiteral(parts []policy.ScopePart) *jen.Statement {
	names := map[policy.ScopePart]string{
		policy.ScopePrincipal: "ScopePrincipal", policy.ScopeOperation: "ScopeOperation",
		policy.ScopeAccount: "ScopeAccount", policy.ScopeRegion: "ScopeRegion",
	}
	return jen.Index().Qual(policyPath, "ScopePart").ValuesFunc(func(g *jen.Group) {
		for _, part := range parts {
			if name, known := names[part]; known {
				g.Qual(policyPath, name)
				continue
			}
			g.Lit(string(part))
		}
	})
}

func fingerprintMembers(f *policy.Fingerprint) members {
	var m members
	m.constant("Body", string(f.Body), "BodyRule", map[string]string{
		"canonical": "CanonicalBody", "raw": "RawBody", "none": "NoBody",
	})
	m.texts("Include", f.Include)
	m.texts("Exclude", f.Exclude)
	m.flag("Query", f.Query)
	m.texts("Headers", f.Headers)
	return m
}

func storeMembers(s *policy.StoreRules) members {
	var m members
	if len(s.Statuses) > 0 {
		m.add("Statuses", jen.Qual(policyPath, "Statuses").ValuesFunc(func(g *jen.Group) {
			for _, status := range s.Statuses {
				g.Lit(status)
			}
		}))
	}
	m.texts("Headers", s.Headers)
	if s.MaxBody != 0 {
		m.add("MaxBody", size(s.MaxBody))
	}
	m.flag("OmitBody", s.OmitBody)
	return m
}

// size writes bytes as a power of two where they are one: 1 << 20.
func size(bytes int64) *jen.Statement {
	for shift := 30; shift >= 10; shift -= 10 {
		if n := bytes >> shift; n > 0 && n<<shift == bytes {
			return jen.Lit(int(n)).Op("<<").Lit(shift)
		}
	}
	return jen.Lit(int(bytes))
}

func replayMembers(r *policy.Replay) members {
	var m members
	m.constant("As", string(r.As), "ReplayKind", map[string]string{"stored": "Stored", "current": "Current"})
	m.text("Header", r.Header)
	m.text("Value", r.Value)
	if len(r.Status) > 0 {
		m.add("Status", jen.Index().Qual(policyPath, "StatusChange").ValuesFunc(func(g *jen.Group) {
			for _, change := range r.Status {
				g.Values(jen.Id("From").Op(":").Lit(change.From), jen.Id("To").Op(":").Lit(change.To))
			}
		}))
	}
	return m
}

func inFlightMembers(f *policy.InFlight) members {
	var m members
	m.constant("Answer", string(f.Answer), "InFlightAnswer", map[string]string{"wait": "Wait", "conflict": "Conflict"})
	m.duration("MaxWait", f.MaxWait)
	m.duration("RetryAfter", f.RetryAfter)
	return m
}

func leaseMembers(l *policy.Lease) members {
	var m members
	m.duration("Duration", l.Duration)
	m.duration("Heartbeat", l.Heartbeat)
	return m
}

func downstreamLiteral(calls []policy.Downstream) *jen.Statement {
	var all []jen.Code
	for i := range calls {
		c := &calls[i]
		var m members
		m.text("Name", c.Name)
		m.text("Step", c.Step)
		m.text("Header", c.Header)
		m.constant("Format", string(c.Format), "Format", formatNames)
		all = append(all, jen.Values(m...))
	}
	return jen.Index().Qual(policyPath, "Downstream").Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, all...)
}

// errorsMembers leaves out what the runtime answers by itself.
func errorsMembers(e *policy.Errors) members {
	var m members
	d := runtime.DefaultErrors()
	for _, answer := range []struct {
		name          string
		answer, usual policy.ErrorAnswer
	}{
		{"Missing", e.Missing, d.Missing},
		{"Malformed", e.Malformed, d.Malformed},
		{"Mismatch", e.Mismatch, d.Mismatch},
		{"InFlight", e.InFlight, d.InFlight},
		{"Unavailable", e.Unavailable, d.Unavailable},
		{"TooLarge", e.TooLarge, d.TooLarge},
		{"Expired", e.Expired, d.Expired},
	} {
		m.nested(answer.name, "ErrorAnswer", errorMembers(answer.answer, answer.usual))
	}
	if e.Shape != d.Shape {
		m.text("Shape", e.Shape)
	}
	return m
}

func errorMembers(a, usual policy.ErrorAnswer) members {
	var m members
	if a.Status != usual.Status {
		m.number("Status", int64(a.Status))
	}
	if a.Type != usual.Type {
		m.text("Type", a.Type)
	}
	if a.Title != usual.Title {
		m.text("Title", a.Title)
	}
	m.text("Code", a.Code)
	m.headerValues("Headers", a.Headers)
	return m
}

func answersMembers(a *policy.Answers) members {
	var m members
	m.headerValues("Headers", a.Headers)
	return m
}

func guardsLiteral(guards []policy.Guard) *jen.Statement {
	var all []jen.Code
	for i := range guards {
		g := &guards[i]
		var m members
		m.text("Table", g.Table)
		m.texts("Columns", g.Columns)
		m.text("On", g.On)
		m.text("Constraint", g.Constraint)
		all = append(all, jen.Values(m...))
	}
	return jen.Index().Qual(policyPath, "Guard").Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, all...)
}
