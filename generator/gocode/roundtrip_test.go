package gocode

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

// roundTripDocuments are the real documents whose generated tests are run, with the operations that an overlay makes
// keyed.
var roundTripDocuments = []struct {
	name, file string
	keyed      []string
}{
	{"adyen", "adyen_CheckoutService-v71.json", nil},
	{"paypal", "paypal_checkout_orders_v2.json", nil},
	{"square", "square_api.json", nil},
	{"twilio", "twilio_api_v2010.json", nil},
	{"obie", "obie_vrp.yaml", nil},
	{"stripe", "stripe_spec3.json", []string{
		"POST /v1/charges", "POST /v1/customers", "POST /v1/payment_intents", "POST /v1/payment_intents/{intent}/confirm",
		"POST /v1/refunds", "POST /v1/transfers", "POST /v1/payouts", "POST /v1/invoices", "POST /v1/subscriptions", "POST /v1/setup_intents",
	}},
	{"github", "github_api.github.com.json", []string{
		"POST /orgs/{org}/repos", "POST /repos/{owner}/{repo}/issues", "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
		"POST /repos/{owner}/{repo}/pulls", "POST /repos/{owner}/{repo}/releases", "POST /repos/{owner}/{repo}/deployments",
		"POST /gists", "POST /user/repos", "POST /repos/{owner}/{repo}/git/refs", "POST /repos/{owner}/{repo}/hooks",
	}},
	{"openai", "openai_openapi.yaml", []string{
		"POST /embeddings", "POST /files", "POST /fine_tuning/jobs", "POST /batches", "POST /moderations", "POST /vector_stores",
		"POST /uploads", "POST /assistants", "POST /threads", "POST /uploads/{upload_id}/parts",
	}},
}

// The generated tests of real documents pass: each operation is sent a request, the same again and another one, and no
// operation is left out.
func TestRoundTrip_H3_F4_R7_RealDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles large packages")
	}
	module := newModule(t)
	operations := 0
	for _, real := range roundTripDocuments {
		o := spec.Options{File: realspecs.File(t, "../..", real.file), AcceptDeclared: true}
		if real.keyed != nil {
			o.Overlays = []string{overlayFor(t, real.keyed)}
		}
		doc, list, err := spec.Load(o)
		if err := errors.Join(err, list.Err()); err != nil {
			t.Fatal(err)
		}
		files := generateWithTest(t, doc, Options{Package: real.name, Dir: real.name})
		for _, file := range files {
			if others := bytes.Count(file.Content, []byte("other: &roundTripRequest")); strings.HasSuffix(file.Path, roundTripName) && others != len(doc.Keyed()) {
				t.Errorf("%s: %d of %d operations are sent another request", real.name, others, len(doc.Keyed()))
			}
		}
		module.write(t, files)
		operations += len(doc.Keyed())
	}
	out, err := module.test("./...")
	if err != nil {
		t.Error(err)
	}
	if passed := strings.Count(out, "    --- PASS: TestIdempotencyRoundTrip/"); passed != operations {
		t.Errorf("%d of %d operations have passed:\n%s", passed, operations, failures(out))
	}
}

