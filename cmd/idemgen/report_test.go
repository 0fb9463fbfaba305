package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

func finds(severity diag.Severity, rule string, n int) diag.List {
	var list diag.List
	for i := range n {
		list = append(list, diag.Diagnostic{Pos: policy.Position{File: "a.yaml", Line: i + 1, Column: 1}, Rule: rule, Severity: severity, Message: "wrong", Source: "x"})
	}
	return list
}

func TestReportCountsWhatRepeats(t *testing.T) {
	found := append(finds(diag.Warning, "w", perRule+3), finds(diag.Error, "w", perRule+1)...)
	found = append(found, finds(diag.Info, "n", 2)...)
	var text bytes.Buffer
	(&reporter{w: &text}).print(found)
	for want, times := range map[string]int{
		"warning: wrong (w)": perRule, "error: wrong (w)": perRule + 1, "info:": 0,
		"... and 3 more of rule w; --verbose shows all\n":              1,
		"11 errors, 13 warnings, 2 notes; --verbose shows the notes\n": 1,
	} {
		if got := strings.Count(text.String(), want); got != times {
			t.Errorf("%q stands %d times, want %d", want, got, times)
		}
	}
	text.Reset()
	(&reporter{w: &text, verbose: true}).print(found)
	if got := strings.Count(text.String(), "wrong ("); got != len(found) {
		t.Errorf("verbose shows %d of %d", got, len(found))
	}
}

func TestReportReadsTheLineOfAFindingWithoutOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte("one\ntwo: 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{2: "    two: 2\n    ^\n", 9: ""} {
		var text bytes.Buffer
		d := diag.Diagnostic{Pos: policy.Position{File: file, Line: line, Column: 1}, Rule: "r", Severity: diag.Error, Message: "m"}
		(&reporter{w: &text}).print(diag.List{d})
		_, after, _ := strings.Cut(text.String(), "\n")
		if got := strings.TrimSuffix(after, "1 error\n"); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

func TestReportWithoutAPlace(t *testing.T) {
	var text bytes.Buffer
	(&reporter{w: &text}).print(diag.List{{Rule: "r", Severity: diag.Error, Message: "m\x1b", Hint: "h\n::error::"}})
	if got, want := text.String(), "error: m\uFFFD (r)\n    hint: h\uFFFD::error::\n1 error\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A document cannot issue commands to GitHub's runner.
func TestGitHubEscapes(t *testing.T) {
	var text bytes.Buffer
	writeGitHub(&text, diag.List{{Pos: policy.Position{File: "a,b:c\n.yaml", Line: 1}, Rule: "r", Severity: diag.Info, Message: "100%\r\n::error::x"}})
	if got, want := text.String(), "::notice file=a%2Cb%3Ac%0A.yaml,line=1,title=idemgen r::100%25%0D%0A::error::x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain 支払 💶":       "plain 支払 💶",
		"👩\u200d💻":         "👩\u200d💻",
		"\x1b]0;x\a\u009b": "\uFFFD]0;x\uFFFD\uFFFD",
		"a\u2066b\u2028\n": "a\uFFFDb\uFFFD\n",
		"\xc3(":            "\uFFFD(",
	} {
		if got := visible(text, keepLayout); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestProgressIsSilentForShortWorkAndOffATerminal(t *testing.T) {
	var text bytes.Buffer
	p := newProgress(&text, true)
	p.say("reading")
	p.say("generating")
	p.end()
	p.end()
	off := newProgress(&text, false)
	off.say("reading")
	off.end()
	if text.Len() != 0 {
		t.Errorf("printed %q", text.String())
	}
}

func TestProgressIsTakenAway(t *testing.T) {
	var text bytes.Buffer
	p := newProgress(&text, true)
	p.say("reading a\x1b.yaml")
	time.Sleep(progressAfter + 50*time.Millisecond)
	p.end()
	if got := text.String(); !strings.HasPrefix(got, "\r\x1b[Kreading a\uFFFD.yaml (0.5 s)") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("printed %q", got)
	}
}

// What is printed above the line never stands behind its text, nor is a line taken away that is not there.
func TestProgressStaysUnderWhatIsPrinted(t *testing.T) {
	var text bytes.Buffer
	p := newProgress(&text, true)
	p.above(func() { text.WriteString("first\n") })
	p.say("at work")
	time.Sleep(progressAfter + 50*time.Millisecond)
	p.above(func() { text.WriteString("second\n") })
	time.Sleep(150 * time.Millisecond)
	p.end()
	p.above(func() { text.WriteString("third\n") })
	got := regexp.MustCompile(`(\r\x1b\[Kat work \(\d\.\d s\))+`).ReplaceAllString(text.String(), "[line]")
	if want := "first\n[line]\r\x1b[Ksecond\n[line]\r\x1b[Kthird\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

const smallSpec = `openapi: 3.1.0
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: required
      responses: {'201': {description: Paid}}
`

// smallProject is a folder with a configuration and a document; the configuration's path is returned too.
func smallProject(t *testing.T) (root, config string) {
	t.Helper()
	root = t.TempDir()
	for name, content := range map[string]string{"idemgen.yaml": "spec: openapi.yaml\n", "openapi.yaml": smallSpec} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, filepath.Join(root, "idemgen.yaml")
}

func wantInterrupted(t *testing.T, ctx context.Context, root, config string) {
	t.Helper()
	var stderr bytes.Buffer
	code := run(ctx, []string{"generate", "--config", config}, nil, io.Discard, &stderr, func(string) (string, bool) { return "", false })
	if code != exitTrouble || stderr.String() != "idemgen: interrupted; nothing was left half-written\n" {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// An interrupt before anything is written leaves nothing at all.
func TestInterrupted(t *testing.T) {
	root, config := smallProject(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantInterrupted(t, ctx, root, config)
}

// A run that waits for another one can be interrupted, too.
func TestInterruptedWhileItWaits(t *testing.T) {
	root, config := smallProject(t)
	dir, err := output.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	unlock, err := dir.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	wantInterrupted(t, ctx, root, config)
}

// Runs at the same time do the work once and leave what one run leaves.
func TestRunsAtTheSameTime(t *testing.T) {
	root, config := smallProject(t)
	issue := func(dir string) {
		var out bytes.Buffer
		if code := run(context.Background(), []string{"generate", "--config", config, "--migrations", "tern:" + filepath.Join(root, dir)}, nil, &out, &out, func(string) (string, bool) { return "", false }); code != exitDone {
			t.Errorf("exit code %d: %s", code, out.String())
		}
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { issue("db") })
	}
	group.Wait()
	issue("alone")
	migrations, err := filepath.Glob(filepath.Join(root, "db", "*"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := filepath.Glob(filepath.Join(root, "alone", "*"))
	if err != nil || len(alone) == 0 || len(migrations) != len(alone) {
		t.Errorf("migrations %v, and %v of one run; %v", migrations, alone, err)
	}
}
