package compat

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

// anyPolicy draws a policy, not always one that makes sense.
func anyPolicy(t *rapid.T) policy.Policy {
	of := func(values ...string) string { return rapid.SampledFrom(values).Draw(t, "value") }
	some := func(values ...string) []string {
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(values), 0, len(values), rapid.ID[string]).Draw(t, "list")
		if len(drawn) == 0 {
			return nil
		}
		return drawn
	}
	is := func() bool { return rapid.Bool().Draw(t, "is") }
	number := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "number") }
	span := func() time.Duration { return time.Duration(number(0, 40)) * time.Hour }
	headers := func() []policy.HeaderValue {
		var list []policy.HeaderValue
		for _, name := range some("A", "B") {
			list = append(list, policy.HeaderValue{Name: name, Value: of("", "{key}", "a\"b, c")})
		}
		return list
	}
	refusal := func() policy.ErrorAnswer {
		return policy.ErrorAnswer{Status: number(400, 503), Type: of("", "a", "b"), Title: of("", "T", "U"), Code: of("", "704"), Headers: headers()}
	}
	p := policy.Policy{
		Profile: of("ietf", "stripe"), Mode: policy.Mode(of("transaction", "lease")),
		Key: policy.Key{
			In: policy.Location(of("header", "query", "body", "form")), Name: of("Idempotency-Key", "idempotency-key", "X"), Pointer: of("", "/a", "/b"),
			Required: is(), Format: policy.Format(of("any", "uuid", "uuid4", "uuid5", "uuid7")), MinLength: number(1, 9), MaxLength: number(10, 99),
			LengthUnit: policy.LengthUnit(of("characters", "bytes")), Pattern: of("", "^a", "^b[, ]"), Syntax: policy.Syntax(of("either", "bare", "structured")),
			RefusePersonalData: is(), FirstSent: policy.FirstSent{Header: of("", "First-Sent", "first-sent", "Sent"), MaxSkew: span()},
		},
		Retention: span(), RetryWindow: span(),
		Fingerprint: policy.Fingerprint{
			Body: policy.BodyRule(of("canonical", "raw", "none")), Include: some("/a", "/b", "/c"), Exclude: some("/d", "/e"), Query: is(), Headers: some("A", "B", "C"),
		},
		Store:  policy.StoreRules{Statuses: some("2XX", "201", "402", "409", "5XX"), Headers: some("X", "etag", "Y"), MaxBody: int64(number(0, 9)), OmitBody: is()},
		Replay: policy.Replay{As: policy.ReplayKind(of("stored", "current")), Header: of("", "R", "r", "S"), Value: of("true", "1")},
		InFlight: policy.InFlight{
			Answer: policy.InFlightAnswer(of("wait", "conflict")), MaxWait: span(), RetryAfter: time.Duration(number(0, 4000)) * time.Millisecond,
		},
		Lease: policy.Lease{Duration: span(), Heartbeat: span()}, Steps: some("a", "b", "c"),
		Errors: policy.Errors{
			Missing: refusal(), Malformed: refusal(), Mismatch: refusal(), InFlight: refusal(), Unavailable: refusal(), TooLarge: refusal(), Expired: refusal(),
			Shape: of("problem", "stripe"),
		},
		Answers: policy.Answers{Headers: headers()}, Note: of("", "a", "b: c"),
	}
	for _, part := range some("principal", "account", "operation", "region", "header:A") {
		p.Scope = append(p.Scope, policy.ScopePart(part))
	}
	for _, from := range some("200", "201") {
		p.Replay.Status = append(p.Replay.Status, policy.StatusChange{From: map[string]int{"200": 200, "201": 201}[from], To: number(202, 209)})
	}
	for _, name := range some("bank", "mailer") {
		p.Downstream = append(p.Downstream, policy.Downstream{Name: name, Step: of("a", "b"), Header: of("K", "L"), Format: policy.Format(of("uuid4", "uuid5", "any"))})
	}
	for _, table := range some("payments", "orders") {
		p.Guards = append(p.Guards, policy.Guard{Table: table, Columns: append([]string{"id"}, some("a", "b")...), On: of("", "conflict"), Pos: at(1)})
	}
	return p
}

