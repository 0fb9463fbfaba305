package migration

import (
	"strings"
	"testing"
	"text/template"
)

// tern runs a file through text/template: what comes out has to be what was meant.
func TestTernEscape_TemplateGivesTheTextBack(t *testing.T) {
	for _, sql := range []string{
		"SELECT 1;", "SELECT '{{x}}';", "{{{{", "}}", "{{{", "a {{- b -}} c", "{{/* comment */}}", `{{"{{"}}`, "{ {", "{{`{{`}}",
	} {
		parsed, err := template.New("").Parse(ternEscape(sql))
		if err != nil {
			t.Errorf("%q: %v", sql, err)
			continue
		}
		var out strings.Builder
		if err := parsed.Execute(&out, nil); err != nil || out.String() != sql {
			t.Errorf("%q comes back as %q, %v", sql, out.String(), err)
		}
	}
}

func TestWithoutSemicolons(t *testing.T) {
	for script, want := range map[string]string{
		"SELECT 1; -- a; b":                  "SELECT 1; -- a, b",
		"-- a; b\nSELECT ';';":               "-- a, b\nSELECT ';';",
		"SELECT '--;'; -- c;":                "SELECT '--;'; -- c,",
		`SELECT ";--;";`:                     `SELECT ";--;";`,
		"SELECT 'it''s --;', 1; -- d; -- e;": "SELECT 'it''s --;', 1; -- d, -- e,",
	} {
		if got := withoutSemicolons(script); got != want {
			t.Errorf("%q: got %q, want %q", script, got, want)
		}
	}
}

func TestFormats_AreComplete(t *testing.T) {
	for _, name := range Formats() {
		f, ok := findFormat(name)
		if !ok || f.file == nil || f.write == nil || f.width == 0 {
			t.Errorf("%s is not complete", name)
			continue
		}
		for _, p := range f.write(written{base: "00001_x", up: "SELECT 1;\n", down: "SELECT 2;\n"}) {
			if !f.file.MatchString(p.name) {
				t.Errorf("%s does not run its own file %s", name, p.name)
			}
		}
	}
}

func TestCommentText(t *testing.T) {
	for text, want := range map[string]string{
		"POST /bookings/{booking-id}/payments": "POST /bookings/{booking-id}/payments",
		"{{.x}} {{{ }}}":                       "??.x?? ??{ ??}",
		"a\n-- +goose Down; 'b'":               "a?-- ?goose Down? ?b?",
	} {
		if got := commentText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
