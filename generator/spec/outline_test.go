package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

const outlined = `openapi: 3.1.0
info: {title: t, version: "1"}
x-speakeasy-retries: {strategy: backoff, backoff: {maxElapsedTime: 1800000}}
paths:
  /payments:
    parameters: [{name: X-Tenant, in: header, schema: {type: string}}]
    post:
      tags: [Payments, Money]
      parameters:
        - {name: If-Match, in: header, schema: {type: string}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: Idempotency-Key, in: header, schema: {type: [string, 'null'], format: email}}
      requestBody: {$ref: '#/components/requestBodies/Pay'}
      responses:
        '409': {description: c}
        '201': {$ref: '#/components/responses/Paid'}
        default: {description: d}
        x-note: {description: no answer}
    get: {responses: {'200': {description: ok}}}
  /quiet:
    post:
      x-speakeasy-retries: {strategy: none}
      responses: {'200': {description: ok, content: {text/event-stream: {}}}}
components:
  responses:
    Paid: {description: p, content: {text/plain: {}, application/json: {}}}
  requestBodies:
    Pay:
      content:
        application/json:
          schema:
            allOf: [{$ref: '#/components/schemas/Base'}]
            properties:
              amount: {type: object, properties: {value: {type: integer, properties: {deep: {}}}}}
              changes: {type: array, items: {properties: {delta/x: {type: integer}}}}
              self: {$ref: '#/components/schemas/Base'}
  schemas:
    Base: {type: object, properties: {id: {type: string}, parent: {$ref: '#/components/schemas/Base'}}}
`

func loadText(t *testing.T, content string) *policy.Document {
	t.Helper()
	file := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, found, err := Load(Options{File: file})
	if err != nil || found.Err() != nil {
		t.Fatal(err, found.Err())
	}
	return doc
}

// Every operation has an outline, keyed or not: names and places, two levels deep, cycles included.
func TestLoad_Outline(t *testing.T) {
	doc := loadText(t, outlined)
	byName := map[string]*policy.Operation{}
	for i := range doc.Operations {
		byName[doc.Operations[i].Method+" "+doc.Operations[i].Path] = &doc.Operations[i]
	}
	post := byName["POST /payments"].Outline
	if !reflect.DeepEqual(post.Tags, []string{"Payments", "Money"}) || !reflect.DeepEqual(post.Headers, []string{"Idempotency-Key", "If-Match", "X-Tenant"}) {
		t.Errorf("tags %v, headers %v", post.Tags, post.Headers)
	}
	var pointers []string
	for _, member := range post.Members {
		pointers = append(pointers, member.Pointer)
		if member.Pos.Line == 0 {
			t.Errorf("%s has no position", member.Pointer)
		}
	}
	if got, want := strings.Join(pointers, " "), "/id /parent /parent/id /parent/parent /amount /amount/value /changes /changes/-/delta~1x /self /self/id /self/parent"; got != want {
		t.Errorf("members\n%s, want\n%s", got, want)
	}
	var answers []string
	for _, answer := range post.Answers {
		answers = append(answers, answer.Status+"="+strings.Join(answer.MediaTypes, ","))
	}
	if got, want := strings.Join(answers, " "), "201=application/json,text/plain 409= default="; got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	if r := post.Retries; r == nil || r.MaxElapsed != 30*time.Minute || r.Off || r.Pos.Line != 3 {
		t.Errorf("retries %+v", r)
	}
	if r := byName["POST /quiet"].Outline.Retries; r == nil || !r.Off || r.Pos.Line != 22 {
		t.Errorf("retries of the operation %+v", r)
	}
	if get := byName["GET /payments"].Outline; get.Members != nil || len(get.Headers) != 1 {
		t.Errorf("GET has %+v", get)
	}
	key := byName["POST /payments"].Declared[0]
	if key.Type != "string" || key.SchemaFormat != "email" || !key.Nullable {
		t.Errorf("declared key %+v", key)
	}
}
