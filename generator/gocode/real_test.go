package gocode_test

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

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

func specFile(t testing.TB, name string) string {
	t.Helper()
	return realspecs.File(t, "../..", name)
}

// realDocuments are the real documents with the operations that are keyed there: those that declare a key parameter, or
// those that an overlay names as "METHOD path".
var realDocuments = []struct {
	name, file string
	keyed      []string
}{
	{"adyen", "adyen_CheckoutService-v71.json", nil},
	{"adyenyaml", "adyen_CheckoutService-v71.yaml", nil},
	{"paypal", "paypal_checkout_orders_v2.json", nil},
	{"square", "square_api.json", nil},
	{"twilio", "twilio_api_v2010.json", nil},
	{"obie", "obie_vrp.yaml", nil},
	{"stripe", "stripe_spec3.json", []string{
		"POST /v1/charges", "POST /v1/customers", "POST /v1/payment_intents", "POST /v1/payment_intents/{intent}/confirm",
		"POST /v1/refunds", "POST /v1/transfers", "POST /v1/payouts", "POST /v1/invoices", "POST /v1/subscriptions",
		"POST /v1/setup_intents",
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

// loadReal loads a real document.
func loadReal(t testing.TB, file string, keyed []string) *policy.Document {
	t.Helper()
	o := spec.Options{File: specFile(t, file), AcceptDeclared: true}
	if len(keyed) > 0 {
		o.Overlays = []string{keyingOverlay(t, keyed)}
	}
	doc, list, err := spec.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Err(); err != nil {
		t.Fatal(list.Errors())
	}
	return doc
}

// keyingOverlay writes an overlay that makes operations keyed.
func keyingOverlay(t testing.TB, keyed []string) string {
	t.Helper()
	var actions []string
	for _, op := range keyed {
		method, path, _ := strings.Cut(op, " ")
		actions = append(actions, fmt.Sprintf("  - {target: \"$.paths['%s'].%s\", update: {x-idempotency: true}}", path, strings.ToLower(method)))
	}
	file := filepath.Join(t.TempDir(), "overlay.yaml")
	text := "overlay: 1.0.0\ninfo: {title: keys, version: '1'}\nactions:\n" + strings.Join(actions, "\n") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// build compiles, vets and checks generated packages in a module of their own, beside this one in a workspace.
func build(t *testing.T, packages map[string][]output.File) {
	t.Helper()
	if testing.Short() {
		t.Log("not compiled with -short")
		return
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if keep := os.Getenv("IDEMGEN_KEEP"); keep != "" {
		temp = keep
	}
	write := func(path string, content []byte) {
		path = filepath.Join(temp, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/generated\n\ngo 1.25.0\n"))
	write("go.work", []byte("go 1.25.0\n\nuse (\n\t.\n\t"+strconv.Quote(root)+"\n)\n"))
	for _, files := range packages {
		for _, file := range files {
			write(file.Path, file.Content)
		}
	}
	run(t, temp, "go", "vet", "./...")
	staticcheck, err := exec.LookPath("staticcheck")
	if err != nil {
		t.Log("staticcheck is not installed; go vet only")
		return
	}
	run(t, temp, staticcheck, "-checks", "all,-ST1000", "./...")
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		lines := bytes.Split(out, []byte("\n"))
		t.Errorf("%s: %v\n%s", name, err, bytes.Join(lines[:min(len(lines), 30)], []byte("\n")))
	}
}

func TestGenerate_RealDocuments(t *testing.T) {
	packages := map[string][]output.File{}
	for _, real := range realDocuments {
		t.Run(real.name, func(t *testing.T) {
			doc := loadReal(t, real.file, real.keyed)
			if real.keyed != nil && len(doc.Keyed()) != len(real.keyed) {
				t.Fatalf("%d operations are keyed", len(doc.Keyed()))
			}
			o := gocode.Options{Package: real.name, Dir: real.name}
			files, list, err := gocode.Generate(doc, o)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := gocode.Generate(doc, o)
			if err != nil {
				t.Fatal(err)
			}
			size := 0
			for i := range files {
				size += bytes.Count(files[i].Content, []byte("\n"))
				if !bytes.Equal(files[i].Content, again[i].Content) {
					t.Errorf("%s: a second run differs", files[i].Path)
				}
			}
			t.Logf("%d operations, %d lines, %d warnings", len(doc.Keyed()), size, len(list))
			packages[real.name] = files
		})
	}
	if len(packages) > 0 {
		build(t, packages)
	}
	if adyen, yaml := packages["adyen"], packages["adyenyaml"]; adyen != nil && yaml != nil {
		for i := range adyen {
			if want := bytes.ReplaceAll(yaml[i].Content, []byte("adyenyaml"), []byte("adyen")); !bytes.Equal(adyen[i].Content, want) {
				t.Errorf("%s differs between the JSON and the YAML of one document", adyen[i].Path)
			}
		}
	}
}
