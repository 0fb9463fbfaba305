package main

import (
	"bytes"
	"encoding/json"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/chavacava/garif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idemgen/idemgen/analyzer"
)

// sarifLog is a log as a reader of it sees it: garif's models, with what they leave out.
type sarifLog struct {
	Runs []struct {
		garif.Run
		Results []struct {
			garif.Result
			RuleIndex int `json:"ruleIndex"`
		} `json:"results"`
	} `json:"runs"`
}

const srcRoot = "%SRCROOT%"

// sample is one of everything: a graded finding with related positions and a fix in two files, one of go vet's, one outside of the root.
func sample(t *testing.T) (root string, findings []finding) {
	t.Helper()
	root = t.TempDir()
	file, other := filepath.Join(root, "pay ments", "a.go"), filepath.Join(root, "b.go")
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{file: "package a\n\nvar é, x = key()\n", other: "package b\n"} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	graded := finding{
		analyzer: "retrykey", category: "mint-in-retry-loop", text: "It <is>. Mend it.", message: "It <is>. Mend it. (retrykey: error, high confidence)",
		url:   "https://example.com/retrykey#mint-in-retry-loop",
		grade: analyzer.Grade{Analyzer: "retrykey", Severity: analyzer.SeverityError, Confidence: analyzer.High},
		start: at(file, 3, 12), end: at(file, 3, 17), // behind the é, which has two bytes
		related: []note{{at(other, 1, 1), at(other, 1, 1), "the loop"}},
		fixes:   []fix{{"move it", []edit{{at(file, 3, 12), at(file, 3, 17), ""}, {at(other, 1, 10), at(other, 1, 10), "x"}}}},
	}
	plain := finding{analyzer: "printf", text: "wrong verb", message: "wrong verb", start: at(file, 3, 1), end: at(file, 3, 1)}
	outside := plain
	outside.start.Filename, outside.end.Filename = "/elsewhere/c.go", "/elsewhere/c.go"
	return root, []finding{graded, plain, plain, outside}
}

func report(t *testing.T) []byte {
	t.Helper()
	root, findings := sample(t)
	var out bytes.Buffer
	if err := writeSARIF(&out, root, analyzer.Suite(analyzer.Config{}), findings, []string{root + "/bad.go:1:2: undefined: x"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), root) {
		t.Error("the report names a folder of this machine")
	}
	return out.Bytes()
}

func TestSARIF(t *testing.T) {
	var log sarifLog
	content := report(t)
	if err := json.Unmarshal(content, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	got := run.Results[0]
	if rule := run.Tool.Driver.Rules[got.RuleIndex]; rule.Id != "retrykey/mint-in-retry-loop" || rule.Id != got.RuleId || !strings.HasSuffix(rule.HelpUri, "#mint-in-retry-loop") {
		t.Errorf("rule %+v, result %s", rule, got.RuleId)
	}
	if got.Level != "error" || got.Rank != 90 || (*got.Properties)["confidence"] != "high" || got.Message.Text != "It <is>. Mend it." {
		t.Errorf("result %+v", got)
	}
	if at := got.Locations[0].PhysicalLocation; *at.ArtifactLocation != (garif.ArtifactLocation{Uri: "pay%20ments/a.go", UriBaseId: srcRoot}) || *at.Region != (garif.Region{StartLine: 3, StartColumn: 11, EndLine: 3, EndColumn: 16}) {
		t.Errorf("location %+v", at)
	}
	if len(got.RelatedLocations) != 1 || got.RelatedLocations[0].PhysicalLocation.ArtifactLocation.Uri != "b.go" || got.RelatedLocations[0].Message.Text != "the loop" {
		t.Errorf("related %+v", got.RelatedLocations)
	}
	if point := got.RelatedLocations[0].PhysicalLocation.Region; *point != (garif.Region{StartLine: 1, StartColumn: 1}) {
		t.Errorf("a point is shown as %+v", point)
	}
	if inserted := got.Fixes[0].ArtifactChanges[1].Replacements[0].DeletedRegion; *inserted != (garif.Region{StartLine: 1, StartColumn: 10, EndLine: 1, EndColumn: 10}) {
		t.Errorf("an insertion deletes %+v", inserted)
	}
	if changes := got.Fixes[0].ArtifactChanges; len(changes) != 2 || changes[0].Replacements[0].InsertedContent != nil || changes[1].Replacements[0].InsertedContent.Text != "x" {
		t.Errorf("changes %+v", changes)
	}
	if plain := run.Results[1]; plain.RuleId != "printf" || plain.Level != "warning" || plain.Rank != 0 {
		t.Errorf("result %+v", plain)
	}
	if outside := run.Results[3].Locations[0].PhysicalLocation.ArtifactLocation; *outside != (garif.ArtifactLocation{Uri: "file:///elsewhere/c.go"}) {
		t.Errorf("location %+v", outside)
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		seen[r.PartialFingerprints["idemvet/v1"]] = true
	}
	if len(seen) != len(run.Results) {
		t.Error("two findings on one line have one fingerprint")
	}
	if got := run.Invocations[0]; got.ExecutionSuccessful || got.ToolExecutionNotifications[0].Message.Text != "bad.go:1:2: undefined: x" {
		t.Errorf("invocation %+v", got)
	}
}

// Every rule that an analyzer's page tells of is in each report, found or not, and has a page.
func TestSARIFRules(t *testing.T) {
	var out bytes.Buffer
	suite := analyzer.Suite(analyzer.Config{})
	if err := writeSARIF(&out, t.TempDir(), suite, nil, nil); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, a := range suite {
		rules += len(analyzer.CategoriesOf(a))
	}
	if got := log.Runs[0].Tool.Driver.Rules; len(got) != rules || rules == 0 {
		t.Errorf("%d rules for %d categories", len(got), rules)
	}
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		for what, text := range map[string]string{"text": rule.ShortDescription.Text, "help": rule.Help.Text, "help in Markdown": rule.Help.Markdown, "link": rule.HelpUri} {
			if len(text) < 20 {
				t.Errorf("%s: its %s is %q, from which nobody learns anything", rule.Id, what, text)
			}
		}
	}
	if !bytes.Contains(out.Bytes(), []byte(`"results": []`)) {
		t.Error("a report without findings has to have an empty list of results")
	}
}

// The schema is not ours to copy; where the module cache has one, from a linter's tests, the report is held against it.
func TestSARIFSchema(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "github.com/securego/gosec/v2@*/report/sarif/testdata/sarif-schema-2.1.0.json"))
	if len(found) == 0 {
		t.Skip("no copy of the SARIF schema in the module cache")
	}
	schema, err := jsonschema.NewCompiler().Compile(found[len(found)-1])
	if err != nil {
		t.Fatal(err)
	}
	content := report(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, content)
	}
	// The schema has to be able to say no.
	broken, _ := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(content, []byte(`"startLine": 3`), []byte(`"startLine": 0`), 1)))
	if schema.Validate(broken) == nil {
		t.Error("the schema accepts line 0")
	}
}

func TestGitHub(t *testing.T) {
	root, findings := sample(t)
	findings[0].message = "100%\nsure: yes"
	var out bytes.Buffer
	if err := writeGitHub(&out, root, findings[:2]); err != nil {
		t.Fatal(err)
	}
	want := "::error file=pay ments/a.go,line=3,col=12,title=idemvet retrykey::100%25%0Asure: yes\n" +
		"::warning file=pay ments/a.go,line=3,col=1,title=idemvet printf::wrong verb\n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}
