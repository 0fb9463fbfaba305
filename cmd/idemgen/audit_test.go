package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/chavacava/garif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The tables of docs/audit.md are what the command prints.
func TestAudit_PageHasTheTablesOfRealDocuments(t *testing.T) {
	const page = "../../docs/audit.md"
	text := readFile(t, page)
	for _, of := range []struct{ name, file string }{{"adyen", "adyen_CheckoutService-v71.json"}, {"square", "square_api.json"}} {
		start, end := "<!-- "+of.name+": start -->\n", "<!-- "+of.name+": end -->\n"
		before, rest, ok := strings.Cut(text, start)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has lost the marks around its table of %s", page, of.name)
		}
		table, _ := idemgen(t, exitDone, "audit", "--spec", realSpec(t, of.file), "--format", "markdown")
		want := before + start + table + end + after
		if want != text && !*update {
			t.Errorf("%s does not have the table of %s as it is: go test ./cmd/idemgen -run TestAudit -update", page, of.name)
		}
		text = want
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What is printed for programs is what the schema says.
func TestAudit_JSONFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/audit-v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "api.yaml")
	for _, paths := range []string{"{}", `{/payments: {post: {x-idempotency: optional, responses: {'200': {description: ok}}}, patch: {responses: {'200': {description: ok}}}}}`} {
		if err := os.WriteFile(file, []byte("openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: "+paths+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := idemgen(t, exitDone, "audit", "--spec", file, "--format", "json")
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		for member := range document.(map[string]any) {
			changed := map[string]any{}
			for name, value := range document.(map[string]any) {
				if name != member {
					changed[name] = value
				}
			}
			if schema.Validate(changed) == nil {
				t.Errorf("the schema does not miss %s", member)
			}
		}
	}
}

// Code scanning is told the rule, the place and what there is to paste.
func TestAudit_SARIF(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("api.yaml", []byte("openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /é:\n    post: {responses: {'200': {description: ok}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := idemgen(t, exitDone, "audit", "--spec", "api.yaml", "--format", "sarif")
	var log garif.LogFile
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("%s", out)
	}
	r := log.Runs[0].Results[0]
	place := r.Locations[0].PhysicalLocation
	if r.RuleId != "undecided" || r.Level != "warning" || place.ArtifactLocation.Uri != "api.yaml" || place.Region.StartLine != 5 || place.Region.StartColumn != 5 ||
		!strings.Contains(r.Message.Text, "- target: $.paths['/é'].post") && !strings.Contains(r.Message.Text, `- target: "$.paths['/é'].post"`) {
		t.Errorf("%s", out)
	}
}
