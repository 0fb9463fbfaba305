package extension

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A keyed operation without anything else said has every member that the runtime reads.
func TestResolve_Defaults(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "", "", "true")
	if rulesOf(found) != "" {
		t.Fatal(found)
	}
	const problems = "https://github.com/idemgen/idemgen/blob/main/docs/problems.md#"
	want := policy.Policy{
		Profile:     "ietf",
		Mode:        policy.Transaction,
		Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat, MinLength: 1, MaxLength: 255, LengthUnit: policy.Characters, Syntax: policy.Either},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   24 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "3XX", "402", "409"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
		Errors: policy.Errors{
			Missing:     policy.ErrorAnswer{Status: 400, Type: problems + "missing-key", Title: "Idempotency key is missing"},
			Malformed:   policy.ErrorAnswer{Status: 400, Type: problems + "malformed-key", Title: "Idempotency key is malformed"},
			Mismatch:    policy.ErrorAnswer{Status: 422, Type: problems + "key-reused", Title: "Idempotency key was used for another request"},
			InFlight:    policy.ErrorAnswer{Status: 409, Type: problems + "in-flight", Title: "A request with this idempotency key is in progress"},
			Unavailable: policy.ErrorAnswer{Status: 503, Type: problems + "unavailable", Title: "The request was not carried out"},
			TooLarge:    policy.ErrorAnswer{Status: 409, Type: problems + "answer-not-kept", Title: "The request was carried out, its answer was too large to keep"},
			Expired:     policy.ErrorAnswer{Status: 412, Type: problems + "expired", Title: "The first attempt is too long ago, or in the future"},
			Shape:       "problem",
		},
	}
	if !reflect.DeepEqual(op.Policy, want) {
		t.Errorf("got  %+v\nwant %+v", op.Policy, want)
	}
}

func TestResolve_Stripe(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "profile: stripe", "", "{}")
	if rulesOf(found) != "i:store-5xx" {
		t.Fatal(found)
	}
	p := op.Policy
	if p.Key.Required || p.Key.Syntax != policy.Bare || p.Key.MaxLength != 255 || p.Retention != 24*time.Hour {
		t.Errorf("key %+v, retention %v", p.Key, p.Retention)
	}
	if join(p.Scope) != "account" || p.InFlight.Answer != policy.Conflict || p.Errors.Shape != "stripe" {
		t.Errorf("scope %v, in flight %+v, shape %s", p.Scope, p.InFlight, p.Errors.Shape)
	}
	if want := (policy.ErrorAnswer{Status: 400, Type: "idempotency_error", Title: "Idempotency key was used for another request"}); !reflect.DeepEqual(p.Errors.Mismatch, want) {
		t.Errorf("mismatch %+v", p.Errors.Mismatch)
	}
	if p.Errors.Missing.Type != "" {
		t.Errorf("a problem type in Stripe's shape: %s", p.Errors.Missing.Type)
	}
	for status, stored := range map[int]bool{200: true, 402: true, 404: true, 401: false, 429: false, 500: false, 503: false} {
		if p.Store.Statuses.Contains(status) != stored {
			t.Errorf("%d stored: %v", status, !stored)
		}
	}
}

// builtin < profile < declared < document < path item < operation, member by member.
func TestResolve_Layers(t *testing.T) {
	in := ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/payments", Declared: []policy.DeclaredKey{{
		Key: policy.Key{In: policy.InHeader, Name: "idempotency-key", Required: true, MaxLength: 64, MinLength: 8},
		Pos: policy.Position{File: "x.yaml", Line: 500, Column: 9},
	}}}}
	op, found := resolved(t, in,
		"{profile: stripe, retention: PT1H, scope: [principal, region], store: {statuses: [2XX], headers: [A, B]}, key: {minLength: 8}}",
		"{retention: PT2H, note: path, store: {headers: []}}",
		"{note: operation, retryWindow: PT1H}")
	if rulesOf(found) != "" {
		t.Fatal(found)
	}
	p := op.Policy
	if p.Retention != 2*time.Hour || p.Note != "operation" || p.Key.MaxLength != 64 || !p.Key.Required || p.Key.Name != "idempotency-key" || len(p.Store.Headers) != 0 {
		t.Errorf("got %+v", p)
	}
	for member, want := range map[string]policy.Level{
		"mode":             policy.LevelBuiltin,
		"key.syntax":       policy.LevelProfile,
		"key.maxLength":    policy.LevelDeclared,
		"key.minLength":    policy.LevelDocument,
		"store.statuses":   policy.LevelDocument,
		"store.statuses.0": policy.LevelDocument,
		"scope.1":          policy.LevelDocument,
		"retention":        policy.LevelPathItem,
		"store.headers":    policy.LevelPathItem,
		"note":             policy.LevelOperation,
	} {
		origin, ok := op.Origins.Find(member)
		if !ok || origin.Level != want || !origin.Pos.IsValid() {
			t.Errorf("%s: got %+v, want level %s", member, origin, want)
		}
	}
	if !slices.IsSortedFunc(op.Origins, func(a, b policy.Origin) int { return strings.Compare(a.Member, b.Member) }) {
		t.Error("origins are not sorted")
	}
}

