package policydoc

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What is published is read again as it was: what a reader gets is what another one publishes of it.
func TestReadDocument_P2_ReadsWhatIsPublished(t *testing.T) {
	for _, doc := range []*policy.Document{bank(), timed()} {
		content, err := policyJSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		if !IsJSONPolicy(content) {
			t.Error("it is not known for what it is")
		}
		read, err := ReadDocument(content, "policy.json")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		for i := range read.Operations {
			got, want := &read.Operations[i], &doc.Operations[i]
			if got.ID != want.ID || got.Decision != want.Decision || got.Path != want.Path || got.Method != want.Method {
				t.Errorf("operation %d is %s %s, want %s", i, got.Method, got.Path, want.ID)
			}
			if at := got.Pos; at.File != "policy.json" || lines[at.Line-1][at.Column-1:] != "{" || !strings.Contains(lines[at.Line], `"id"`) {
				t.Errorf("%s stands at %v, which is %q", got.ID, at, lines[at.Line-1])
			}
			if got.Decision != policy.Keyed {
				continue
			}
			a, b := newJSONRules(got), newJSONRules(want)
			b.Undocumented = nil // it rests on where values come from, which nobody publishes
			a.Undocumented = nil
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s:\n%+v\nwant\n%+v", got.ID, a, b)
			}
		}
		if len(read.Operations) != len(doc.Operations) || len(read.Consumers) != len(doc.Consumers) {
			t.Errorf("%d operations and %d consumers", len(read.Operations), len(read.Consumers))
		}
		published, err := AsPublished(doc)
		if err != nil {
			t.Fatal(err)
		}
		for i := range published.Operations {
			if got, want := &published.Operations[i], &doc.Operations[i]; got.Pos != want.Pos || !reflect.DeepEqual(got.Origins, want.Origins) {
				t.Errorf("%s has lost its place", got.ID)
			}
		}
	}
}

// A member of the policy that is published is read, too: one that is added to the JSON and not here is found.
func TestReadDocument_P2_ReadsEveryMember(t *testing.T) {
	var rules jsonRules
	fill(reflect.ValueOf(&rules).Elem(), "")
	rules.Mode, rules.InFlight.Answer, rules.Key.In = string(policy.LeaseMode), string(policy.Wait), string(policy.InHeader)
	rules.Store.Headers, rules.Undocumented = append(keptHeaders(&policy.Policy{}), "X-Zone"), nil // sorted as they are published
	var op policy.Operation
	if err := readRules(&op.Policy, &rules); err != nil {
		t.Fatal(err)
	}
	if again := newJSONRules(&op); !reflect.DeepEqual(&rules, again) {
		t.Errorf("read\n%+v\nwant\n%+v", again, &rules)
	}
}

// fill gives every member a value that is not its zero, and is none that is left out.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.String:
		v.SetString("x")
		if slices.Contains([]string{"Retention", "RetryWindow", "MaxWait", "RetryAfter", "MaxSkew", "Duration"}, name) {
			v.SetString("PT7S")
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, name)
		v.SetMapIndex(reflect.ValueOf("201"), value)
	}
}

func TestReadDocument_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "it is no object",
		"[]":                               "it is no object",
		`{"version": 1, "operations": {}}`: "operations is no list",
		`{"version": 2, "operations": []}`: "policy of version 2",
		`{"version": 1, "operations": [`:   "EOF",
		`{"version": 1} {}`:                "something follows",
		`{"version": 1, "operations": [{"id": "a", "decision": "maybe"}]}`:                                  `a decision that is not known, "maybe"`,
		`{"version": 1, "operations": [{"id": "a", "decision": "keyed"}]}`:                                  "has no rules",
		`{"version": 1, "operations": [{"id": "a", "decision": "keyed", "rules": {"retention": "a day"}}]}`: `retention: "a day" is not a duration`,
		"{\"version\": 1,\n\"operations\": [\n{\"id\": 3}]}":                                                "policy.json:3: ",
	} {
		if _, err := ReadDocument([]byte(text), "policy.json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestIsJSONPolicy(t *testing.T) {
	for text, want := range map[string]bool{
		`{"$schema": "` + SchemaURL + `"}`: true, `{"version": 1, "api": {}, "operations": []}`: true,
		`{"openapi": "3.1.0", "operations": []}`: false, `{"swagger": "2.0"}`: false, `{"$schema": "https://example.com/x"}`: false,
		"openapi: 3.1.0": false, "": false, "{": false, `{"a": `: false, `{"a": 1}`: false, "[]": false,
	} {
		if IsJSONPolicy([]byte(text)) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