func anyOperation(t *rapid.T, id, path string) policy.Operation {
	op := policy.Operation{ID: id, Method: "POST", Path: path, Pos: at(1), Policy: anyPolicy(t)}
	op.Decision = rapid.SampledFrom([]policy.Decision{policy.Keyed, policy.Keyed, policy.Keyed, policy.Undecided, policy.Natural, policy.NotRepeatable, policy.Conditional}).Draw(t, "decision")
	op.Reason, op.Condition = rapid.SampledFrom([]string{"", "a"}).Draw(t, "reason"), rapid.SampledFrom([]string{"If-Match", "If-None-Match"}).Draw(t, "condition")
	op.Shape = &policy.Shape{}
	if rapid.Bool().Draw(t, "body") {
		op.Shape.Body = &policy.Body{Contents: []policy.Content{{MediaType: rapid.SampledFrom([]string{"application/json", "text/plain"}).Draw(t, "type")}}}
	}
	return op
}

func anyDocument(t *rapid.T) *policy.Document {
	doc := &policy.Document{Profile: rapid.SampledFrom([]string{"ietf", "stripe"}).Draw(t, "profile")}
	ids := rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "ids")
	for i, path := range []string{"/a", "/b/{id}", "/b/{other}/x"} {
		if rapid.Bool().Draw(t, "there") {
			if rapid.Bool().Draw(t, "renamed") {
				path = strings.Replace(path, "{id}", "{key}", 1)
			}
			doc.Operations = append(doc.Operations, anyOperation(t, ids[i], path))
		}
	}
	for _, name := range []string{"x", "y"} {
		if rapid.Bool().Draw(t, "consumed") {
			doc.Consumers = append(doc.Consumers, policy.Consumer{
				Name: name + rapid.SampledFrom([]string{"", "2"}).Draw(t, "name"), Event: "#/" + name, ID: "/id",
				Group: rapid.SampledFrom([]string{"", "g"}).Draw(t, "group"), Retention: time.Duration(rapid.IntRange(0, 3).Draw(t, "retention")) * time.Hour,
			})
		}
	}
	return doc
}

// A document does not differ from itself; and what differs between two is the same set of members, whichever is the old one.
func TestCompare_P4_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDocument(t), anyDocument(t)
		if changes := Compare(a, a); len(changes) != 0 {
			t.Fatalf("a document differs from itself: %+v", changes)
		}
		there, back := membersOf(Compare(a, b)), membersOf(Compare(b, a))
		if !slices.Equal(there, back) {
			t.Fatalf("there %q, back %q", there, back)
		}
	})
}

// membersOf names what has changed so that it is the same in both directions: by the names on both sides.
func membersOf(changes []Change) []string {
	var members []string
	for _, c := range changes {
		values := []string{c.Old, c.New}
		slices.Sort(values)
		member := c.Member
		if strings.HasPrefix(member, "consumers.") {
			member = "consumers." + member[strings.LastIndex(member, ".")+1:]
			if c.Rule.ID == ruleConsumerAdded.ID || c.Rule.ID == ruleConsumerRemoved.ID {
				member = "consumers"
			}
		}
		members = append(members, member+" "+strings.Join(values, " "))
	}
	slices.Sort(members)
	return members
}

// Each single member of any policy that is changed is told of once, and nothing else is.
func TestCompare_P4_EachMemberOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := anyOperation(t, "a", "/a")
		before.Decision = policy.Keyed
		after, other := before, anyPolicy(t)
		r := rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]
		for _, field := range r.fields {
			fieldOf(&after.Policy, field).Set(fieldOf(&other, field))
		}
		changes := Compare(document(before), document(after))
		differs := r.value(&before.Policy) != r.value(&after.Policy)
		switch {
		case differs && (len(changes) != 1 || changes[0].Member != r.member):
			t.Fatalf("%s was changed: %+v", r.member, changes)
		case !differs && len(changes) != 0:
			t.Fatalf("nothing was changed: %+v", changes)
		}
	})
}

func fieldOf(p *policy.Policy, path string) reflect.Value {
	value := reflect.ValueOf(p).Elem()
	for name := range strings.SplitSeq(path, ".") {
		value = value.FieldByName(name)
	}
	return value
}
