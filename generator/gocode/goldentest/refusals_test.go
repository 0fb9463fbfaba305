package goldentest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/gocode/testdata/shapes"
	"github.com/idemgen/idemgen/runtime"
)

// C5 R2: what is refused before the work has its own documented type.
func TestRefusals_HaveTypes(t *testing.T) {
	for _, c := range []struct {
		name, body, contentType string
		status                  int
		want                    string
	}{
		{"a violation", `{"amount": "x"}`, "application/json", 400, runtime.ProblemInvalidRequest},
		{"no body", ``, "application/json", 400, runtime.ProblemInvalidRequest},
		{"not JSON", `{`, "application/json", 400, runtime.ProblemMalformedBody},
		{"another content type", `x`, "text/html", 415, runtime.ProblemUnsupportedMedia},
	} {
		res := send(t, serve(t, &shop{}), "POST", order, c.body, "Content-Type", c.contentType)
		var problem struct{ Type string }
		if err := json.Unmarshal([]byte(text(t, res)), &problem); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != c.status || problem.Type != runtime.DefaultProblemBase+c.want {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, problem.Type)
		}
	}
}

// F1: an operation for which the document declares no body refuses one, and `{}` counts as none.
func TestRefusals_UndeclaredBody(t *testing.T) {
	r := &recorder{answer: shapes.MoveY204{}}
	h := serveShapes(t, r)
	for _, c := range []struct {
		body     string
		status   int
		replayed bool
	}{{`{"y": 1}`, 400, false}, {"", 204, false}, {"{}", 204, true}, {"null", 400, false}} {
		res := send(t, h, "PATCH", "/move/here/;y=1", c.body, "Content-Type", "application/json")
		replayed, body := res.Header.Get("Idempotent-Replayed") != "", text(t, res)
		if res.StatusCode != c.status || replayed != c.replayed || c.status == 400 && !strings.Contains(body, "takes no body") {
			t.Errorf("%q: %d, replayed %v: %s", c.body, res.StatusCode, replayed, body)
		}
	}
}
