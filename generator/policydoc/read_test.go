package policydoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/schematest"
	"github.com/idemgen/idemgen/runtime/policy"
)

// timed is the bank with an operation that asks when a request was first sent, and answers with headers.
func timed() *policy.Document {
	doc := bank()
	for i := range doc.Operations {
		if op := &doc.Operations[i]; op.ID == "transfer" {
			op.Policy.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: 5 * time.Minute}
			op.Policy.Errors.Expired = policy.ErrorAnswer{Status: 412}
			op.Policy.Answers.Headers = []policy.HeaderValue{{Name: "Repeatability-Result", Value: "accepted"}, {Name: "X-Key", Value: "{key}"}}
		}
	}
	return doc
}

func published(t *testing.T, doc *policy.Document) *Published {
	t.Helper()
	content, err := policyJSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.Validate(schematest.Closed(t, schemaFile, SchemaURL), content); err != nil {
		t.Errorf("%v", err)
	}
	p, err := ReadJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is written is read again: keys, sentences, requests.
func TestReadJSON_P2_P3_ReadsWhatIsWritten(t *testing.T) {
	doc := timed()
	p := published(t, doc)
	keyed := doc.Keyed()
	if len(p.Operations) != len(keyed) || p.Title != doc.Title {
		t.Fatalf("%d operations of %s, want %d of %s", len(p.Operations), p.Title, len(keyed), doc.Title)
	}
	for i, op := range keyed {
		got := &p.Operations[i]
		want := op.Policy.Key
		want.Format, want.LengthUnit = policy.Format(orElse(string(want.Format), "any")), policy.LengthUnit(orElse(string(want.LengthUnit), "characters"))
		if want.In != policy.InHeader {
			want.Syntax = ""
		}
		if !reflect.DeepEqual(got.Key, want) {
			t.Errorf("%s: key %+v, want %+v", op.ID, got.Key, want)
		}
		for n, promise := range promises(op) {
			read := got.Promises[n]
			if read.ID != promise.ID || read.Text != promise.Text.Plain() || read.Testable != promise.Testable || read.Why != promise.Why {
				t.Errorf("%s: promise %+v, want %s", op.ID, read, promise.ID)
			}
		}
		if got.Example == nil || !strings.HasPrefix(got.Example.Path, "/") {
			t.Errorf("%s has no example", op.ID)
		}
	}
}

// Each number and each name of a sentence is in its parameters: a reader who has the policy alone can test it.
func TestPromises_P3_ParametersHaveWhatTheSentenceSays(t *testing.T) {
	for _, op := range timed().Keyed() {
		for _, promise := range promises(op) {
			if !promise.Testable {
				if promise.Why == "" {
					t.Errorf("%s: nobody is told why it cannot be tested", promise.ID)
				}
				continue
			}
			if promise.ID == PromiseReplayMarker && promise.Parameters == nil || promise.ID == PromiseOneEffect || promise.ID == PromiseKeyOptional {
				continue // sentences without a value
			}
			text, err := json.Marshal(promise.Parameters)
			if err != nil || len(promise.Parameters) == 0 {
				t.Errorf("%s: parameters %s, %v", promise.ID, text, err)
			}
			for _, span := range promise.Text.spans {
				value := span.text
				switch {
				case span.kind != literal, value == "{key}", value == "Retry-After", value == "1", value == "1.0", value == "500", value == "5xx":
					continue
				case promise.ID == PromiseKeySyntax, strings.HasSuffix(value, " GMT"): // an example of a value
					continue
				case promise.ID == PromiseKeyPlace && op.Policy.Key.In == policy.InBody:
					value = op.Policy.Key.Pointer
				}
				if promise.ID == PromiseKept {
					value = strings.ToUpper(value)
				}
				for _, part := range strings.Split(value, ": ") {
					if part == "Retry-After" || promise.ID == PromiseInFlight && strings.HasPrefix(value, "Retry-After: ") {
						continue // a duration, below
					}
					quoted, _ := json.Marshal(part)
					if !bytes.Contains(text, bytes.Trim(quoted, `"`)) {
						t.Errorf("%s, %s: %q of %q is not in %s", op.ID, promise.ID, part, promise.Text.Plain(), text)
					}
				}
			}
		}
	}
}

func TestPromises_P3_X3_FirstSentAndAnswerHeaders(t *testing.T) {
	p := published(t, timed())
	i := slices.IndexFunc(p.Operations, func(o PublishedOperation) bool { return o.ID == "transfer" })
	for id, want := range map[string]Parameters{
		PromiseFirstSentExpired: {"header": "Repeatability-First-Sent", "maxSkew": "PT5M", "retention": "P7D", "status": 412.0, "shape": "problem", "typeEnd": "expired"},
		PromiseRetentionEnd:     {"retention": "P7D", "then": "expired", "status": 412.0, "shape": "problem", "typeEnd": "expired"},
		PromiseAnswerHeaders:    {"headers": map[string]any{"Repeatability-Result": "accepted", "X-Key": "{key}"}},
	} {
		promise, ok := p.Operations[i].Promise(id)
		if !ok || !reflect.DeepEqual(promise.Parameters, want) {
			t.Errorf("%s: %+v, want %v", id, promise, want)
		}
	}
}

func TestReadJSON_P2_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:            "not JSON of the form",
		`{"version":2}`: "has version 2",
		`{"version":1}`: "no operation with a key",
		`{"version":1,"operations":[{"id":"a","decision":"keyed"}]}`:                                                                                 "no rules",
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"header","name":"A B"}}}]}`:                                    "no header can have",
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"moon"}}}]}`:                                                   `in "moon"`,
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"query"}}}]}`:                                                  "no name",
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"body"}}}]}`:                                                   "no pointer",
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"body","pointer":"/k","firstSent":{}}}}]}`:                     "firstSent",
		`{"version":1,"operations":[{"id":"a","decision":"keyed","rules":{"key":{"in":"body","pointer":"/k"}},"promises":[{"id":"x","text":"y"}]}]}`: "generate the policy anew",
	} {
		if _, err := ReadJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestParseDuration_P2_ReadsWhatIsWritten(t *testing.T) {
	for _, d := range []time.Duration{0, time.Millisecond, 1500 * time.Millisecond, time.Second, 61 * time.Minute, 24 * time.Hour, 25*time.Hour + time.Second, 45 * 24 * time.Hour} {
		if got, err := ParseDuration(isoDuration(d)); err != nil || got != d {
			t.Errorf("%s: %v, %v", isoDuration(d), got, err)
		}
	}
	for _, text := range []string{"", "P", "PT", "24h", "P1Y", "PT-1S", "P999999D", "PT1.S", "P1DT"} {
		if d, err := ParseDuration(text); err == nil {
			t.Errorf("%q is read as %v", text, d)
		}
	}
}
