package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/internal/schematest"
	"github.com/idemgen/idemgen/runtime/policy"
)

// hostileDocument is a document whose texts are meant to break out of whatever they are printed into.
func hostileDocument(text string) *policy.Document {
	return &policy.Document{Operations: []policy.Operation{{
		ID: "pay" + text, Method: "POST", Path: "/pay", Decision: policy.Keyed, Pos: policy.Position{File: "a" + text + ".yaml", Line: 1, Column: 1},
		Policy: policy.Policy{Note: text, Key: policy.Key{In: policy.InHeader, Name: "K", Pattern: text}, Errors: policy.Errors{Mismatch: policy.ErrorAnswer{Title: text, Code: text}}},
	}}}
}

// What a document says stays a value in each format: no second command, line, column, tag or heading.
func TestDiff_P4_HostileText(t *testing.T) {
	for _, text := range []string{
		"x\n::error::y", "\n# heading\n", "<script>alert(1)</script>", "` | `", "\x1b[31mred", "\u202egnp.exe", "%0A::error::", "![x](javascript:y)", "</details>", strings.Repeat("long ", 400),
	} {
		changes := compat.Compare(hostileDocument(""), hostileDocument(text))
		if len(changes) < 4 {
			t.Fatalf("%d changes", len(changes))
		}
		c := &comparison{old: "a" + text, current: "b" + text, difference: &generator.Difference{Changes: changes}}
		for _, format := range []string{"text", "json", "github", "markdown"} {
			var out bytes.Buffer
			s := newSession(&out, &out, func(string) (string, bool) { return "", false })
			s.format, s.colour = format, "never"
			if err := s.printDiff(c); err != nil {
				t.Fatal(err)
			}
			printed := out.String()
			if strings.ContainsAny(printed, "\x1b\x00") || strings.Contains(printed, "\u202e") && format != "json" {
				t.Errorf("%s: a control character is printed: %q", format, printed)
			}
			for line := range strings.Lines(printed) {
				switch {
				case format == "github" && !strings.HasPrefix(line, "::error file=") && !strings.HasPrefix(line, "::notice file="):
					t.Errorf("a line that is no annotation of ours: %q", line)
				case format == "markdown" && strings.HasPrefix(line, "# "):
					t.Errorf("a heading that is not ours: %q", line)
				case format == "markdown" && strings.Contains(withoutCode(line), "<script"), format == "markdown" && strings.Contains(withoutCode(line), "!["):
					t.Errorf("markup that is not ours: %q", line)
				}
			}
			if format == "json" {
				validDiff(t, out.Bytes())
			}
			if format == "markdown" && strings.Count(printed, "\n</details>") != strings.Count(printed, "\n<details>") {
				t.Errorf("details that are not ours: %q", printed)
			}
		}
	}
}

// withoutCode takes the code spans out of a line of Markdown.
func withoutCode(line string) string {
	var out strings.Builder
	for line != "" {
		before, rest, ok := strings.Cut(line, "`")
		out.WriteString(before)
		if !ok {
			break
		}
		fence := "`" + strings.Repeat("`", len(rest)-len(strings.TrimLeft(rest, "`")))
		_, line, _ = strings.Cut(rest[len(fence)-1:], fence)
	}
	return out.String()
}

// What is printed for programs is what the schema says, and the schema describes all of it.
func validDiff(t *testing.T, content []byte) {
	t.Helper()
	if err := schematest.Validate(schematest.Closed(t, "../../docs/schema/diff-v1.schema.json", diffSchema), content); err != nil {
		t.Errorf("%v in %s", err, content)
	}
}

func TestDiff_P4_JSONOfEveryRule(t *testing.T) {
	var changes []compat.Change
	for i, rule := range compat.Rules() {
		c := compat.Change{Rule: rule, Member: fmt.Sprintf("member%d", i), Old: "a", NewPos: policy.Position{File: "b.yaml", Line: 2, Column: 3}}
		if i%2 == 0 {
			c.Operation = &compat.Operation{ID: "pay", Method: "POST", Path: "pay", Webhook: true}
		}
		changes = append(changes, c)
	}
	var out bytes.Buffer
	s := newSession(&out, &out, func(string) (string, bool) { return "", false })
	s.format = "json"
	if err := s.printDiff(&comparison{old: "a", current: "b", difference: &generator.Difference{Changes: changes, Published: true}}); err != nil {
		t.Fatal(err)
	}
	validDiff(t, out.Bytes())
}

// What is published is what the document says: an example's policy does not differ from its document.
func TestDiff_P2_P4_PublishedExamples(t *testing.T) {
	for _, example := range []string{"../../examples/payments", "../../examples/payouts"} {
		out, _ := idemgen(t, exitDone, "diff", example+"/docs/idempotency-policy.json", example, "--fail-on", "editorial")
		if !strings.HasSuffix(out, "the policies are the same\n") {
			t.Error(out)
		}
	}
}

func TestGitArgument(t *testing.T) {
	for arg, want := range map[string][3]string{
		"git:main:a/b.yaml": {"main", "a/b.yaml", "true"}, "git:v1.0~2:x:y.yaml": {"v1.0~2", "x:y.yaml", "true"}, "git::a": {"", "a", "true"},
		"git:main": {"main", "", "false"}, "a.yaml": {"", "", "false"}, "github:a:b": {"", "", "false"},
	} {
		revision, name, ok := gitArgument(arg)
		if got := [3]string{revision, name, fmt.Sprint(ok)}; got != want {
			t.Errorf("%s: %q", arg, got)
		}
	}
}

// Of a revision nothing is taken but plain files, and nothing is written outside the folder.
func TestRegularFiles(t *testing.T) {
	listing := strings.Join([]string{
		"100644 blob aaa\ta.yaml", "100755 blob bbb\tb/c.JSON", "120000 blob ccc\tlink.yaml", "160000 commit ddd\tmodule.yaml",
		"100644 blob eee\t../out.yaml", "100644 blob fff\t/abs.yaml", "100644 blob ggg\tmain.go", "damaged", "100644 blob hhh\twith\ttab.yml", "",
	}, "\x00")
	want := []blob{{"aaa", "a.yaml"}, {"bbb", "b/c.JSON"}, {"hhh", "with\ttab.yml"}}
	if got := regularFiles([]byte(listing)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWriteBlobs(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	write := func(text string, blobs ...blob) error {
		return writeBlobs(root, blobs, bufio.NewReader(strings.NewReader(text)))
	}
	if err := write("aaa blob 3\nx: \nbbb blob 0\n\n", blob{"aaa", "a.yaml"}, blob{"bbb", "b/c.json"}); err != nil {
		t.Fatal(err)
	}
	if a, b := readFile(t, filepath.Join(folder, "a.yaml")), readFile(t, filepath.Join(folder, "b/c.json")); a != "x: " || b != "" {
		t.Errorf("%q, %q", a, b)
	}
	for text, want := range map[string]string{
		"":                              "ended early",
		"aaa blob 9\nx":                 "ended early",
		"aaa missing\n":                 `git cat-file says "aaa missing"`,
		"aaa blob -1\n":                 `git cat-file says "aaa blob -1"`,
		"aaa blob 99999999999999999\nx": "more than 512 MiB",
	} {
		if err := write(text, blob{"aaa", "d.yaml"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := write("aaa blob 1\nx\n", blob{"aaa", "../out.yaml"}); err == nil {
		t.Error("a file is written outside the folder")
	}
}
