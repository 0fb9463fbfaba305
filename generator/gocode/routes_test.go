package gocode

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/runtime/wire"
)

// planOf plans a document whose operations, written "METHOD path", are all keyed.
func planOf(routes ...string) *plan {
	doc := &policy.Document{}
	for i, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		doc.Operations = append(doc.Operations, policy.Operation{
			ID: fmt.Sprintf("op%d", i), Method: method, Path: path, Decision: policy.Keyed, Shape: &policy.Shape{},
			Pos: policy.Position{File: "openapi.yaml", Line: i + 1},
		})
	}
	return newPlan(doc, Options{Package: "p"})
}

// mux is what Register does in generated code. Each handler answers with its operation and the values of its path.
func (p *plan) mux() *http.ServeMux {
	mux := http.NewServeMux()
	handler := func(o *operation) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, o.op.Method, " ", o.op.Path)
			for _, name := range o.wildcards {
				fmt.Fprint(w, " ", r.PathValue(name))
			}
		})
	}
	for _, m := range p.mounts {
		if !m.dispatches {
			mux.Handle(m.pattern, handler(m.routes[0].operation))
			continue
		}
		var routes []wire.Route
		for _, r := range m.routes {
			o := r.operation
			routes = append(routes, wire.Route{Template: o.op.Path, Names: o.wildcards, Handler: handler(o)})
		}
		mux.Handle(m.pattern, wire.Dispatch(routes...))
	}
	return mux
}

func ask(mux http.Handler, method, path string) string {
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Body.String()
}

// Every template of real documents reaches its own operation, with its values, whatever net/http thinks of it.
func TestRoutes_RealDocuments(t *testing.T) {
	for _, name := range []string{
		"github_api.github.com.json", "twilio_api_v2010.json", "stripe_spec3.json", "adyen_CheckoutService-v71.json", "square_api.json", "openai_openapi.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			doc := everyOperationKeyed(t, name)
			p := newPlan(doc, Options{Package: "p"})
			mux := p.mux()
			for _, o := range p.operations {
				if !p.isMounted(o) {
					if !strings.Contains(o.op.Path, "?") { // OpenAI tells some operations apart by their query
						t.Errorf("%s %s is not mounted: %v", o.op.Method, o.op.Path, p.warnings)
					}
					continue
				}
				path, want := o.op.Path, o.op.Method+" "+o.op.Path
				for i, name := range templateParams(path) {
					value := fmt.Sprintf("v%d é/:.json", i)
					path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
					want += " " + value
				}
				if got := ask(mux, o.op.Method, path); got != want {
					t.Errorf("%s %s reaches %q", o.op.Method, path, got)
				}
			}
			t.Logf("%d operations, %d patterns", len(p.operations), len(p.mounts))
		})
	}
}

// everyOperationKeyed is a real document as if every operation were keyed, without its schemas.
func everyOperationKeyed(t *testing.T, name string) *policy.Document {
	t.Helper()
	loaded, _, err := spec.Load(spec.Options{File: realspecs.File(t, "../..", name)})
	if err != nil {
		t.Fatal(err)
	}
	doc := &policy.Document{}
	for _, op := range loaded.Operations {
		if op.Webhook {
			continue
		}
		op.Decision, op.Shape, op.Policy = policy.Keyed, &policy.Shape{}, policy.Policy{}
		doc.Operations = append(doc.Operations, op)
	}
	return doc
}

func TestRoutes_Conflicts(t *testing.T) {
	p := planOf(
		"POST /a/{x}/c", "POST /a/b/{y}", "POST /a/b/c", "GET /a/{x}/c",
		"POST /f/{id}.json", "POST /f/{id}", "POST /f/{id}:run", "POST /f/all", "POST /f/{from}-{to}", "POST /{any}/{thing}",
		"POST /d/{order-id}/{order.id}/{1}/{}", "POST /slash/{x}/", "POST /w/{x}/{y}", "POST /w/k/{id}.json", "POST /esc%20aped/a b/é",
	)
	if len(p.warnings) > 0 {
		t.Error(p.warnings)
	}
	mux := p.mux()
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/a/1/c", "POST /a/{x}/c 1"},
		{"POST", "/a/b/2", "POST /a/b/{y} 2"},
		{"POST", "/a/b/c", "POST /a/b/c"},
		{"GET", "/a/b/c", "GET /a/{x}/c b"},
		{"POST", "/a/1/2", "404 page not found\n"},
		{"POST", "/f/1.json", "POST /f/{id}.json 1"},
		{"POST", "/f/1", "POST /f/{id} 1"},
		{"POST", "/f/1:run", "POST /f/{id}:run 1"},
		{"POST", "/f/all", "POST /f/all"},
		{"POST", "/f/a-b", "POST /f/{from}-{to} a b"},
		{"POST", "/g/1", "POST /{any}/{thing} g 1"},
		{"POST", "/d/1/2/3/4", "POST /d/{order-id}/{order.id}/{1}/{} 1 2 3 4"},
		{"POST", "/w/k/1.json", "POST /w/k/{id}.json 1"},
		{"POST", "/w/k/1", "POST /w/{x}/{y} k 1"},
		{"POST", "/slash/1/", "POST /slash/{x}/ 1"},
		{"POST", "/esc%20aped/a%20b/%C3%A9", "POST /esc%20aped/a b/é"},
	} {
		if got := ask(mux, c.method, c.path); got != c.want {
			t.Errorf("%s %s reaches %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

// What cannot be mounted is said at its operation, and the rest is mounted.
func TestRoutes_Unroutable(t *testing.T) {
	p := planOf("POST /ok", "POST /a?x=1", "POST /a#b", "POST //b", "POST /c/../d", "POST relative", "POST /x/{a}", "POST /x/{b}", "GET /{y}/b", "HEAD /a/{x}")
	var lines []int
	for _, d := range p.warnings.Sorted() {
		if d.Rule != "route-not-mounted" || d.Message == "" || d.Hint == "" {
			t.Errorf("%+v", d)
		}
		lines = append(lines, d.Pos.Line)
	}
	if want := "[2 3 4 5 6 8 10]"; fmt.Sprint(lines) != want {
		t.Errorf("got %v, want %s: %v", lines, want, p.warnings)
	}
	for _, path := range []string{"/ok", "/x/1"} {
		if got := ask(p.mux(), "POST", path); !strings.HasPrefix(got, "POST ") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Every brace of the template that the runtime is given opens a parameter, in order and with its own text around.
func TestRouteTemplate(t *testing.T) {
	for path, want := range map[string]string{
		"/a/{b}/c":         "/a/{b}/c",
		"/{{ .Title }}/5":  "/{_ .Title }}/5",
		"/a{/{b}":          "/a_/{b}",
		"/{a}-{b}{":        "/{a}-{b}_",
		"/x{}y/{a{b}{a{b}": "/x{}y/{a_b}{a_b}",
		"/}{/}":            "/}_/}",
		"paid":             "paid",
	} {
		got := routeTemplate(path)
		if got != want || strings.Count(got, "{") != len(templateParams(path)) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
