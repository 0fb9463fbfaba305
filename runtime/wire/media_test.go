package wire

import (
	"net/http"
	"strings"
	"testing"
)

func TestContent(t *testing.T) {
	const missing = "# a request body is required"
	all := []string{"application/json", "application/merge-patch+json", "application/x-www-form-urlencoded", "image/*", "text/plain; charset=utf-8", "text/csv; header=present"}
	for _, row := range []struct {
		name, sent, body string
		listed           []string
		want             string
		status           int
	}{
		{"exact", "application/json", "{}", all, "application/json", 0},
		{"case and parameter", `Application/JSON; charset="UTF-8"`, "{}", all, "application/json", 0},
		{"suffix is another type", "application/merge-patch+json", "{}", all, "application/merge-patch+json", 0},
		{"range", "image/png", "x", all, "image/*", 0},
		{"listed with charset", "text/plain", "x", all, "text/plain; charset=utf-8", 0},
		{"listed with parameter", "text/csv; header=PRESENT", "x", all, "text/csv; header=present", 0},
		{"listed with another parameter", "text/csv; header=absent", "x", all, "", http.StatusUnsupportedMediaType},
		{"suffix range", "application/a+json", "{}", []string{"*/*", "application/*+json"}, "application/*+json", 0},
		{"any", "a/b", "x", []string{"*/*"}, "*/*", 0},
		{"closest wins", "image/png", "x", []string{"*/*", "image/*", "image/png"}, "image/png", 0},
		{"unknown", "text/html", "x", all, "", http.StatusUnsupportedMediaType},
		{"no JSON of another charset", "application/json; charset=utf-16", "{}", all, "", http.StatusUnsupportedMediaType},
		{"broken", "application/json; charset", "{}", all, "", http.StatusUnsupportedMediaType},
		{"none, one listed", "", "{}", []string{"application/json"}, "application/json", 0},
		{"none, several listed", "", "{}", all, "", http.StatusUnsupportedMediaType},
		{"no body", "application/json", "", all, "", http.StatusBadRequest},
		{"no body of JSON by its other name", "text/json", "", []string{"text/json"}, "", http.StatusBadRequest},
		{"no body and no type", "", "", all, "", http.StatusBadRequest},
		{"an empty text", "text/plain", "", all, "text/plain; charset=utf-8", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := readerOf("/", row.sent, row.body)
			if got := in.Content(true, row.listed...); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if in.invalid.Status != row.status {
				t.Errorf("status %d, want %d", in.invalid.Status, row.status)
			}
			if row.status == http.StatusBadRequest {
				wantViolations(t, in, missing)
			}
		})
	}
}

func TestContent_GivenTwice(t *testing.T) {
	in := readerOf("/", "application/json", "{}")
	in.request.Header.Add("Content-Type", "application/json")
	if got := in.Content(true, "application/json"); got != "" || in.invalid.Status != http.StatusUnsupportedMediaType {
		t.Errorf("got %q", got)
	}
}

func TestContent_Optional(t *testing.T) {
	in := readerOf("/", "", "")
	if got := in.Content(false, "application/json"); got != "" {
		t.Errorf("got %q", got)
	}
	wantViolations(t, in)
}

func TestContent_RefusalSaysWhatIsTaken(t *testing.T) {
	in := readerOf("/", "text/html", "x")
	in.Content(true, "application/json", "text/plain")
	problem := in.Err().(*Invalid).HTTPProblem()
	if problem.Status != 415 || problem.Header.Get("Accept") != "application/json, text/plain" {
		t.Errorf("got %+v", problem)
	}
	if strings.Contains(in.Err().Error(), "text/html") {
		t.Error("what was sent is repeated")
	}
}