// A weaker layer's answer to one question does not stand beside a stronger layer's answer to the same question.
func TestResolve_Settles(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "{fingerprint: {exclude: [/a]}, key: {name: X-Key}}", "", "{key: {in: body, pointer: /id}, fingerprint: {include: [/b]}}")
	if rulesOf(found) != "" {
		t.Fatal(found)
	}
	if k := op.Policy.Key; k.Name != "" || k.Pointer != "/id" || k.Syntax != "" {
		t.Errorf("key %+v", k)
	}
	if f := op.Policy.Fingerprint; len(f.Exclude) != 0 || len(f.Include) != 1 {
		t.Errorf("fingerprint %+v", f)
	}
	op, found = resolved(t, ResolveInput{}, "fingerprint: {include: [/b]}", "", "fingerprint: {exclude: [/a]}")
	if f := op.Policy.Fingerprint; rulesOf(found) != "" || len(f.Include) != 0 || len(f.Exclude) != 1 {
		t.Errorf("fingerprint %+v, %v", f, found)
	}
	op, found = resolved(t, ResolveInput{}, "key: {in: body, pointer: /id}", "", "key: {in: header, name: X-Key}")
	if k := op.Policy.Key; rulesOf(found) != "" || k.Name != "X-Key" || k.Pointer != "" {
		t.Errorf("key %+v, %v", k, found)
	}
	if origin, ok := op.Origins.Find("key.pointer"); ok {
		t.Errorf("a pointer that does not count has the origin %+v", origin)
	}
}

// The order of the layers is that of policy's constants, which says from the weakest to the strongest.
func TestLayerOrder(t *testing.T) {
	for i, level := range []policy.Level{policy.LevelBuiltin, policy.LevelProfile, policy.LevelDeclared, policy.LevelDocument, policy.LevelPathItem, policy.LevelOperation} {
		if layerOrder[level] != i {
			t.Errorf("%s is number %d, want %d", level, layerOrder[level], i)
		}
	}
}

// A default that an operation overrides is not compared with its declaration.
func TestResolve_ContradictionOverridden(t *testing.T) {
	key := declared(policy.InHeader, "X-Key", true)
	key.Key.MaxLength = 64
	in := ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: []policy.DeclaredKey{key}}}
	if _, found := resolved(t, in, "key: {maxLength: 128}", "", "key: {maxLength: 64}"); len(found) != 0 {
		t.Errorf("got %v", found)
	}
}

func TestResolve_Methods_H1_H2(t *testing.T) {
	for method, want := range map[string]policy.Decision{
		"GET": policy.Safe, "PUT": policy.Safe, "DELETE": policy.Safe, "QUERY": policy.Safe, "POST": policy.Undecided, "PATCH": policy.Undecided, "COPY": policy.Undecided,
	} {
		op, _ := resolved(t, ResolveInput{Operation: &policy.Operation{Method: method, Path: "/x"}}, "", "", "")
		if op.Decision != want {
			t.Errorf("%s: %q", method, op.Decision)
		}
	}
	op, found := resolved(t, ResolveInput{Operation: &policy.Operation{Method: "PUT", Path: "/x"}}, "", "", "true")
	if op.Decision != policy.Keyed || rulesOf(found) != "i:safe-method" {
		t.Errorf("%q, %v", op.Decision, found)
	}
}

