package spec

import (
	"fmt"
	"testing"
)

func TestLoad_Credentials(t *testing.T) {
	const operation = "paths: {/a: {post: {x-idempotency: true, %s responses: {'200': {description: ok}}}}}\n"
	const schemes = `
    token: {type: http, scheme: bearer}
    login: {type: http, scheme: basic}
    key: {type: apiKey, in: query, name: api_key}
    oauth: {$ref: '#/components/securitySchemes/real'}
    real: {type: oauth2, flows: {}}
    tls: {type: mutualTLS}
`
	three := func(rest, inOperation string) string {
		return "openapi: 3.1.0\ninfo: {title: A, version: '1'}\n" + fmt.Sprintf(operation, inOperation) + rest + "components:\n  securitySchemes:" + schemes
	}
	two := func(rest, inOperation string) string {
		return "swagger: '2.0'\ninfo: {title: A, version: '1'}\n" + fmt.Sprintf(operation, inOperation) + rest +
			"securityDefinitions:\n  login: {type: basic}\n  key: {type: apiKey, in: header, name: X-Key}\n"
	}
	for document, want := range map[string]string{
		three("", ""):                                                      "[]",
		three("security: [{token: []}]\n", ""):                             "[{header Authorization Bearer}]",
		three("security: [{token: []}]\n", "security: [],"):                "[]",
		three("security: [{token: []}]\n", "security: [{}, {login: []}],"): "[]",
		three("", "security: [{login: [], key: []}, {token: []}],"):        "[{header Authorization Basic} {query api_key }]",
		three("security: [{oauth: [write]}]\n", ""):                        "[{header Authorization Bearer}]",
		three("security: [{tls: []}, {token: []}]\n", ""):                  "[]",
		three("", "security: [{unknown: []}],"):                            "[]",
		two("security: [{login: []}]\n", ""):                               "[{header Authorization Basic}]",
		two("security: [{login: []}]\n", "security: [{key: []}],"):         "[{header X-Key }]",
	} {
		doc, _, err := Load(Options{File: writeSpec(t, "openapi.yaml", document)})
		if err != nil || len(doc.Keyed()) != 1 {
			t.Fatalf("%v\n%s", err, document)
		}
		if got := fmt.Sprint(doc.Keyed()[0].Shape.Credentials); got != want {
			t.Errorf("%s, want %s, of\n%s", got, want, document)
		}
	}
}
