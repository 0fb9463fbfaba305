package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
)

// echo answers with its own template and the values of its names.
func echo(template string, names ...string) Route {
	return Route{template, names, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, template)
		for _, name := range names {
			fmt.Fprintf(w, " %s=%s", name, r.PathValue(name))
		}
	})}
}

func get(t *testing.T, h http.Handler, target string) string {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil)
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	r.URL = u
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return fmt.Sprint(w.Code)
	}
	return w.Body.String()
}

func TestDispatch(t *testing.T) {
	routes := []Route{
		echo("/payments"),
		echo("/payments/{id}", "id"),
		echo("/payments/{id}.json", "id"),
		echo("/payments/{id}:cancel", "id"),
		echo("/payments/search"),
		echo("/a/{x}/b", "x"),
		echo("/a/c/{y}", "y"),
		echo("/{any}/{thing}/z", "any", "thing"),
		echo("/slash/"),
		echo("/geo/{lat},{long}", "lat", "long"),
		echo("/side/{a}{b}", "a", "b"),
		echo("/sp ace/{é}", "e"),
		echo("/enc%2Foded/{x}", "x"),
		echo("/brace/{x/y"),
		echo("/né e-{x}/{y}", "x", "y"),
		echo("/quoted('{id}')/%C3%A9{z}", "id", "z"),
		echo("/"),
	}
	want := map[string]string{
		"/payments":                    "/payments",
		"/n%C3%A9%20e-1/2":             "/né e-{x}/{y} x=1 y=2",
		"/n%c3%a9%20e-%2541/a%2Fb%20c": "/né e-{x}/{y} x=%41 y=a/b c",
		"/quoted('7')/%C3%A9x":         "/quoted('{id}')/%C3%A9{z} id=7 z=x",
		"/quoted('7%27')/%c3%A9x":      "/quoted('{id}')/%C3%A9{z} id=7' z=x",
		"/payments/7":                  "/payments/{id} id=7",
		"/payments/7.json":             "/payments/{id}.json id=7",
		"/payments/7.json.json":        "/payments/{id}.json id=7.json",
		"/payments/7:cancel":           "/payments/{id}:cancel id=7",
		"/payments/7%3Acancel":         "/payments/{id} id=7:cancel",
		"/payments/a%2Fb:cancel":       "/payments/{id}:cancel id=a/b",
		"/payments/.json":              "/payments/{id} id=.json",
		"/payments/search":             "/payments/search",
		"/payments/":                   "404",
		"/a/c/b":                       "/a/c/{y} y=b",
		"/a/d/b":                       "/a/{x}/b x=d",
		"/a/c/e":                       "/a/c/{y} y=e",
		"/a/c/z":                       "/a/c/{y} y=z",
		"/a/d/z":                       "/{any}/{thing}/z any=a thing=d",
		"/a/d/e":                       "404",
		"/slash/":                      "/slash/",
		"/slash":                       "404",
		"/geo/1.5,2,3":                 "/geo/{lat},{long} lat=1.5 long=2,3",
		"/geo/1.5":                     "404",
		"/geo/,2":                      "404",
		"/geo/1,":                      "404",
		"/side/xyz":                    "/side/{a}{b} a=x b=yz",
		"/side/x":                      "404",
		"/sp%20ace/x":                  "/sp ace/{é} e=x",
		"/enc%2Foded/x":                "/enc%2Foded/{x} x=x",
		"/brace/%7Bx/y":                "/brace/{x/y",
		"/":                            "/",
	}
	for range 2 { // whatever the order
		h := Dispatch(routes...)
		for target, answer := range want {
			if got := get(t, h, target); got != answer {
				t.Errorf("%s: got %q, want %q", target, got, answer)
			}
		}
		slices.Reverse(routes)
	}
}

func TestDispatch_PanicsOnAWrongRoute(t *testing.T) {
	for _, route := range []Route{echo("/a/{b}"), echo("/a", "b"), {"/a", nil, nil}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", route.Template)
				}
			}()
			Dispatch(route)
		}()
	}
}
