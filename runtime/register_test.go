package runtime_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

func TestNew_S1(t *testing.T) {
	store := memstore.New()
	for name, c := range map[string]struct {
		store     runtime.Store[pgx.Tx]
		principal runtime.PrincipalFunc
		option    runtime.Option
	}{
		"no store":       {nil, bearer, nil},
		"no principal":   {store, nil, nil},
		"request body":   {store, bearer, runtime.WithMaxRequestBody(0)},
		"response body":  {store, bearer, runtime.WithMaxResponseBody(-1)},
		"claim timeout":  {store, bearer, runtime.WithClaimTimeout(0)},
		"commit timeout": {store, bearer, runtime.WithCommitTimeout(0)},
		"attempts":       {store, bearer, runtime.WithAttempts(0)},
		"work limit":     {store, bearer, runtime.WithWorkLimit(0)},
		"region":         {store, bearer, runtime.WithRegion("")},
		"problem base":   {store, bearer, runtime.WithProblemBase("docs/")},
		"challenge":      {store, bearer, runtime.WithChallenge("")},
		"logger":         {store, bearer, runtime.WithLogger(nil)},
		"observer":       {store, bearer, runtime.WithErrorObserver(nil)},
	} {
		var opts []runtime.Option
		if c.option != nil {
			opts = append(opts, c.option)
		}
		if _, err := runtime.New(c.store, c.principal, opts...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := runtime.New[pgx.Tx](store, bearer); err != nil {
		t.Error(err)
	}
}

func TestRegister(t *testing.T) {
	engine := newService(t, payment()).engine
	for part, change := range map[string]func(*runtime.Operation){
		"no ID":                 func(o *runtime.Operation) { o.ID = "" },
		"method":                func(o *runtime.Operation) { o.Method = "post" },
		"route":                 func(o *runtime.Operation) { o.Route = "orders/{order}" },
		"PathParams has":        func(o *runtime.Operation) { o.PathParams = nil },
		"DocsURL":               func(o *runtime.Operation) { o.DocsURL = `https://x/>; rel="x"` },
		"mode":                  func(o *runtime.Operation) { o.Policy.Mode = "batch" },
		"key.in":                func(o *runtime.Operation) { o.Policy.Key.In = "cookie" },
		"header name":           func(o *runtime.Operation) { o.Policy.Key.Name = "Idempotency Key" },
		"key.syntax":            func(o *runtime.Operation) { o.Policy.Key.Syntax = "" },
		"key.name is empty":     func(o *runtime.Operation) { o.Policy.Key = policy.Key{In: policy.InQuery, MaxLength: 1} },
		"starts with a slash":   func(o *runtime.Operation) { o.Policy.Key = policy.Key{In: policy.InBody, Pointer: "x", MaxLength: 1} },
		"whole body":            func(o *runtime.Operation) { o.Policy.Key = policy.Key{In: policy.InBody, MaxLength: 1} },
		"key.format":            func(o *runtime.Operation) { o.Policy.Key.Format = "ulid" },
		"key.lengthUnit":        func(o *runtime.Operation) { o.Policy.Key.LengthUnit = "words" },
		"key.maxLength is 0":    func(o *runtime.Operation) { o.Policy.Key.MaxLength = 0 },
		"key.maxLength is 5000": func(o *runtime.Operation) { o.Policy.Key.MaxLength = 5000 },
		"key.minLength":         func(o *runtime.Operation) { o.Policy.Key.MinLength = 65 },
		"key.pattern":           func(o *runtime.Operation) { o.Policy.Key.Pattern = `^(?!\s)(.*)(\S)$` }, // K3
		"scope: its first part": func(o *runtime.Operation) { o.Policy.Scope = nil },
		"its first part": func(o *runtime.Operation) {
			o.Policy.Scope = []policy.ScopePart{policy.ScopeOperation, policy.ScopePrincipal}
		},
		"WithRegion":                   func(o *runtime.Operation) { o.Policy.Scope = append(o.Policy.Scope, policy.ScopeRegion) },
		"\"tenant\" is not known":      func(o *runtime.Operation) { o.Policy.Scope = append(o.Policy.Scope, "tenant") },
		"\"a b\" is not a header name": func(o *runtime.Operation) { o.Policy.Scope = append(o.Policy.Scope, "header:a b") },
		"stands twice":                 func(o *runtime.Operation) { o.Policy.Scope = append(o.Policy.Scope, policy.ScopeOperation) },
		"account stands for": func(o *runtime.Operation) {
			o.Policy.Scope = []policy.ScopePart{policy.ScopeAccount, policy.ScopeOperation}
		},
		"at most": func(o *runtime.Operation) {
			o.Policy.Scope = append(o.Policy.Scope, "header:a", "header:b", "header:c", "header:d")
		},
		"fingerprint.body": func(o *runtime.Operation) { o.Policy.Fingerprint.Body = "" },
		"include and exclude: use": func(o *runtime.Operation) {
			o.Policy.Fingerprint.Include, o.Policy.Fingerprint.Exclude = []string{"/a"}, []string{"/b"}
		},
		"need body: canonical": func(o *runtime.Operation) {
			o.Policy.Fingerprint = policy.Fingerprint{Body: policy.RawBody, Include: []string{"/a"}}
		},
		"fingerprint.include":      func(o *runtime.Operation) { o.Policy.Fingerprint.Include = []string{"a"} },
		"fingerprint.exclude":      func(o *runtime.Operation) { o.Policy.Fingerprint.Exclude = []string{"/~"} },
		"write body: none":         func(o *runtime.Operation) { o.Policy.Fingerprint.Exclude = []string{""} },
		"fingerprint.headers":      func(o *runtime.Operation) { o.Policy.Fingerprint.Headers = []string{""} },
		"retention":                func(o *runtime.Operation) { o.Policy.Retention = 0 },
		"whose answer was lost":    func(o *runtime.Operation) { o.Policy.Retention = 14 * time.Second }, // A6
		"store.statuses is empty":  func(o *runtime.Operation) { o.Policy.Store.Statuses = nil },
		"store.statuses: ":         func(o *runtime.Operation) { o.Policy.Store.Statuses = policy.Statuses{"2xx", "OK"} },
		"has 5XX":                  func(o *runtime.Operation) { o.Policy.Store.Statuses = policy.Statuses{"2XX", "5XX"} }, // R4
		"has 1XX":                  func(o *runtime.Operation) { o.Policy.Store.Statuses = policy.Statuses{"1XX"} },
		"store.maxBody":            func(o *runtime.Operation) { o.Policy.Store.MaxBody = 0 },
		"set-cookie is never kept": func(o *runtime.Operation) { o.Policy.Store.Headers = []string{"set-cookie"} }, // R1
		"store.headers":            func(o *runtime.Operation) { o.Policy.Store.Headers = []string{"a:b"} },
		"replay.as":                func(o *runtime.Operation) { o.Policy.Replay.As = "rebuilt" },
		"replay.header":            func(o *runtime.Operation) { o.Policy.Replay.Header = "a b" },
		"replay.value":             func(o *runtime.Operation) { o.Policy.Replay.Value = "a\r\nb" },
		"replay.status":            func(o *runtime.Operation) { o.Policy.Replay.Status = []policy.StatusChange{{From: 201, To: 20}} },
		"inFlight.maxWait":         func(o *runtime.Operation) { o.Policy.InFlight.MaxWait = 0 },
		"inFlight.answer":          func(o *runtime.Operation) { o.Policy.InFlight.Answer = "" },
		"errors.shape":             func(o *runtime.Operation) { o.Policy.Errors.Shape = "xml" },
		"errors: status 200":       func(o *runtime.Operation) { o.Policy.Errors.Mismatch.Status = 200 },
		"errors: \"X Y\"":          func(o *runtime.Operation) { o.Policy.Errors.TooLarge.Headers = []policy.HeaderValue{{Name: "X Y"}} },
	} {
		op := payment()
		change(op)
		err := engine.Register(op)
		if err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "operation ") {
			t.Errorf("%s: %v", part, err)
		}
		// Even where nobody looked at the error, nothing runs.
		a := do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, ok := engine.Begin(w, r, op); ok {
				t.Errorf("%s: the operation is served", part)
			}
		}), newService(t, payment()).request(body, header("Idempotency-Key", "k")))
		a.wantProblem(t, 500, "internal-error")
	}
	if err := engine.Register(nil); err == nil {
		t.Error("nil is registered")
	}

	all := payment(func(p *policy.Policy) {
		p.Retention, p.InFlight, p.Scope = 0, policy.InFlight{MaxWait: time.Second}, nil
	})
	err := engine.Register(all)
	for _, part := range []string{"retention", "inFlight.answer", "scope"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not reported with the rest: %v", part, err)
		}
	}

	good := payment()
	if err := engine.Register(good); err != nil {
		t.Error(err)
	}
	if err := engine.Register(good); err != nil {
		t.Errorf("again: %v", err)
	}
}
