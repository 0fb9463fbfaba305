package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// A name fills in what a problem does not say itself, and the engine's own base begins its type.
func TestProblem_C5_Name(t *testing.T) {
	const base = "https://errors.example/"
	for _, c := range []struct {
		what    string
		problem runtime.Problem
		want    string
	}{
		{"a name alone", runtime.Problem{Name: runtime.ProblemUnsupportedMedia},
			`{"type":"` + base + `unsupported-media-type","title":"The request body's content type is not supported","status":415}`},
		{"what is set stays", runtime.Problem{Name: runtime.ProblemInvalidRequest, Status: 422, Title: "No", Type: "https://x.example/no"},
			`{"type":"https://x.example/no","title":"No","status":422}`},
		{"a name that is not known", runtime.Problem{Name: "nothing", Status: 418, Title: "No"}, `{"type":"about:blank","title":"No","status":418}`},
		{"no name", runtime.Problem{Status: 418, Title: "No"}, `{"type":"about:blank","title":"No","status":418}`},
	} {
		s := newService(t, payment(), runtime.WithProblemBase(base))
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, &c.problem
		}
		if a := s.post("k", body); a.body != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, a.body, c.want)
		}
		if c.problem.Status == 0 && strings.Contains(c.problem.Error(), "Internal") {
			t.Errorf("%s: %q", c.what, c.problem.Error())
		}
	}
	text, err := json.Marshal(&runtime.Problem{Name: runtime.ProblemConflict})
	if err != nil || !strings.Contains(string(text), runtime.DefaultProblemBase+"conflict") {
		t.Errorf("%s, %v", text, err)
	}
}
