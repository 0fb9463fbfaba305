package drill

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// spoiledPolicy is a JSON policy in which somebody has changed the one operation.
func spoiledPolicy(t *testing.T, spoil func(operation map[string]any)) (*policydoc.Published, error) {
	t.Helper()
	files, _, err := policydoc.Generate(&policy.Document{Title: "Bank", Version: "1", OpenAPI: "3.1.0", Operations: []policy.Operation{operation("createPayment", "/payments")}}, policydoc.Options{JSON: "policy.json"})
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(files[0].Content, &file); err != nil {
		t.Fatal(err)
	}
	spoil(file["operations"].([]any)[0].(map[string]any))
	content, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return policydoc.ReadJSON(bytes.NewReader(content))
}

func inPolicy(from map[string]any, path ...string) map[string]any {
	for _, name := range path {
		from = from[name].(map[string]any)
	}
	return from
}

func promiseIn(operation map[string]any, id string) map[string]any {
	for _, one := range operation["promises"].([]any) {
		if promise := one.(map[string]any); promise["id"] == id {
			return promise
		}
	}
	panic("there is no promise " + id)
}

// A policy may come from somebody else. Whatever it names, nothing is sent to another server than the one that is drilled,
// least of all credentials.
func TestRun_P3_APolicyDoesNotChooseTheServer(t *testing.T) {
	var strangers atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	t.Cleanup(stranger.Close)
	_, port, _ := net.SplitHostPort(stranger.Listener.Addr().String())
	for name, path := range map[string]string{
		"the drilled address as a user": "@" + stranger.Listener.Addr().String() + "/payments",
		"the port goes on":              "0@127.0.0.1:" + port + "/",
		"another name":                  ".example.com/payments",
		"a whole address":               stranger.URL + "/payments",
		"empty":                         "",
	} {
		for _, place := range []string{"example", "other", "path"} {
			t.Run(name+", "+place, func(t *testing.T) {
				p, err := spoiledPolicy(t, func(operation map[string]any) {
					if place == "path" {
						operation["path"] = path
						return
					}
					operation[place].(map[string]any)["path"] = path
				})
				if err == nil {
					b := newBank("")
					server := httptest.NewServer(b)
					defer server.Close()
					_, _ = Run(t.Context(), Plan{Policy: p, BaseURL: server.URL, Credentials: http.Header{"Authorization": {"Bearer first-secret"}}, Concurrency: []int{2}})
					t.Errorf("the policy is taken")
				} else if !strings.Contains(err.Error(), "createPayment") || !strings.Contains(err.Error(), "path") {
					t.Errorf("%v does not say where it is wrong", err)
				}
			})
		}
	}
	if n := strangers.Load(); n > 0 {
		t.Errorf("%d requests came to another server", n)
	}
	// A policy that was made in a program is not read: the last guard is where requests are made.
	p := published(t, operation("createPayment", "/payments"))
	p.Operations[0].Example.Path = "@" + stranger.Listener.Addr().String() + "/payments"
	server := httptest.NewServer(newBank(""))
	t.Cleanup(server.Close)
	report, err := Run(t.Context(), Plan{Policy: p, BaseURL: server.URL, Concurrency: []int{2}, Limits: Limits{Settle: 100 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if strangers.Load() > 0 || report.Count(Broken) > 0 {
		t.Errorf("%d requests came to another server: %s", strangers.Load(), show(report))
	}
}

// Numbers and texts that no idemgen writes end in a sentence, and not in a panic, a full memory or an endless loop.
func TestRun_P3_HostilePolicies(t *testing.T) {
	for name, spoil := range map[string]func(map[string]any){
		"key of exabytes": func(o map[string]any) {
			inPolicy(o, "rules", "key")["minLength"], inPolicy(o, "rules", "key")["maxLength"] = 1<<59, 1<<60
		},
		"key of gigabytes": func(o map[string]any) {
			inPolicy(o, "rules", "key")["minLength"], inPolicy(o, "rules", "key")["maxLength"] = 1<<33, 1<<34
		},
		"no key is short enough": func(o map[string]any) { inPolicy(o, "rules", "key")["maxLength"] = -1 },
		"lengths that are no lengths": func(o map[string]any) {
			promiseIn(o, policydoc.PromiseKeyLength)["parameters"] = map[string]any{"min": -7, "max": -5}
		},
		"lengths beyond memory": func(o map[string]any) {
			promiseIn(o, policydoc.PromiseKeyLength)["parameters"] = map[string]any{"min": 1e18, "max": 1e300}
		},
		"UUIDs that are none": func(o map[string]any) {
			key := inPolicy(o, "rules", "key")
			key["minLength"], key["maxLength"] = 1, 5
			promise := promiseIn(o, policydoc.PromiseKeyLength)
			promise["id"], promise["parameters"] = policydoc.PromiseKeyFormat, map[string]any{"format": "uuid4", "status": 400}
		},
		"a deep body": func(o map[string]any) {
			inPolicy(o, "example")["body"] = strings.Repeat("[", 16<<20)
		},
		"a deep pointer": func(o map[string]any) {
			key := inPolicy(o, "rules", "key")
			key["in"], key["pointer"] = "body", strings.Repeat("/a", 16<<20)
		},
		"parameters of other types": func(o map[string]any) {
			for _, one := range o["promises"].([]any) {
				one.(map[string]any)["parameters"] = map[string]any{"status": "x", "headers": "y", "max": []any{}, "retention": 7, "statuses": map[string]any{}, "parts": 3}
			}
		},
		"a header name of two lines": func(o map[string]any) {
			inPolicy(o, "example")["headers"] = map[string]any{"X-A\r\nX-Evil: 1\r\nX-B": "1"}
		},
		"a header value of two lines": func(o map[string]any) {
			inPolicy(o, "example")["headers"] = map[string]any{"X-A": "1\r\nX-Evil: 1"}
		},
		"a method of two lines": func(o map[string]any) { o["method"] = "POST / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET" },
		"a promise a thousand times": func(o map[string]any) {
			one := promiseIn(o, policydoc.PromiseKeyLength)
			one["id"] = policydoc.PromiseKeyOptional
			for range 1000 {
				o["promises"] = append(o["promises"].([]any), one)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := spoiledPolicy(t, spoil)
			if err != nil {
				if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\r\n\x1b") {
					t.Errorf("the error is %d bytes: %.400q", len(err.Error()), err)
				}
				return
			}
			b := newBank("any key")
			b.optional = true
			evil := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Evil") != "" {
					evil = true
				}
				b.ServeHTTP(w, r)
			}))
			defer server.Close()
			report, err := Run(t.Context(), Plan{Policy: p, BaseURL: server.URL, Credentials: http.Header{"Authorization": {"Bearer first-secret"}}, Concurrency: []int{2}, Limits: Limits{Settle: 100 * time.Millisecond, Total: 20 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			if report.Stopped != "" || evil || b.count() > report.MaxEffects+20 { // the bank takes any key
				t.Errorf("%d effects of %d; %.2000s", b.count(), report.MaxEffects, show(report))
			}
		})
	}
}
