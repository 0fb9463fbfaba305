package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// drilled starts a service and writes its policy; spoil may change what it answers.
func drilled(t *testing.T, spoil func(http.ResponseWriter) http.ResponseWriter) (address, file string) {
	t.Helper()
	op := policy.Operation{
		ID: "createPayment", Method: "POST", Path: "/payments", Decision: policy.Keyed,
		Policy: policy.Policy{
			Mode:  policy.Transaction,
			Key:   policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat, MinLength: 1, MaxLength: 64, Syntax: policy.Either},
			Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: 24 * time.Hour,
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
			Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX"}, MaxBody: 1 << 20},
			Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
			InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
			Errors:      runtime.DefaultErrors(),
		},
		Shape: &policy.Shape{Body: &policy.Body{Required: true, Contents: []policy.Content{{
			MediaType: "application/json", Examples: []json.RawMessage{json.RawMessage(`{"amount":4200}`)},
		}}}, Responses: []policy.Response{{Status: "201"}}},
	}
	engine, err := runtime.New[pgx.Tx](memstore.New(), func(r *http.Request) (string, error) {
		if account := r.Header.Get("Authorization"); account != "" {
			return account, nil
		}
		return "", errors.New("nobody")
	}, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	served := &runtime.Operation{ID: op.ID, Method: op.Method, Route: op.Path, Policy: op.Policy}
	if err := engine.Register(served); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if spoil != nil {
			w = spoil(w)
		}
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		call, ok := engine.Begin(w, r, served)
		if !ok {
			return
		}
		call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) {
			return runtime.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: fmt.Appendf(nil, `{"id":%q}`, rand.Text())}, nil
		})
	}))
	t.Cleanup(server.Close)
	files, _, err := policydoc.Generate(&policy.Document{Title: "Bank", Version: "1", OpenAPI: "3.1.0", Operations: []policy.Operation{op}}, policydoc.Options{JSON: "policy.json"})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(file, files[0].Content, 0o666); err != nil {
		t.Fatal(err)
	}
	return server.URL, file
}

// unmarked is an answer without the marker of repetitions.
type unmarked struct{ http.ResponseWriter }

func (u unmarked) WriteHeader(status int) {
	u.Header().Del("Idempotent-Replayed")
	u.ResponseWriter.WriteHeader(status)
}

func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := func(name string) (string, bool) {
		if name == "SECOND" {
			return "Bearer other-secret", true
		}
		return "", false
	}
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs, env)
	return code, out.String(), errs.String()
}

func TestDrill_P3_AKeptPolicy(t *testing.T) {
	address, file := drilled(t, nil)
	base := []string{"drill", "--policy", file, "--url", address, "--header", "Authorization: Bearer first-secret", "--other-header-env", "Authorization=SECOND"}
	code, stdout, stderr := command(t, base...)
	if code != exitDone || !strings.Contains(stdout, "0 broken") || !strings.Contains(stdout, "kept          one-effect") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stderr, "The work is done at most twice") && !strings.Contains(stderr, "at most 2 times") {
		t.Errorf("nobody is told of the effects: %s", stderr)
	}
	if strings.Contains(stdout+stderr, "secret") {
		t.Errorf("a credential is printed: %s%s", stdout, stderr)
	}

	code, stdout, _ = command(t, append(base, "--format", "json", "--promises", "mismatch,replay")...)
	var report struct {
		Operations []struct {
			Results []struct{ Promise, Outcome string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitDone || len(report.Operations) != 1 {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
	code, stdout, _ = command(t, append(base, "--format", "junit")...)
	var suites struct {
		Failures int `xml:"failures,attr"`
		Tests    int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal([]byte(stdout), &suites); err != nil || code != exitDone || suites.Tests < 20 || suites.Failures != 0 {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
}

func TestDrill_P3_ABrokenPolicy(t *testing.T) {
	address, file := drilled(t, func(w http.ResponseWriter) http.ResponseWriter { return unmarked{w} })
	base := []string{"drill", "--policy", file, "--url", address, "--header", "Authorization: Bearer first-secret"}
	code, stdout, stderr := command(t, base...)
	for _, want := range []string{"broken        replay-marker", "1 broken", "broken: replay-marker of createPayment", "POST http", "KEY-1"} {
		if code != exitNo || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, want %q\n%s%s", code, want, stdout, stderr)
		}
	}
	if strings.Contains(stdout, "secret") {
		t.Errorf("a credential is printed: %s", stdout)
	}
	if code, stdout, _ := command(t, append(base, "--format", "github")...); code != exitNo || !strings.Contains(stdout, "::error title=idemgen drill%3A replay-marker of createPayment::") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// In CI a promise that nobody tested is no promise kept.
func TestDrill_P3_FailsOnWhatIsNotTested(t *testing.T) {
	address, file := drilled(t, nil)
	base := []string{"drill", "--policy", file, "--url", address, "--header", "Authorization: Bearer first-secret", "--fail-on", "untested"}
	code, _, stderr := command(t, base...)
	if code != exitNo || !strings.Contains(stderr, "Not tested: ") || !strings.Contains(stderr, "scope of createPayment") || strings.Contains(stderr, "unavailable") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := command(t, append(base, "--promises", "replay,mismatch")...); code != exitDone {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := command(t, append(base, "--fail-on", "broken")...); code != exitTrouble || !strings.Contains(stderr, "--fail-on broken") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestDrill_P3_CannotBeRun(t *testing.T) {
	address, file := drilled(t, nil)
	for want, args := range map[string][]string{
		"give --sandbox":             {"--policy", file, "--url", "https://api.example.com"},
		"cannot read the policy":     {"--policy", file + "x", "--url", address},
		"variable UNSET is not set":  {"--policy", file, "--url", address, "--header-env", "Authorization=UNSET"},
		"no name that a header":      {"--policy", file, "--url", address, "--header", "secret"},
		"it is OPERATION=FILE":       {"--policy", file, "--url", address, "--body", "x"},
		"it is OPERATION=/PATH":      {"--policy", file, "--url", address, "--path", "x"},
		"has no operation":           {"--policy", file, "--url", address, "--operations", "x"},
		"there is no promise":        {"--policy", file, "--url", address, "--promises", "x"},
		"no promise could be tested": {"--policy", file, "--url", "http://127.0.0.1:1", "--timeout", "1s", "--settle", "1ms"},
		"give credentials with":      {"--policy", file, "--url", address},
		"required flag(s)":           {"--policy", file},
		"not JSON of the form":       {"--policy", os.Args[0], "--url", address},
	} {
		code, stdout, stderr := command(t, append([]string{"drill"}, args...)...)
		if code != exitTrouble || !strings.Contains(stdout+stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("%v: exit code %d, want %q\n%s%s", args, code, want, stdout, stderr)
		}
	}
}

// An interrupt ends the drill, and what is known is printed.
func TestDrill_P3_IsStopped(t *testing.T) {
	address, file := drilled(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	writer := writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), "one-effect") {
			cancel()
		}
		return out.Write(p)
	})
	code := run(ctx, []string{"drill", "--policy", file, "--url", address, "--header", "Authorization: x"}, strings.NewReader(""), writer, &errs, func(string) (string, bool) { return "", false })
	if code != exitTrouble || !strings.Contains(out.String(), "kept") || !strings.Contains(out.String(), "was interrupted") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