// overlayFor writes an overlay that makes operations keyed.
func overlayFor(t *testing.T, keyed []string) string {
	t.Helper()
	text := "overlay: 1.0.0\ninfo: {title: keys, version: '1'}\nactions:\n"
	for _, operation := range keyed {
		method, path, _ := strings.Cut(operation, " ")
		text += fmt.Sprintf("  - {target: \"$.paths['%s'].%s\", update: {x-idempotency: true}}\n", path, strings.ToLower(method))
	}
	file := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// generateWithTest generates a package with its test, and fails for an operation that the test leaves out.
func generateWithTest(t *testing.T, doc *policy.Document, o Options) []output.File {
	t.Helper()
	o.Tests = true
	files, list, err := Generate(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.Rule == "no-round-trip" {
			t.Error(d)
		}
	}
	return files
}

// module is a Go module beside this one, in a workspace with it.
type module struct{ dir string }

func newModule(t *testing.T) module {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := module{t.TempDir()}
	m.write(t, []output.File{
		{Path: "go.mod", Content: []byte("module example.com/generated\n\ngo 1.25.0\n")},
		{Path: "go.work", Content: []byte("go 1.25.0\n\nuse (\n\t.\n\t" + strconv.Quote(root) + "\n)\n")},
	})
	return m
}

func (m module) write(t *testing.T, files []output.File) {
	t.Helper()
	for _, file := range files {
		path := filepath.Join(m.dir, filepath.FromSlash(file.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, file.Content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// test runs the tests of some of the module's packages, go vet included, and returns what they print.
func (m module) test(packages string) (out string, err error) {
	command := exec.Command("go", "test", "-v", "-vet=all", packages)
	command.Dir = m.dir
	command.Env = append(os.Environ(), "GOWORK="+filepath.Join(m.dir, "go.work"), "GOFLAGS=")
	printed, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go test %s: %w\n%s", packages, err, failures(string(printed)))
	}
	return string(printed), err
}

// failures is what is left of a test's output without what has passed, cut where it is long.
func failures(out string) string {
	var b bytes.Buffer
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "--- PASS") && !strings.HasPrefix(line, "=== RUN") {
			b.WriteString(line[:min(len(line), 300)])
		}
	}
	return b.String()[:min(b.Len(), 6000)]
}

// smallDocument has an operation of each kind that the test treats in its own way.
const smallDocument = `
openapi: 3.1.0
info: {title: Small, version: "1"}
x-idempotency: {docsUrl: https://example.com/idempotency}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: true
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [amount], properties: {amount: {type: integer, minimum: 1}}}
      responses:
        "201":
          description: Created.
          headers: {Location: {required: true, schema: {type: string}}}
          content:
            application/json:
              schema: {type: object, required: [id], properties: {id: {type: string}, url: {type: string, example: "a<b&c"}}}
        "402": {description: Declined.}
  /payments/{id}:cancel:
    post:
      operationId: cancelPayment
      x-idempotency: {key: {in: query, name: key}, replay: {status: {204: 200}}}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"204": {description: Done.}}
  /forms:
    post:
      operationId: sendForm
      x-idempotency: {key: {in: form, name: Key}, store: {body: false}}
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, required: [card], properties: {Key: {type: string}, card: {type: object, properties: {number: {type: string}}}}}
      responses:
        "200": {description: Done., content: {text/plain: {schema: {type: string}}}}
  /files:
    post:
      operationId: sendFile
      x-idempotency: {scope: [principal, operation, region]}
      requestBody:
        content:
          multipart/form-data:
            schema: {type: object, required: [file], properties: {file: {type: string, format: binary}, purpose: {type: string}}}
      responses: {"2XX": {description: Done., content: {application/pdf: {}}}}
  /empty:
    post:
      operationId: nothingToVary
      x-idempotency: true
      responses: {"303": {description: Elsewhere.}, default: {description: Anything., content: {application/json: {schema: {type: array, items: {type: integer}}}}}}
  /payouts:
    post:
      operationId: createPayout
      x-idempotency: {mode: lease, steps: [reserve, transfer, record], downstream: [{name: bank, step: transfer}], replay: {status: {201: 200}}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [amount], properties: {amount: {type: integer, minimum: 1}}}
      responses: {"201": {description: Created., content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}}}}
  /accounts:
    post:
      operationId: createAccount
      x-idempotency: {replay: {as: current}, store: {body: false}}
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {"201": {description: Created., content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}}}}
  /accounts/{id}/close:
    post:
      operationId: closeAccount
      x-idempotency: {mode: lease, downstream: [{name: bank}], replay: {as: current}}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}, {name: X-Reason, in: header, schema: {type: string}}]
      responses: {"204": {description: Closed.}}
webhooks:
  charged:
    post:
      operationId: charged
      x-idempotency: {key: {in: body, pointer: /id, required: true}}
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}, amount: {type: number, multipleOf: 0.01}}}}}
      responses: {"204": {description: Taken.}}
`

func small(t *testing.T) *policy.Document {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, []byte(smallDocument), 0o644); err != nil {
		t.Fatal(err)
	}
	doc, list, err := spec.Load(spec.Options{File: file})
	if err := errors.Join(err, list.Err()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// faults break a promise each, in a generated file; says is what the generated test has to say of it.
var faults = []struct{ name, file, right, wrong, says string }{
	{name: "right"},
	{"runstwice", roundTripName, "s.runs.Add(1)", "s.runs.Add(2)", "after two equal requests the handler has run 2 times, want 1"},
	{"nomarker", "policies.go", `Header: "Idempotent-Replayed"`, `Header: "Other"`, "Idempotent-Replayed: true is to mark the replay and nothing else"},
	{"nofingerprint", "policies.go", "policy.CanonicalBody", "policy.NoBody", "another request with the same key is answered with 201, want 422"},
	{"status", "policies.go", "To: 200", "To: 202", "the same request again is answered with 202, want 200"},
	{"notrebuilt", "policies.go", "As: policy.Current", "As: policy.Stored", "after two equal requests an answer has been rebuilt 0 times, want 1"},
	{"notstored", "policies.go", "policy.Statuses{", `policy.Statuses{"418"}, Headers: []string{`, "the handler has run 2 times, want 1"},
}

// The generated test passes for what is generated, and fails where a promise is broken.
func TestRoundTrip_H3_F4_R3_R7_SeesBrokenPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	doc, module := small(t), newModule(t)
	for _, fault := range faults {
		files := generateWithTest(t, doc, Options{Package: fault.name, Dir: fault.name})
		for i := range files {
			if filepath.Base(files[i].Path) == fault.file {
				files[i].Content = bytes.ReplaceAll(files[i].Content, []byte(fault.right), []byte(fault.wrong))
			}
		}
		module.write(t, files)
	}
	for _, fault := range faults {
		out, err := module.test("./" + fault.name)
		if (err == nil) != (fault.says == "") || !strings.Contains(out, fault.says) {
			t.Errorf("%s: want %q:\n%s", fault.name, fault.says, failures(out))
		}
	}
}
