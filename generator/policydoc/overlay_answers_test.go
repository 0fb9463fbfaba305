package policydoc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

const repeatable = `openapi: 3.1.0
info: {title: Messages, version: "1"}
paths:
  /messages:
    post:
      operationId: send
      x-idempotency: {profile: repeatability, replay: {status: {201: 200}}}
      responses:
        "201": {description: Sent}
        "400": {description: Not a message}
        "404":
          description: Nobody of that name
          headers: {repeatability-result: {schema: {type: string}}}
`

// The header of the first attempt, the headers of answers and of refusals, and 412 come into the document, and once (P2).
func TestOverlay_P2_X3_FirstSentAndAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, []byte(repeatable), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := load(t, spec.Options{File: file})
	content := overlayOf(t, doc)
	once := applyTo(t, file, spec.Overlay{Name: "overlay", Content: content})
	applied := load(t, spec.Options{File: once})
	if more := overlayOf(t, applied); more != nil {
		t.Errorf("the applied document still lacks something:\n%s", more)
	}
	twice := applyTo(t, once, spec.Overlay{Name: "overlay", Content: content})
	if first, second := read(t, once), read(t, twice); !bytes.Equal(first, second) {
		t.Errorf("applied twice, the document changes:\n%s\n%s", first, second)
	}
	shape := applied.Operations[0].Shape
	for _, name := range []string{"Repeatability-Request-ID", "Repeatability-First-Sent"} {
		if !hasParameter(shape, name) {
			t.Errorf("the document has no parameter %s\n%s", name, content)
		}
	}
	for status, headers := range map[string][]string{
		"200": {"Repeatability-Result", "Idempotent-Replayed"}, "201": {"Repeatability-Result", "Idempotent-Replayed"},
		"400": {"Repeatability-Result"}, "404": {"Repeatability-Result"}, "412": {"Repeatability-Result"}, "409": {"Retry-After"},
	} {
		for _, header := range headers {
			if n := countHeader(shape, status, header); n != 1 {
				t.Errorf("%s has %s %d times\n%s", status, header, n, content)
			}
		}
	}
	if !strings.Contains(string(content), "the first attempt was too long ago") {
		t.Errorf("412 is not described\n%s", content)
	}
}

func hasParameter(shape *policy.Shape, name string) bool {
	for _, parameter := range shape.Parameters {
		if parameter.Name == name && parameter.In == "header" {
			return true
		}
	}
	return false
}

func countHeader(shape *policy.Shape, status, name string) int {
	n := 0
	for _, response := range shape.Responses {
		for _, header := range response.Headers {
			if response.Status == status && strings.EqualFold(header.Name, name) {
				n++
			}
		}
	}
	return n
}

// What a profile of the user's own does not find is told on the page as a built-in one's gaps are.
func TestUndocumented_OwnProfile_P1(t *testing.T) {
	op := &policy.Operation{
		Policy:   policy.Policy{Profile: "house"},
		Contract: &policy.Profile{Name: "house", Title: "The house", Values: []policy.ProfileValue{{Member: "retention", Basis: policy.NotFound}}},
		Origins:  policy.Origins{{Member: "retention", Level: policy.LevelBuiltin}},
	}
	if got := undocumented(op).Plain(); !strings.Contains(got, "The house") || !strings.Contains(got, "how long a key is remembered") {
		t.Errorf("got %q", got)
	}
	op.Contract = nil
	if got := undocumented(op).Plain(); got != "" {
		t.Errorf("a profile of no file says %q", got)
	}
}
