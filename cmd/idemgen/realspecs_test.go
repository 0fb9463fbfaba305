package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/realspecs"
)

// realSpecs are documents as their owners publish them; see ../shared/specs/README.md. policy is an overlay of ours for
// those that declare no key; empty means what `idemgen init` writes, unedited.
var realSpecs = []struct{ name, file, policy string }{
	{"adyenjson", "adyen_CheckoutService-v71.json", ""},
	{"adyenyaml", "adyen_CheckoutService-v71.yaml", ""},
	{"paypal", "paypal_checkout_orders_v2.json", ""},
	{"square", "square_api.json", ""},
	{"twilio", "twilio_api_v2010.json", ""},
	{"obie", "obie_vrp.yaml", ""},
	{"stripe", "stripe_spec3.json", "stripe.overlay.yaml"},
	{"github", "github_api.github.com.json", "github.overlay.yaml"},
	{"openai", "openai_openapi.yaml", "openai.overlay.yaml"},
}

// realSpec is the path of a real document, which stays right when the test changes its folder.
func realSpec(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(realspecs.File(t, "../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// idemgen runs a command in this process and returns what it prints.
func idemgen(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), args, nil, &out, &errs, func(string) (string, bool) { return "", false })
	if code != want {
		t.Fatalf("idemgen %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// To analyse all that the generated code depends on takes staticcheck longer than everything else together.
var runStaticcheck = flag.Bool("idemgen.staticcheck", false, "run staticcheck over the code generated from the real documents, as make test-lint does")

// For each real document: init, generate, the same again, check. The results together are one
// module that compiles, and whose generated tests pass.
func TestRealSpecs(t *testing.T) {
	specs := filepath.Dir(realSpec(t, realSpecs[0].file))
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	t.Chdir(module)
	for _, spec := range realSpecs {
		t.Run(spec.name, func(t *testing.T) {
			document := filepath.Join(specs, spec.file)
			overlay := filepath.Join(repository, "testdata", "realspecs", spec.policy)
			if spec.policy == "" {
				overlay = filepath.Join(spec.name, "start.overlay.yaml")
				idemgen(t, exitDone, "init", "--spec", document, "--out", overlay)
			}
			config := filepath.Join(spec.name, "idemgen.yaml")
			content := "spec: " + document + "\noverlays: [" + strings.TrimPrefix(overlay, spec.name+"/") + "]\nout: api\ntests: true\nmigrations: {format: goose}\n"
			if err := os.WriteFile(makeFolder(t, config), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			idemgen(t, exitDone, "generate", "--config", config)
			if out, _ := idemgen(t, exitDone, "generate", "--config", config); !strings.HasSuffix(out, ", 0 changed\n") {
				t.Errorf("a second run changes something: %s", out)
			}
			idemgen(t, exitDone, "check", "--config", config)
			idemgen(t, exitDone, "apply", "--config", config, "--out", filepath.Join(spec.name, "applied"))
		})
	}
	t.Run("adyen's two syntaxes", func(t *testing.T) {
		files, err := filepath.Glob("adyenjson/api/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files: %v", err)
		}
		for _, file := range files {
			other := strings.Replace(file, "adyenjson", "adyenyaml", 1)
			a, b := readFile(t, file), readFile(t, other)
			if a != b {
				t.Errorf("%s and %s differ", file, other)
			}
		}
	})
	t.Run("compiled and run", func(t *testing.T) {
		if testing.Short() {
			t.Skip("compiles nine large packages")
		}
		for name, content := range moduleFiles(t, repository) {
			if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// The tests are generated ones: each keyed operation is sent twice, and the second answer has to be the first.
		commands := [][]string{{"go", "vet", "./..."}, {"go", "test", "./..."}}
		if *runStaticcheck {
			commands = append(commands, []string{staticcheck(t, repository), "./..."})
		}
		for _, command := range commands {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, out)
			}
		}
	})
}

// staticcheck builds the version that internal/lint pins, and returns the command's path.
func staticcheck(t *testing.T, repository string) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "staticcheck")
	build := exec.Command("go", "build", "-o", command, "honnef.co/go/tools/cmd/staticcheck")
	build.Dir = filepath.Join(repository, "internal", "lint")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build staticcheck: %v\n%s", err, out)
	}
	return command
}

func makeFolder(t *testing.T, file string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// R6: operations that stream their answer are refused, each with its position in the document, and nothing is written.
func TestRealSpecs_R6_StreamsAreRefused(t *testing.T) {
	document := realSpec(t, "openai_openapi.yaml")
	overlay, err := filepath.Abs("../../testdata/realspecs/openai-streaming.overlay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, findings := idemgen(t, exitNo, "generate", "--spec", document, "--overlay", overlay, "--out", "api", "--verbose")
	for _, operation := range []string{
		"POST /audio/speech", "POST /audio/transcriptions", "POST /chat/completions", "POST /images/edits",
		"POST /images/generations", "POST /responses",
	} {
		refusal := regexp.MustCompile(`openai_openapi\.yaml:\d+:\d+: error: ` + regexp.QuoteMeta(operation) + ` answers .*\(streaming-response\)`)
		if !refusal.MatchString(findings) {
			t.Errorf("%s is not refused:\n%s", operation, findings)
		}
	}
	if n := strings.Count(findings, "(streaming-response)"); n != 6 {
		t.Errorf("%d refusals, want 6", n)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v %v", entries, err)
	}
}