// An unreadable decision is no decision, and no second finding about the same lines.
func TestResolve_Unreadable(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "", "", "perhaps")
	if op.Decision != policy.Undecided || !op.DecidedAt.IsValid() || rulesOf(found) != "e:shorthand" {
		t.Errorf("%q at %v, %v", op.Decision, op.DecidedAt, found)
	}
	doc := &policy.Document{Operations: []policy.Operation{*op}}
	if found := Check(doc); len(found) != 0 {
		t.Errorf("got %v", found)
	}
}

func declared(in policy.Location, name string, required bool) policy.DeclaredKey {
	key := policy.Key{In: in, Name: name, Required: required}
	if in == policy.InBody {
		key.Name, key.Pointer = "", name
	}
	return policy.DeclaredKey{Key: key, Pos: policy.Position{File: "x.yaml", Line: 500, Column: len(name)}}
}

func TestResolve_Declared(t *testing.T) {
	header, body := declared(policy.InHeader, "X-Idempotency-Key", false), declared(policy.InBody, "/idempotency_key", true)
	batch := declared(policy.InBody, "/items/idempotency_key", true)
	batch.InBatchItem = true
	standard := declared(policy.InHeader, "IDEMPOTENCY-KEY", true)
	for _, test := range []struct {
		name     string
		declared []policy.DeclaredKey
		own      string
		accept   bool
		decision policy.Decision
		key      string
		rules    string
	}{
		{"the only one fills in", []policy.DeclaredKey{body}, "{}", false, policy.Keyed, "body:/idempotency_key:true", ""},
		{"optional stays optional", []policy.DeclaredKey{header}, "{}", false, policy.Keyed, "header:X-Idempotency-Key:false", ""},
		{"a proposal is no decision", []policy.DeclaredKey{body}, "", false, policy.Undecided, "::false", ""},
		{"accepted", []policy.DeclaredKey{body}, "", true, policy.Keyed, "body:/idempotency_key:true", ""},
		{"two are not accepted", []policy.DeclaredKey{body, header}, "", true, policy.Undecided, "::false", "w:accept-declared-ambiguous"},
		{"two, none chosen", []policy.DeclaredKey{body, header}, "{}", false, policy.Keyed, "header:Idempotency-Key:true", "e:declared-ambiguous"},
		{"two, one chosen", []policy.DeclaredKey{body, header}, "key: {in: header, name: x-idempotency-key}", false, policy.Keyed, "header:x-idempotency-key:false", ""},
		{"two, the default is one", []policy.DeclaredKey{body, standard}, "{}", false, policy.Keyed, "header:IDEMPOTENCY-KEY:true", ""},
		{"another place", []policy.DeclaredKey{body}, "key: {in: header, name: X-Key}", false, policy.Keyed, "header:X-Key:true", "w:key-contradicts-declaration w:key-contradicts-declaration"},
		{"in alone, declared there", []policy.DeclaredKey{declared(policy.InForm, "IdempotencyKey", true), standard}, "key: {in: form}", false, policy.Keyed, "form:IdempotencyKey:true", ""},
		{"in alone, body", []policy.DeclaredKey{body, header}, "key: {in: body}", false, policy.Keyed, "body:/idempotency_key:true", ""},
		{"in alone, nothing there", []policy.DeclaredKey{header}, "key: {in: query}", false, policy.Keyed, "query:Idempotency-Key:true", "w:key-contradicts-declaration e:key-place w:key-contradicts-declaration"},
		{"batch only", []policy.DeclaredKey{batch}, "{}", false, policy.Keyed, "header:Idempotency-Key:true", "e:body-key-in-batch"},
		{"batch, place stated", []policy.DeclaredKey{batch}, "key: {in: header, name: X-Key}", false, policy.Keyed, "header:X-Key:true", ""},
		{"batch is not accepted", []policy.DeclaredKey{batch}, "", true, policy.Undecided, "::false", ""},
		{"required differs", []policy.DeclaredKey{header}, "true", false, policy.Keyed, "header:X-Idempotency-Key:true", "w:key-contradicts-declaration w:key-contradicts-declaration"},
		{"decided otherwise", []policy.DeclaredKey{body}, "{none: sends a letter}", true, policy.NotRepeatable, "::false", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: test.declared}, AcceptDeclared: test.accept}
			op, found := resolved(t, in, "", "", test.own)
			k := op.Policy.Key
			key := string(k.In) + ":" + k.Name + k.Pointer + ":" + map[bool]string{true: "true", false: "false"}[k.Required]
			if op.Decision != test.decision || key != test.key || rulesOf(found) != test.rules {
				t.Errorf("decision %q, key %s, findings %v", op.Decision, key, found)
			}
		})
	}
}

