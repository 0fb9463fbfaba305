package gocode

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

// roundTripDocuments are the real documents whose generated tests are run, with the operations that an overlay makes keyed.
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

// The generated tests of real documents pass: each operation is sent a request, the same again and another one, and no operation is left out.
func TestRoundTrip_RealDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles large packages")
	}
	module := newModule(t)
	operations := 0
	for _, real := range roundTripDocuments {
		path := filepath.Join("../../../shared/specs", real.file)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
			t.Skipf("%s is missing", path)
		}
		o := spec.Options{File: path, AcceptDeclared: true}
		if real.keyed != nil {
			o.Overlays = []string{overlayFor(t, real.keyed)}
		}
		doc, list, err := spec.Load(o)
		if err := errors.Join(err, list.Err()); err != nil {
			t.Fatal(err)
		}
		module.write(t, generateWithTest(t, doc, Options{Package: real.name, Dir: real.name}))
		operations += len(doc.Keyed())
	}
	out := module.test(t)
	t.Log(operations, strings.Count(out, "--- PASS: TestIdem"))
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
	files, _, err := Generate(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlan(doc, o)
	test, err := finish(o, []source{{roundTripName, p.roundTripFile()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.warnings {
		if d.Rule == "no-round-trip" {
			t.Error(d)
		}
	}
	return append(files, test...)
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

// test vets and runs the module's tests and returns what they print.
func (m module) test(t *testing.T) string {
	t.Helper()
	var out []byte
	for _, arguments := range [][]string{{"vet", "./..."}, {"test", "-v", "./..."}} {
		command := exec.Command("go", arguments...)
		command.Dir = m.dir
		command.Env = append(os.Environ(), "GOWORK="+filepath.Join(m.dir, "go.work"), "GOFLAGS=")
		var err error
		if out, err = command.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", arguments[0], err, failures(string(out)))
		}
	}
	return string(out)
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
