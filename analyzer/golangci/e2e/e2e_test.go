package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// binary is the golangci-lint with the plugin, for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "idemvet-golangci")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "golangci-lint")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// sample is a copy of testdata/sample with a configuration, and the folder of golangci-lint's cache.
type sample struct {
	t          *testing.T
	dir, cache string
}

func newSample(t *testing.T, settings string) *sample {
	t.Helper()
	s := &sample{t: t, dir: t.TempDir(), cache: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("testdata/sample")); err != nil {
		t.Fatal(err)
	}
	s.write(".golangci.yml", `version: "2"
linters:
  default: none
  enable: [idemvet]
  settings:
    custom:
      idemvet:
        type: module
        description: finds idempotency bugs
        original-url: https://github.com/idemgen/idemgen
        settings: `+settings+`
issues:
  max-same-issues: 0
  max-issues-per-linter: 0
`)
	return s
}

func (s *sample) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// run gives what golangci-lint prints and its exit code.
func (s *sample) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := exec.Command(binary, append([]string{"run", "--show-stats=false"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+s.cache, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

var issue = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: (\w+): .* \(idemvet\)$`)

// findings are what is found, as "file analyzer", a line each.
func (s *sample) findings() []string {
	s.t.Helper()
	stdout, stderr, _ := s.run("./...")
	var list []string
	for _, match := range issue.FindAllStringSubmatch(stdout, -1) {
		line := s.function(match[1], match[2])
		list = append(list, match[3]+" in "+line)
	}
	if strings.Contains(stdout, "related information") {
		s.t.Errorf("related positions are issues of their own:\n%s", stdout)
	}
	if stderr != "" {
		s.t.Errorf("golangci-lint says %s", stderr)
	}
	slices.Sort(list)
	return list
}

// function is the name of the function that a line of the sample belongs to.
func (s *sample) function(file, line string) string {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, file))
	if err != nil {
		s.t.Fatal(err)
	}
	var number int
	fmt.Sscan(line, &number)
	name := ""
	for _, text := range strings.Split(string(content), "\n")[:number] {
		if rest, ok := strings.CutPrefix(text, "func "); ok {
			name, _, _ = strings.Cut(rest, "(")
		}
	}
	return name
}

var bugs = []string{"existsinsert in Create", "keyscope in Answer", "keytx in Settle", "retrykey in Charge", "retrykey in ChargeHere", "weakkey in Refund"}

// Every analyzer finds its bug, across packages too, and the directives of both kinds are obeyed. A second run, from golangci-lint's cache, says the same, and so does one after a change in the package that uses another's facts.
func TestFinds(t *testing.T) {
	s := newSample(t, "{}")
	for _, run := range []string{"first", "cached", "changed"} {
		if run == "changed" {
			s.write("shop/more.go", "package shop\n")
		}
		if got := s.findings(); !slices.Equal(got, bugs) {
			t.Errorf("%s run: %v", run, got)
		}
	}
}

func TestSettings(t *testing.T) {
	s := newSample(t, "{mints: [example.com/sample/shop.newReference]}")
	if got, want := s.findings(), append([]string{"retrykey in ChargeHouse"}, bugs...); !slices.Equal(got, sorted(want)) {
		t.Errorf("%v", got)
	}
	s = newSample(t, "{min-confidence: utter}")
	if _, stderr, code := s.run("./..."); code == 0 || !strings.Contains(stderr, `min-confidence: "utter" is not a confidence`) {
		t.Errorf("ended with %d: %s", code, stderr)
	}
	s = newSample(t, "{mint: [a.B]}")
	if _, stderr, code := s.run("./..."); code == 0 || !strings.Contains(stderr, `unknown field "mint"`) {
		t.Errorf("ended with %d: %s", code, stderr)
	}
}

// The module's own file is read here as well, and a broken one makes the run fail.
func TestSettingsFile(t *testing.T) {
	s := newSample(t, "{}")
	s.write(".idemvet.yaml", "mints: [example.com/sample/shop.newReference]\n")
	if got, want := s.findings(), append([]string{"retrykey in ChargeHouse"}, bugs...); !slices.Equal(got, sorted(want)) {
		t.Errorf("%v", got)
	}
	s = newSample(t, "{}")
	s.write(".idemvet.yaml", "tets: true\n")
	if _, stderr, code := s.run("./..."); code == 0 || !strings.Contains(stderr, `.idemvet.yaml:1:1: the settings have no member`) {
		t.Errorf("ended with %d: %s", code, stderr)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// Fixes are applied once, compile, and end their findings.
func TestFix(t *testing.T) {
	s := newSample(t, "{}")
	s.run("--fix", "./...")
	want := slices.DeleteFunc(slices.Clone(bugs), func(bug string) bool { return bug == "retrykey in ChargeHere" || bug == "keytx in Settle" })
	if got := s.findings(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = s.dir
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSARIF(t *testing.T) {
	s := newSample(t, "{}")
	stdout, _, _ := s.run("--output.sarif.path=stdout", "./...")
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID  string
				Message struct{ Text string }
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&log); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(bugs) {
		t.Fatalf("%s", stdout)
	}
	for _, result := range log.Runs[0].Results {
		if result.RuleID != "idemvet" || !strings.HasSuffix(result.Message.Text, " confidence)") {
			t.Errorf("%+v", result)
		}
	}
}