// K3: a declared pattern that RE2 cannot compile is reported where it stands and never reaches generated code.
func TestResolve_DeclaredPattern_K3(t *testing.T) {
	key := declared(policy.InHeader, "x-idempotency-key", true)
	key.Key.Pattern, key.Key.MaxLength = `^(?!\s)(.*)(\S)$`, 40
	op, found := resolved(t, ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: []policy.DeclaredKey{key}}}, "", "", "true")
	if op.Policy.Key.Pattern != "" || op.Policy.Key.MaxLength != 40 || rulesOf(found) != "w:key-pattern" || found[0].Pos != key.Pos {
		t.Errorf("pattern %q, %v", op.Policy.Key.Pattern, found)
	}
	op, found = resolved(t, ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: []policy.DeclaredKey{key}}}, "", "", `key: {pattern: '^\S.*\S$'}`)
	if op.Policy.Key.Pattern != `^\S.*\S$` || strings.Contains(rulesOf(found), "key-pattern") {
		t.Errorf("pattern %q, %v", op.Policy.Key.Pattern, found)
	}
}

// What a declaration says of a key's form is taken over, as far as it can be kept.
func TestResolve_DeclaredForm(t *testing.T) {
	key := declared(policy.InForm, "IdempotencyKey", true)
	key.Key.Format, key.Key.MinLength, key.Key.MaxLength, key.Key.LengthUnit, key.Key.Pattern = policy.UUID4, 36, 36, policy.Bytes, "^[a-f0-9-]+$"
	op, found := resolved(t, ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: []policy.DeclaredKey{key}}}, "", "", "{}")
	want := key.Key
	if op.Policy.Key != want || len(found) != 0 {
		t.Errorf("got %+v, want %+v, %v", op.Policy.Key, want, found)
	}
	key.Key = policy.Key{In: policy.InHeader, Name: "X-Key", MaxLength: 5000, MinLength: 5000, Format: "ulid", Syntax: policy.Structured}
	op, found = resolved(t, ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: []policy.DeclaredKey{key}}}, "", "", "{}")
	if k := op.Policy.Key; k.MaxLength != 1024 || k.MinLength != 1 || k.Format != policy.AnyFormat || k.Syntax != policy.Structured || rulesOf(found) != "w:declared-key-length" {
		t.Errorf("got %+v, %v", op.Policy.Key, found)
	}
}

func TestResolve_Fern(t *testing.T) {
	for _, test := range []struct {
		name, mark, headers string
		declared            []policy.DeclaredKey
		own                 string
		decision            policy.Decision
		key                 string
		rules               string
	}{
		{"one header", "true", "[{header: X-Key, name: key}]", nil, "", policy.Keyed, "X-Key", ""},
		{"a key and an expiry", "true", "[{header: IDEMPOTENCY-KEY}, {header: IDEMPOTENCY-EXPIRATION}]", nil, "", policy.Keyed, "IDEMPOTENCY-KEY", ""},
		{"a declared key", "true", "", []policy.DeclaredKey{declared(policy.InHeader, "X-Key", true)}, "", policy.Keyed, "X-Key", ""},
		{"listed among declared", "true", "[{header: x-b}]", []policy.DeclaredKey{declared(policy.InHeader, "X-A", true), declared(policy.InHeader, "X-B", true)}, "", policy.Keyed, "X-B", ""},
		{"no key", "true", "", nil, "", policy.Undecided, "", "w:fern-without-key"},
		{"two keys", "true", "[{header: A-Key}, {header: B-Key}]", nil, "", policy.Undecided, "", "w:fern-without-key"},
		{"not marked", "false", "[{header: X-Key}]", nil, "", policy.Undecided, "", ""},
		{"x-idempotency goes first", "true", "[{header: X-Key}]", nil, "none", policy.NotRepeatable, "", "i:reason-missing"},
		{"bad header", "true", "[{header: 'X Key'}]", nil, "", policy.Undecided, "", "w:fern-without-key e:bad-header"},
		{"no header", "true", "[{name: key}]", nil, "", policy.Undecided, "", "w:fern-without-key e:fern-import"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := ResolveInput{Operation: &policy.Operation{Method: "POST", Path: "/x", Declared: test.declared}, FernIdempotent: parse(t, test.mark)}
			if test.headers != "" {
				in.FernHeaders = parse(t, test.headers)
			}
			op, found := resolved(t, in, "", "", test.own)
			if op.Decision != test.decision || op.Policy.Key.Name != test.key || rulesOf(found) != test.rules {
				t.Errorf("decision %q, key %q, findings %v", op.Decision, op.Policy.Key.Name, found)
			}
		})
	}
}

