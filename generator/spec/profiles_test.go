package spec_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

// withProfile is a document of one operation that has a place for every profile's key.
const withProfile = `openapi: 3.1.0
info: {title: Payments, version: "1"}
x-idempotency: {profile: NAME}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: {}
      requestBody:
        required: true
        content:
          MEDIA:
            schema:
              type: object
              required: [MEMBER, amount]
              properties:
                amount: {type: integer}
                MEMBER: {type: string}
      responses:
        "200": {description: Repeated}
        "201": {description: Created}
`

// member is where a profile's key stands in a body, and the body's type; a header's key has a member of another meaning.
func member(t *testing.T, profile *policy.Profile) (name, mediaType string) {
	t.Helper()
	text := func(member string) string {
		value, _ := profile.Find(member)
		return strings.Trim(string(value.Value), `"`)
	}
	switch text("key.in") {
	case "body":
		return strings.TrimPrefix(text("key.pointer"), "/"), "application/json"
	case "form":
		return text("key.name"), "application/x-www-form-urlencoded"
	default:
		return "reference", "application/json"
	}
}

// Each profile gives a policy that the checks let pass, on a document that names it and says nothing more.
func TestLoad_EachProfile_P1(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		keyMember, mediaType := member(t, profile)
		text := strings.NewReplacer("NAME", name, "MEMBER", keyMember, "MEDIA", mediaType).Replace(withProfile)
		if err := os.WriteFile("openapi.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		doc, found, err := spec.Load(spec.Options{File: "openapi.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			if d.Rule == "store-5xx" && (name == "stripe" || name == "lithic") { // transaction mode rolls a 5xx back
				continue
			}
			t.Errorf("%s: %v", name, d)
		}
		op := doc.Operations[0]
		if op.Policy.Profile != name || op.Contract == nil || op.Contract.Name != name {
			t.Errorf("%s: the policy is of %s, the contract %+v", name, op.Policy.Profile, op.Contract)
		}
		if op.Policy.Key.Pointer == "" && op.Policy.Key.Name == "" || op.Policy.Key.FirstSent.Header == "" && op.Policy.Key.FirstSent.MaxSkew != 0 {
			t.Errorf("%s: key %+v", name, op.Policy.Key)
		}
	}
}

const house = `{
  "name": "house",
  "title": "The house's own rules",
  "url": "https://example.com/guide",
  "members": {
    "retention": {"value": "PT72H"},
    "key.maxLength": {"value": 64, "basis": "published", "source": "the guide, section 3", "read": "2026-10"},
    "replay.status": {"value": {"201": 200}},
    "errors.mismatch.code": {"value": null, "basis": "not-found", "source": "the guide", "read": "2026-10"}
  }
}
`

// A profile of a file of the user's own is read like a built-in one, and its values are said to come from there.
func TestLoad_OwnProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.NewReplacer("NAME", "house", "MEMBER", "reference", "MEDIA", "application/json").Replace(withProfile)
	for file, content := range map[string]string{"openapi.yaml": text, "house.json": house} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	doc, found, err := spec.Load(spec.Options{File: "openapi.yaml", Profiles: []string{"house.json"}})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	op := &doc.Operations[0]
	if doc.Profile != "house" || op.Policy.Retention != 72*time.Hour || op.Policy.Key.MaxLength != 64 || len(op.Policy.Replay.Status) != 1 {
		t.Errorf("got %+v", op.Policy)
	}
	origin, _ := op.Origins.Find("retention")
	if want := (policy.Position{File: "house.json", Line: 6, Column: 28}); origin.Level != policy.LevelProfile || origin.Pos != want {
		t.Errorf("the retention comes from %+v, want %v", origin, want)
	}
	if op.Contract.Title != "The house's own rules" || op.Contract.URL != "https://example.com/guide" || len(op.Contract.Values) != 4 {
		t.Errorf("got %+v", op.Contract)
	}
	if value, _ := op.Contract.Find("replay.status"); string(value.Value) != `{"201":200}` || value.Basis != policy.ProjectChoice {
		t.Errorf("got %s, %s", value.Value, value.Basis)
	}
	if _, found, _ := spec.Load(spec.Options{File: "openapi.yaml"}); len(found.Errors()) == 0 {
		t.Error("a profile whose file is not named is known")
	}
}

// LoadProfiles reads files alone; one of a profile that is there reads as the built-in one does.
func TestLoadProfiles(t *testing.T) {
	dir := t.TempDir()
	builtin, err := os.ReadFile("../../runtime/policy/profiles/adyen.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "copy.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(builtin), `"name": "adyen"`, `"name": "copy"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	profiles, found, err := spec.LoadProfiles(file)
	if err != nil || len(found) > 0 || len(profiles) != 1 {
		t.Fatal(err, found, profiles)
	}
	want, err := policy.LoadProfile("adyen")
	if err != nil {
		t.Fatal(err)
	}
	if len(profiles[0].Values) != len(want.Values) {
		t.Fatalf("%d values, want %d", len(profiles[0].Values), len(want.Values))
	}
	for i, value := range profiles[0].Values {
		value.Value, want.Values[i].Value = nil, nil // one is written more compactly
		if !reflect.DeepEqual(value, want.Values[i]) {
			t.Errorf("got %+v, want %+v", value, want.Values[i])
		}
	}
	if _, _, err := spec.LoadProfiles(filepath.Join(dir, "none.json")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

// The example on the page of profiles is a profile, and a policy that starts from it is sound.
func TestDocs_OwnProfileIsRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("docs/profiles.md has no example")
	}
	t.Chdir(t.TempDir())
	text := strings.NewReplacer("NAME", "house", "MEMBER", "reference", "MEDIA", "application/json").Replace(withProfile)
	for file, content := range map[string]string{"openapi.yaml": text, "house.json": example} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	doc, found, err := spec.Load(spec.Options{File: "openapi.yaml", Profiles: []string{"house.json"}})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	p := doc.Operations[0].Policy
	if p.Key.Name != "X-Request-Key" || p.Key.Format != policy.UUID || p.Retention != 7*24*time.Hour || p.Errors.Mismatch.Status != 409 || p.Errors.InFlight.Status != 409 {
		t.Errorf("got %+v", p)
	}
}
