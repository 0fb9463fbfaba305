package policydoc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// The example request has all that the operation requires, so that it works once the words in capitals are replaced.
func TestCurl_P1(t *testing.T) {
	text := &policy.Schema{Kind: policy.String}
	record := &policy.Schema{Kind: policy.Object, Properties: []policy.Property{
		{Name: "note", Schema: text},
		{Name: "amount", Required: true, Schema: &policy.Schema{Kind: policy.Integer, Minimum: "100"}},
		{Name: "to", Required: true, Schema: &policy.Schema{Kind: policy.Object, Properties: []policy.Property{{Name: "iban", Required: true, Schema: &policy.Schema{Kind: policy.String, Example: json.RawMessage(`"@home & \"away\""`)}}}}},
	}}
	upload := &policy.Schema{Kind: policy.Object, Properties: append([]policy.Property{
		{Name: "receipt", Required: true, Schema: &policy.Schema{Kind: policy.String, Format: "binary"}},
		{Name: "key", Required: true, Schema: text},
	}, record.Properties[1:]...)}
	body := func(mediaType string, s *policy.Schema) *policy.Body {
		return &policy.Body{Required: true, Contents: []policy.Content{{MediaType: mediaType, Schema: s}}}
	}
	inForm := policy.Key{In: policy.InForm, Name: "key", MaxLength: 36}
	parameters := []policy.Parameter{
		{Name: "id", In: "path", Required: true, Example: json.RawMessage("12"), Schema: &policy.Schema{Kind: policy.Integer}},
		{Name: "dry run", In: "query", Required: true, Style: "form", Explode: true, Schema: &policy.Schema{Kind: policy.Boolean}},
		{Name: "page", In: "query", Style: "form", Explode: true, Schema: text},
		{Name: "X-Shop", In: "header", Required: true, Style: "simple", Schema: &policy.Schema{Kind: policy.String, Enum: []json.RawMessage{json.RawMessage(`"north"`)}}},
		{Name: "X-Key", In: "header", Required: true, Style: "simple", Schema: text},
	}
	for _, test := range []struct {
		name    string
		servers []string
		key     policy.Key
		shape   policy.Shape
		want    string
	}{
		{"what is required", []string{"/v1/"}, policy.Key{In: policy.InHeader, Name: "Idempotency-Key"}, policy.Shape{Parameters: parameters, Body: body("application/json", record)},
			`curl -X POST 'https://api.example.com/v1/a/12?dry+run=true'
  -H 'Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324'
  -H 'X-Key: text'
  -H 'X-Shop: north'
  -H 'Content-Type: application/json'
  --data '{"note":"text","amount":100,"to":{"iban":"@home & \"away\""}}'`},
		{"credentials", []string{"https://{region}.example.com/{version}", "https://{region}.example.com/v2"}, policy.Key{In: policy.InQuery, Name: "k"},
			policy.Shape{Parameters: parameters[4:], Credentials: []policy.Credential{{In: "header", Name: "X-Key"}, {In: "header", Name: "Authorization", Scheme: "Bearer"}, {In: "query", Name: "api key"}, {In: "cookie", Name: "sid"}}},
			`curl -X POST 'https://api.example.com/v2/a/ID?k=8e03978e-40d5-43dd-bc93-6894a57f9324&api+key=YOUR-SECRET'
  -H 'X-Key: YOUR-SECRET'
  -H 'Authorization: Bearer YOUR-SECRET'
  -b 'sid=YOUR-SECRET'`},
		{"a form", nil, inForm, policy.Shape{Body: body("application/x-www-form-urlencoded", record), Credentials: []policy.Credential{{In: "header", Name: "Authorization", Scheme: "Basic"}}},
			`curl -X POST https://api.example.com/a/ID
  -u USER:PASSWORD
  --data-urlencode 'note=text'
  --data-urlencode 'amount=100'
  --data-urlencode 'to[iban]=@home & "away"'
  --data-urlencode 'key=8e03978e-40d5-43dd-bc93-6894a57f9324'`},
		{"parts", nil, inForm, policy.Shape{Body: body("multipart/form-data", upload)},
			`curl -X POST https://api.example.com/a/ID
  --form-string 'key=8e03978e-40d5-43dd-bc93-6894a57f9324'
  -F 'receipt=@FILE;type=application/octet-stream'
  --form-string 'amount=100'
  -F 'to="{\"iban\":\"@home & \\\"away\\\"\"}";type=application/json'`},
		{"text", nil, policy.Key{In: policy.InHeader, Name: "K"}, policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: "text/plain", Examples: []json.RawMessage{json.RawMessage(`"@hello"`)}}}}},
			"curl -X POST https://api.example.com/a/ID\n  -H 'K: 8e03978e-40d5-43dd-bc93-6894a57f9324'\n  -H 'Content-Type: text/plain'\n  --data-raw '@hello'"},
		{"bytes", nil, policy.Key{In: policy.InHeader, Name: "K"}, policy.Shape{Body: body("image/png", nil)},
			"curl -X POST https://api.example.com/a/ID\n  -H 'K: 8e03978e-40d5-43dd-bc93-6894a57f9324'\n  -H 'Content-Type: image/png'\n  --data-binary '@FILE'"},
		{"what nothing satisfies", nil, policy.Key{In: policy.InHeader, Name: "K"}, policy.Shape{Body: body("application/json", &policy.Schema{Kind: policy.Integer, Minimum: "2", Maximum: "1"})},
			"curl -X POST https://api.example.com/a/ID\n  -H 'K: 8e03978e-40d5-43dd-bc93-6894a57f9324'"},
	} {
		op := &policy.Operation{Method: "POST", Path: "/a/{id}", Decision: policy.Keyed, Policy: policy.Policy{Key: test.key}, Shape: &test.shape}
		got := strings.ReplaceAll(string(curl(&policy.Document{Servers: test.servers}, op)), " \\\n", "\n")
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}