// A policy's lists are its own: no change of one operation reaches another, or the next document.
func TestResolve_Detached(t *testing.T) {
	root := `{profile: stripe, ` + nest("fingerprint.headers", "[A, B]") + `, steps: [a], downstream: [{name: n, step: a}], scope: [principal, region],
		store: {headers: [X-A]}, replay: {status: {201: 200}}, guard: [{table: t, columns: [c]}], errors: {mismatch: {headers: {X-A: b}}}}`
	decoded, _ := DecodeRoot(parse(t, root), at, nil)
	own, _ := DecodeMembers(parse(t, "fingerprint: {include: [/a]}"), at, nil, policy.LevelOperation)
	resolve := func() *policy.Operation {
		op := &policy.Operation{Method: "POST", Path: "/x"}
		Resolve(ResolveInput{Operation: op, Root: decoded, Own: own, At: at})
		return op
	}
	before := fmt.Sprintf("%+v", resolve().Policy)
	spoil(reflect.ValueOf(&resolve().Policy).Elem())
	if after := fmt.Sprintf("%+v", resolve().Policy); after != before {
		t.Errorf("got  %s\nwant %s", after, before)
	}
}

// spoil overwrites every entry of every list below v.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			spoil(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
			v.Index(i).SetZero()
		}
	}
}

// A profile is read by the grammar of documents, so a mistake in its data fails here.
func TestProfileSettings(t *testing.T) {
	for _, name := range append(policy.ProfileNames(), builtin) {
		if _, err := builtinProfile(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := builtinProfile("nobody"); err == nil {
		t.Error("no error for an unknown profile")
	}
}

// The project's own defaults have a value for every member that a policy cannot do without.
func TestBuiltin_Complete(t *testing.T) {
	defaults, err := builtinProfile(builtin)
	set := defaults.settings
	if err != nil {
		t.Fatal(err)
	}
	optional := []string{"key.pointer", "key.pattern", "key.firstSent.header", "retryWindow", "fingerprint.include", "fingerprint.exclude", "fingerprint.headers",
		"store.headers", "replay.status", "steps", "downstream", "guard", "note"}
	for _, m := range grammar {
		_, isSet := set[m.path]
		free := slices.Contains(optional, m.path) || strings.HasSuffix(m.path, ".code") || strings.HasSuffix(m.path, ".headers")
		if isSet == free {
			t.Errorf("%s: has a default: %v", m.path, isSet)
		}
	}
}

// The time of a first attempt (X3) is part of the key, and a document can leave it out against its profile.
func TestResolve_FirstSent_X3(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "profile: repeatability", "", "true")
	if len(found) > 0 {
		t.Fatal(found)
	}
	p := op.Policy
	if want := (policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: time.Minute}); p.Key.FirstSent != want || p.Errors.Expired.Status != 412 {
		t.Errorf("first sent %+v, expired %+v", p.Key.FirstSent, p.Errors.Expired)
	}
	accepted, rejected := []policy.HeaderValue{{Name: "Repeatability-Result", Value: "accepted"}}, []policy.HeaderValue{{Name: "Repeatability-Result", Value: "rejected"}}
	if !slices.Equal(p.Answers.Headers, accepted) || !slices.Equal(p.Errors.Mismatch.Headers, rejected) {
		t.Errorf("answers %+v, mismatch %+v", p.Answers, p.Errors.Mismatch)
	}
	op, found = resolved(t, ResolveInput{}, "profile: repeatability", "", "key: {firstSent: {header: ''}}")
	if len(found) > 0 || op.Policy.Key.FirstSent != (policy.FirstSent{}) {
		t.Errorf("first sent %+v, %v", op.Policy.Key.FirstSent, found)
	}
	op, _ = resolved(t, ResolveInput{}, "", "", "true")
	if origin, ok := op.Origins.Find("key.firstSent.maxSkew"); ok || op.Policy.Key.FirstSent != (policy.FirstSent{}) {
		t.Errorf("first sent %+v from %+v", op.Policy.Key.FirstSent, origin)
	}
}
