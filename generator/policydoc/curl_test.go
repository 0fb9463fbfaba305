package policydoc

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// What curl makes of the command is what was meant: curl is asked, and no value is taken for a file.
func TestCurl_AsCurlSendsIt(t *testing.T) {
	program, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("no curl to ask")
	}
	tricky := `"@FILE;type=x \\\"q\\\" <y é"`
	text := &policy.Schema{Kind: policy.String, Example: json.RawMessage(tricky)}
	nested := &policy.Schema{Kind: policy.Object, Properties: []policy.Property{{Name: "in", Required: true, Schema: text}}}
	schema := &policy.Schema{Kind: policy.Object, Properties: []policy.Property{{Name: "plain", Required: true, Schema: text}, {Name: "deep", Required: true, Schema: nested}}}
	withFile := &policy.Schema{Kind: policy.Object, Properties: append([]policy.Property{
		{Name: "file", Required: true, Schema: &policy.Schema{Kind: policy.String, Format: "binary"}}}, schema.Properties...)}
	var want string
	if err := json.Unmarshal([]byte(tricky), &want); err != nil {
		t.Fatal(err)
	}

	type request struct {
		*http.Request
		body []byte
	}
	received := make(chan request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent := request{Request: r}
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			sent.body, _ = io.ReadAll(r.Body)
		}
		received <- sent
	}))
	defer server.Close()
	for _, test := range []struct {
		mediaType string
		schema    *policy.Schema
		check     func(request) bool
	}{
		{"application/json", schema, func(got request) bool {
			var sent struct{ Plain string }
			return json.Unmarshal(got.body, &sent) == nil && sent.Plain == want
		}},
		{"application/x-www-form-urlencoded", schema, func(got request) bool {
			return got.PostForm.Get("plain") == want && got.PostForm.Get("deep[in]") == want
		}},
		{"multipart/form-data", withFile, func(got request) bool {
			file := got.MultipartForm.File["file"]
			var deep struct{ In string }
			err := json.Unmarshal([]byte(got.PostForm.Get("deep")), &deep)
			return got.PostForm.Get("plain") == want && len(file) == 1 && file[0].Size == 3 && err == nil && deep.In == want
		}},
		{"text/plain", text, func(got request) bool { return string(got.body) == want }},
		{"image/png", nil, func(got request) bool { return string(got.body) == "abc" }},
	} {
		op := &policy.Operation{Method: "POST", Path: "/a", Decision: policy.Keyed, Policy: policy.Policy{Key: policy.Key{In: policy.InHeader, Name: "K"}},
			Shape: &policy.Shape{
				Body:        &policy.Body{Contents: []policy.Content{{MediaType: test.mediaType, Schema: test.schema}}},
				Credentials: []policy.Credential{{In: "header", Name: "Authorization", Scheme: "Bearer"}, {In: "cookie", Name: "sid"}},
			}}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "FILE"), []byte("abc"), 0o600); err != nil {
			t.Fatal(err)
		}
		command := string(curl(&policy.Document{Servers: []string{server.URL}}, op))
		run := exec.Command("sh", "-c", strings.Replace(command, "curl", program+" -sS", 1))
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", test.mediaType, err, out, command)
			continue
		}
		got := <-received // curl ended well, so that an answer came, and before it the request
		cookie, err := got.Cookie("sid")
		if err != nil || cookie.Value != "YOUR-SECRET" || got.Header.Get("Authorization") != "Bearer YOUR-SECRET" || got.Header.Get("K") == "" ||
			!strings.HasPrefix(got.Header.Get("Content-Type"), test.mediaType) || !test.check(got) {
			t.Errorf("%s: sent %v %v %q by\n%s", test.mediaType, got.Header, got.PostForm, got.body, command)
		}
	}
}
