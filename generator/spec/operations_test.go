package spec

import (
	"strings"
	"testing"
)

// An overlay has to name the place where an operation is written, which a path item's reference may lead to.
func TestLoad_WhereOperationsStand(t *testing.T) {
	const document = `openapi: 3.2.0
info: {title: t, version: "1"}
paths:
  /own: {post: {responses: {201: {description: Created}, 2XX: {description: OK}, default: {description: Other}}}}
  /shared: {$ref: '#/components/pathItems/A~1%7B'}
  /beside: {$ref: '#/components/pathItems/B', patch: {}}
  /other: {$ref: '#/paths/~1own'}
  /file: {$ref: 'file.yaml#/Item'}
  /back: {$ref: 'openapi.yaml#/components/pathItems/B'}
webhooks:
  paid: {$ref: '#/components/pathItems/B'}
components:
  pathItems:
    A/{: {$ref: '#/components/pathItems/B', put: {}, additionalOperations: {COPY: {}}}
    B: {post: {}, put: {}}
`
	doc, found, err := Load(Options{File: writeSpec(t, "openapi.yaml", document, "file.yaml", "Item: {post: {}}")})
	if err != nil || found.Err() != nil {
		t.Fatal(found, err)
	}
	var got []string
	for _, op := range doc.Operations {
		got = append(got, op.Method+" "+op.Path+" "+op.Pointer)
		if op.Path == "/own" && strings.Join(op.Successes, " ") != "201 2XX" {
			t.Errorf("successes %v", op.Successes)
		}
	}
	const want = `POST /back /components/pathItems/B/post
PUT /back /components/pathItems/B/put
PATCH /beside /paths/~1beside/patch
POST /beside /components/pathItems/B/post
PUT /beside /components/pathItems/B/put
POST /file 
POST /other /paths/~1own/post
POST /own /paths/~1own/post
COPY /shared /components/pathItems/A~1{/additionalOperations/COPY
POST /shared /components/pathItems/B/post
PUT /shared /components/pathItems/A~1{/put
POST paid /components/pathItems/B/post
PUT paid /components/pathItems/B/put`
	if strings.Join(got, "\n") != want {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}
