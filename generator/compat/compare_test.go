package compat

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

func at(line int) policy.Position { return policy.Position{File: "api.yaml", Line: line, Column: 7} }

// payment is an operation whose every member is set, in transaction mode.
func payment() policy.Operation {
	return policy.Operation{
		ID: "createPayment", Method: "POST", Path: "/accounts/{account}/payments", Pos: at(10), Decision: policy.Keyed, DecidedAt: at(12),
		Policy: policy.Policy{
			Profile: "ietf", Mode: policy.Transaction,
			Key: policy.Key{
				In: policy.InHeader, Name: "Idempotency-Key", Format: policy.AnyFormat, MinLength: 8, MaxLength: 64,
				LengthUnit: policy.Characters, Pattern: "^[a-z]+$", Syntax: policy.Either,
			},
			Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: 24 * time.Hour, RetryWindow: 6 * time.Hour,
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true, Headers: []string{"Api-Version"}},
			Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402"}, Headers: []string{"X-Cost"}, MaxBody: 1 << 20},
			Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
			InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
			Errors: policy.Errors{
				Missing: policy.ErrorAnswer{Status: 400}, Malformed: policy.ErrorAnswer{Status: 400},
				Mismatch: policy.ErrorAnswer{Status: 422, Type: "https://example.com/reused", Title: "Used", Code: "reused"},
				InFlight: policy.ErrorAnswer{Status: 409}, Unavailable: policy.ErrorAnswer{Status: 503}, TooLarge: policy.ErrorAnswer{Status: 409},
				Expired: policy.ErrorAnswer{Status: 412}, Shape: "problem",
			},
			Note: "A note.",
		},
		Origins: policy.Origins{{Member: "retention", Level: policy.LevelDocument, Pos: at(3)}},
		Shape:   &policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: "application/json"}}, Pos: at(20)}},
	}
}

// payout is one in lease mode.
func payout() policy.Operation {
	op := payment()
	op.ID, op.Path = "createPayout", "/payouts"
	p := &op.Policy
	p.Mode, p.Lease = policy.LeaseMode, policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
	p.Steps = []string{"reserve", "transfer", "notify"}
	p.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
	return op
}

func net() policy.Guard {
	return policy.Guard{Table: "payments", Columns: []string{"account", "key"}, Pos: at(30)}
}

func businessRule() policy.Guard {
	return policy.Guard{Table: "payments", Columns: []string{"account", "order_id"}, On: "conflict", Pos: at(31)}
}

func settlement() policy.Consumer {
	return policy.Consumer{Name: "settlement", Event: "#/components/schemas/Charge", ID: "/id", Group: "ledger", Retention: 7 * 24 * time.Hour, Source: "kafka", Pos: at(5)}
}

func document(operations ...policy.Operation) *policy.Document {
	return &policy.Document{SpecFile: "api.yaml", Operations: operations, Consumers: []policy.Consumer{settlement()}, Profile: "ietf"}
}

// single is one change of one thing and the rules that it falls under, there and back.
type single struct {
	name        string
	base        func() policy.Operation
	change      func(*policy.Operation)
	there, back string
	member      string
}

func onPolicy(change func(*policy.Policy)) func(*policy.Operation) {
	return func(op *policy.Operation) { change(&op.Policy) }
}

var singles = []single{
	{"a UUID that the new lengths refuse", short36, func(op *policy.Operation) { op.Policy.Key.Format = policy.UUID }, "key-format-narrower", "key-format-narrower", "key.format"},
	{"a UUID that the new least length refuses", long37, func(op *policy.Operation) { op.Policy.Key.Format = policy.UUID }, "key-format-narrower", "key-format-narrower", "key.format"},
	{"mode by another meaning", payment, onPolicy(func(p *policy.Policy) {
		p.Mode, p.Lease, p.Steps = policy.LeaseMode, policy.Lease{Duration: time.Minute}, []string{"a"}
	}), "mode-lease", "mode-transaction", "mode"},

	{"key in another header", payment, onPolicy(func(p *policy.Policy) { p.Key.Name = "X-Key" }), "key-moved", "key-moved", "key.in"},
	{"key in the body", payment, onPolicy(func(p *policy.Policy) {
		p.Key.In, p.Key.Name, p.Key.Pointer, p.Key.Syntax = policy.InBody, "", "/key", ""
	}), "key-moved", "key-moved", "key.in"},
	{"key header in small letters", payment, onPolicy(func(p *policy.Policy) { p.Key.Name = "idempotency-key" }), "header-case", "header-case", "key.in"},
	{"key required", payment, onPolicy(func(p *policy.Policy) { p.Key.Required = true }), "key-required", "key-optional", "key.required"},
	{"format", payment, onPolicy(func(p *policy.Policy) { p.Key.Format = policy.UUID }), "key-format-narrower", "key-format-wider", "key.format"},
	{"format, one version", uuids, onPolicy(func(p *policy.Policy) { p.Key.Format = policy.UUID7 }), "key-format-narrower", "key-format-wider", "key.format"},
	{"format, another version", uuids4, onPolicy(func(p *policy.Policy) { p.Key.Format = policy.UUID7 }), "key-format-narrower", "key-format-narrower", "key.format"},
	{"shortest key", payment, onPolicy(func(p *policy.Policy) { p.Key.MinLength = 9 }), "key-length-narrower", "key-length-wider", "key.minLength"},
	{"longest key", payment, onPolicy(func(p *policy.Policy) { p.Key.MaxLength = 128 }), "key-length-wider", "key-length-narrower", "key.maxLength"},
	{"longest UUID", uuids, onPolicy(func(p *policy.Policy) { p.Key.MaxLength = 128 }), "member-not-read", "member-not-read", "key.maxLength"},
	{"largest answer, where none is kept", withoutBody, onPolicy(func(p *policy.Policy) { p.Store.MaxBody = 2 << 20 }), "member-not-read", "member-not-read", "store.maxBody"},
	{"length unit of ASCII", payment, onPolicy(func(p *policy.Policy) { p.Key.LengthUnit = policy.Bytes }), "member-not-read", "member-not-read", "key.lengthUnit"},
	{"length unit", inQuery, onPolicy(func(p *policy.Policy) { p.Key.LengthUnit = policy.Bytes }), "key-unit-narrower", "key-unit-narrower", "key.lengthUnit"},
	{"length unit, any short key", shortInQuery, onPolicy(func(p *policy.Policy) { p.Key.LengthUnit = policy.Bytes }), "key-unit-narrower", "key-unit-wider", "key.lengthUnit"},
	{"pattern", payment, onPolicy(func(p *policy.Policy) { p.Key.Pattern = "^[a-z0-9]+$" }), "key-pattern-changed", "key-pattern-changed", "key.pattern"},
	{"no pattern", payment, onPolicy(func(p *policy.Policy) { p.Key.Pattern = "" }), "key-pattern-removed", "key-pattern-added", "key.pattern"},
	{"syntax", payment, onPolicy(func(p *policy.Policy) { p.Key.Syntax = policy.Bare }), "key-syntax-narrower", "key-syntax-wider", "key.syntax"},
	{"personal data", payment, onPolicy(func(p *policy.Policy) { p.Key.RefusePersonalData = true }), "key-personal-data-refused", "key-personal-data-taken", "key.refusePersonalData"},
	{"first sent", payment, onPolicy(func(p *policy.Policy) {
		p.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: time.Minute}
	}), "first-sent-required", "first-sent-dropped", "key.firstSent.header"},
	{"first sent in another header", firstSentAsked, onPolicy(func(p *policy.Policy) { p.Key.FirstSent.Header = "First-Sent" }), "first-sent-renamed", "first-sent-renamed", "key.firstSent.header"},
	{"first sent in capitals", firstSentAsked, onPolicy(func(p *policy.Policy) { p.Key.FirstSent.Header = "REPEATABILITY-FIRST-SENT" }), "header-case", "header-case", "key.firstSent.header"},
	{"skew", firstSentAsked, onPolicy(func(p *policy.Policy) { p.Key.FirstSent.MaxSkew = time.Hour }), "first-sent-skew-wider", "first-sent-skew-narrower", "key.firstSent.maxSkew"},
	{"skew without first sent", payment, onPolicy(func(p *policy.Policy) { p.Key.FirstSent.MaxSkew = time.Hour }), "member-not-read", "member-not-read", "key.firstSent.maxSkew"},

	{"scope with a part more", payment, onPolicy(func(p *policy.Policy) { p.Scope = append(p.Scope, "header:Region") }), "scope-narrower", "scope-wider", "scope"},
	{"scope with another part", payment, onPolicy(func(p *policy.Policy) { p.Scope = []policy.ScopePart{policy.ScopePrincipal, policy.ScopeRegion} }), "scope-changed", "scope-changed", "scope"},
	{"scope in another order", payment, onPolicy(func(p *policy.Policy) { slices.Reverse(p.Scope) }), "scope-order", "scope-order", "scope"},
	{"scope in other words", payment, onPolicy(func(p *policy.Policy) { p.Scope = []policy.ScopePart{policy.ScopeAccount, policy.ScopeOperation} }), "scope-words", "scope-words", "scope"},
	{"retention", payment, onPolicy(func(p *policy.Policy) { p.Retention = 12 * time.Hour }), "retention-shorter", "retention-longer", "retention"},
	{"retry window", payment, onPolicy(func(p *policy.Policy) { p.RetryWindow = 12 * time.Hour }), "retry-window-longer", "retry-window-shorter", "retryWindow"},
	{"no retry window", payment, onPolicy(func(p *policy.Policy) { p.RetryWindow = 0 }), "retry-window-open", "retry-window-shorter", "retryWindow"},
	{"retry window as long as the retention", payment, onPolicy(func(p *policy.Policy) { p.RetryWindow = 24 * time.Hour }), "retry-window-uncovered", "retry-window-shorter", "retryWindow"},
	{"retry window past the retention", payment, onPolicy(func(p *policy.Policy) { p.RetryWindow = 48 * time.Hour }), "retry-window-uncovered", "retry-window-shorter", "retryWindow"},

	{"body by its bytes", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Body = policy.RawBody }), "fingerprint-stricter", "fingerprint-looser", "fingerprint.body"},
	{"body not compared", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Body = policy.NoBody }), "fingerprint-looser", "fingerprint-stricter", "fingerprint.body"},
	{"no body to compare", bodiless, onPolicy(func(p *policy.Policy) { p.Fingerprint.Body = policy.NoBody }), "member-not-read", "member-not-read", "fingerprint.body"},
	{"include", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Include = []string{"/amount"} }), "fingerprint-looser", "fingerprint-stricter", "fingerprint.include"},
	{"include more", including, onPolicy(func(p *policy.Policy) { p.Fingerprint.Include = []string{"/amount", "/currency", "/to"} }), "fingerprint-stricter", "fingerprint-looser", "fingerprint.include"},
	{"include others", including, onPolicy(func(p *policy.Policy) { p.Fingerprint.Include = []string{"/amount", "/to"} }), "fingerprint-changed", "fingerprint-changed", "fingerprint.include"},
	{"include in another order", including, onPolicy(func(p *policy.Policy) { p.Fingerprint.Include = []string{"/currency", "/amount"} }), "fingerprint-order", "fingerprint-order", "fingerprint.include"},
	{"exclude", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Exclude = []string{"/trace"} }), "fingerprint-looser", "fingerprint-stricter", "fingerprint.exclude"},
	{"query", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Query = false }), "fingerprint-looser", "fingerprint-stricter", "fingerprint.query"},
	{"a header more", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Headers = []string{"Api-Version", "X-Tenant"} }), "fingerprint-stricter", "fingerprint-looser", "fingerprint.headers"},
	{"another header", payment, onPolicy(func(p *policy.Policy) { p.Fingerprint.Headers = []string{"X-Tenant"} }), "fingerprint-changed", "fingerprint-changed", "fingerprint.headers"},

	{"a status more", payment, onPolicy(func(p *policy.Policy) { p.Store.Statuses = policy.Statuses{"2XX", "402", "409"} }), "status-kept", "status-not-kept", "store.statuses"},
	{"another status", payment, onPolicy(func(p *policy.Policy) { p.Store.Statuses = policy.Statuses{"2XX", "409"} }), "statuses-changed", "statuses-changed", "store.statuses"},
	{"a kept header more", payment, onPolicy(func(p *policy.Policy) { p.Store.Headers = []string{"X-Cost", "X-Id"} }), "kept-header-added", "kept-header-removed", "store.headers"},
	{"a header that is kept anyway", payment, onPolicy(func(p *policy.Policy) { p.Store.Headers = []string{"X-Cost", "ETag"} }), "kept-header-built-in", "kept-header-built-in", "store.headers"},
	{"limit", payment, onPolicy(func(p *policy.Policy) { p.Store.MaxBody = 2 << 20 }), "answer-limit-higher", "answer-limit-lower", "store.maxBody"},
	{"no body kept", payment, onPolicy(func(p *policy.Policy) { p.Store.OmitBody = true }), "answer-body-dropped", "answer-body-kept", "store.body"},
	{"current state", payment, onPolicy(func(p *policy.Policy) { p.Replay.As = policy.Current }), "replay-current", "replay-stored", "replay.as"},
	{"another marker", payment, onPolicy(func(p *policy.Policy) { p.Replay.Header = "X-Replayed" }), "marker-renamed", "marker-renamed", "replay.header"},
	{"marker in small letters", payment, onPolicy(func(p *policy.Policy) { p.Replay.Header = "idempotent-replayed" }), "header-case", "header-case", "replay.header"},
	{"no marker", payment, onPolicy(func(p *policy.Policy) { p.Replay.Header = "" }), "marker-removed", "marker-added", "replay.header"},
	{"marker's value", payment, onPolicy(func(p *policy.Policy) { p.Replay.Value = "yes" }), "marker-value", "marker-value", "replay.value"},
	{"status of a repetition", payment, onPolicy(func(p *policy.Policy) { p.Replay.Status = []policy.StatusChange{{From: 201, To: 200}} }), "replay-status", "replay-status", "replay.status"},
	{"conflict", payment, onPolicy(func(p *policy.Policy) { p.InFlight.Answer = policy.Conflict }), "in-flight-conflict", "in-flight-wait", "inFlight.answer"},
	{"wait", payment, onPolicy(func(p *policy.Policy) { p.InFlight.MaxWait = time.Second }), "in-flight-time", "in-flight-time", "inFlight.maxWait"},
	{"come back", payment, onPolicy(func(p *policy.Policy) { p.InFlight.RetryAfter = 3 * time.Second }), "retry-after", "retry-after", "inFlight.retryAfter"},
	{"come back in the same second", payment, onPolicy(func(p *policy.Policy) { p.InFlight.RetryAfter = 500 * time.Millisecond }), "retry-after-same", "retry-after-same", "inFlight.retryAfter"},

	{"lease", payout, onPolicy(func(p *policy.Policy) { p.Lease.Duration = time.Minute }), "lease-duration", "lease-duration", "lease.duration"},
	{"lease without lease mode", payment, onPolicy(func(p *policy.Policy) { p.Lease.Duration = time.Minute }), "member-not-read", "member-not-read", "lease.duration"},
	{"heartbeat", payout, onPolicy(func(p *policy.Policy) { p.Lease.Heartbeat = time.Second }), "lease-heartbeat", "lease-heartbeat", "lease.heartbeat"},
	{"a step more", payout, onPolicy(func(p *policy.Policy) { p.Steps = []string{"check", "reserve", "transfer", "notify"} }), "steps-added", "steps-changed", "steps"},
	{"a step renamed", payout, onPolicy(func(p *policy.Policy) { p.Steps = []string{"hold", "transfer", "notify"} }), "steps-changed", "steps-changed", "steps"},
	{"steps in another order", payout, onPolicy(func(p *policy.Policy) { p.Steps = []string{"transfer", "reserve", "notify"} }), "steps-changed", "steps-changed", "steps"},
	{"a call more", payout, onPolicy(func(p *policy.Policy) {
		p.Downstream = append(p.Downstream, policy.Downstream{Name: "mailer", Step: "notify", Header: "Idempotency-Key", Format: policy.UUID5})
	}), "call-added", "call-changed", "downstream"},
	{"a call's name", payout, onPolicy(func(p *policy.Policy) { p.Downstream[0].Name = "acme" }), "call-changed", "call-changed", "downstream"},
	{"a call's header", payout, onPolicy(func(p *policy.Policy) { p.Downstream[0].Header = "X-Key" }), "call-changed", "call-changed", "downstream"},
	{"a call's format", payout, onPolicy(func(p *policy.Policy) { p.Downstream[0].Format = policy.UUID4 }), "call-changed", "call-changed", "downstream"},
	{"a call's format in other words", payout, onPolicy(func(p *policy.Policy) { p.Downstream[0].Format = policy.UUID }), "call-words", "call-words", "downstream"},

	{"status of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.Mismatch.Status = 409 }), "error-status", "error-status", "errors.mismatch.status"},
	{"status of a refusal that is not met", payment, onPolicy(func(p *policy.Policy) { p.Errors.Missing.Status = 428 }), "member-not-read", "member-not-read", "errors.missing.status"},
	{"type of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.Mismatch.Type = "https://example.com/other" }), "error-type", "error-type", "errors.mismatch.type"},
	{"no type of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.Mismatch.Type = "" }), "error-type", "error-type-added", "errors.mismatch.type"},
	{"code of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.Unavailable.Code = "704" }), "error-code-added", "error-code", "errors.unavailable.code"},
	{"title of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.InFlight.Title = "At work" }), "error-title", "error-title", "errors.inFlight.title"},
	{"header of a refusal", payment, onPolicy(func(p *policy.Policy) { p.Errors.TooLarge.Headers = []policy.HeaderValue{{Name: "A", Value: "b"}} }), "error-header-added", "error-header", "errors.tooLarge.headers"},
	{"status of an expired request", firstSentAsked, onPolicy(func(p *policy.Policy) { p.Errors.Expired.Status = 400 }), "error-status", "error-status", "errors.expired.status"},
	{"shape", payment, onPolicy(func(p *policy.Policy) { p.Errors.Shape, p.Errors.Mismatch.Type = "stripe", "idempotency_error" }), "error-shape", "error-shape", "errors.shape"},
	{"header of answers", payment, onPolicy(func(p *policy.Policy) {
		p.Answers.Headers = []policy.HeaderValue{{Name: "Idempotency-Key", Value: "{key}"}}
	}), "answer-header-added", "answer-header", "answers.headers"},

	{"a safety net", payment, onPolicy(func(p *policy.Policy) { p.Guards = []policy.Guard{net()} }), "guard-net-added", "guard-net-removed", "guard"},
	{"a rule of the business", payment, onPolicy(func(p *policy.Policy) { p.Guards = []policy.Guard{businessRule()} }), "guard-rule-added", "guard-rule-removed", "guard"},
	{"another guard", netted, onPolicy(func(p *policy.Policy) { p.Guards = []policy.Guard{businessRule()} }), "guards-changed", "guards-changed", "guard"},
	{"a guard's answer", netted, onPolicy(func(p *policy.Policy) { p.Guards[0].On = "conflict" }), "guard-answer", "guard-answer", "guard"},
	{"a guard's columns in another order", netted, onPolicy(func(p *policy.Policy) { p.Guards[0].Columns = []string{"key", "account"} }), "guard-order", "guard-order", "guard"},
	{"profile", payment, onPolicy(func(p *policy.Policy) { p.Profile = "stripe" }), "profile", "profile", "profile"},
	{"note", payment, onPolicy(func(p *policy.Policy) { p.Note = "Another." }), "note", "note", "note"},

	{"path", payment, func(op *policy.Operation) { op.Path = "/v2/payments" }, "operation-moved", "operation-moved", "path"},
	{"path of what is undecided", undecided, func(op *policy.Operation) { op.Path = "/v2/payments" }, "operation-moved-unprotected", "operation-moved-unprotected", "path"},
	{"a parameter's name", payment, func(op *policy.Operation) { op.Path = "/accounts/{id}/payments" }, "route-renamed", "route-renamed", "path"},
	{"a parameter's name without a key", undecided, func(op *policy.Operation) { op.Path = "/accounts/{id}/payments" }, "route-words", "route-words", "path"},
	{"a parameter's name where the id is made of it", unnamed, func(op *policy.Operation) { op.Path, op.ID = "/accounts/{id}/payments", "postAccountsIdPayments" }, "operation-renamed", "operation-renamed", "path"},
	{"id", payment, func(op *policy.Operation) { op.ID = "pay" }, "operation-renamed", "operation-renamed", "operationId"},
	{"id in lease mode", payout, func(op *policy.Operation) { op.ID = "pay" }, "operation-renamed-running", "operation-renamed-running", "operationId"},
	{"id that nothing counts by", accountWide, func(op *policy.Operation) { op.ID = "pay" }, "operation-words", "operation-words", "operationId"},
	{"deprecated", payment, func(op *policy.Operation) { op.Deprecated = true }, "deprecated", "deprecated", "deprecated"},
	{"a decision with a key", undecided, func(op *policy.Operation) { *op = payment() }, "promise-given", "promise-lost", "decision"},
	{"a decision with a required key", undecided, func(op *policy.Operation) { *op = payment(); op.Policy.Key.Required = true }, "key-required", "promise-lost", "decision"},
	{"natural", payment, func(op *policy.Operation) { op.Decision = policy.Natural }, "promise-changed", "promise-changed", "decision"},
	{"safe", payment, func(op *policy.Operation) { op.Decision = policy.Safe }, "promise-changed", "promise-given", "decision"},
	{"conditional", payment, func(op *policy.Operation) { op.Decision, op.Condition = policy.Conditional, "If-Match" }, "promise-changed", "promise-changed", "decision"},
	{"stated", undecided, func(op *policy.Operation) { op.Decision, op.Reason = policy.NotRepeatable, "sends a letter" }, "decision-stated", "decision-stated", "decision"},
	{"reason", natural, func(op *policy.Operation) { op.Reason = "an upsert" }, "reason", "reason", "reason"},
	{"no condition any more", conditional, func(op *policy.Operation) { op.Decision, op.Condition, op.Reason = policy.Natural, "", "a set" }, "promise-given", "promise-changed", "decision"},
	{"condition", conditional, func(op *policy.Operation) { op.Condition = "If-Unmodified-Since" }, "condition", "condition", "condition"},
	{"a request type more", payment, func(op *policy.Operation) {
		op.Shape.Body.Contents = append(op.Shape.Body.Contents, policy.Content{MediaType: "application/xml"})
	}, "request-type-added", "request-type-removed", "requestTypes"},
	{"a range instead of a request type", payment, func(op *policy.Operation) {
		op.Shape.Body.Contents = []policy.Content{{MediaType: "application/*"}}
	}, "request-type-added", "request-type-removed", "requestTypes"},
	{"the key's parameter", payment, func(op *policy.Operation) {
		op.Shape.Parameters = []policy.Parameter{{Name: "Idempotency-Key", In: "header", IsKey: true}}
	}, "key-declaration", "key-declaration", "parameters"},
}

func altered(base func() policy.Operation, change func(*policy.Operation)) func() policy.Operation {
	return func() policy.Operation {
		op := base()
		change(&op)
		return op
	}
}

var (
	withoutBody    = altered(payment, func(op *policy.Operation) { op.Policy.Store.OmitBody = true })
	uuids          = altered(payment, func(op *policy.Operation) { op.Policy.Key.Format = policy.UUID })
	short36        = altered(payment, func(op *policy.Operation) { op.Policy.Key.MaxLength = 32 })
	long37         = altered(payment, func(op *policy.Operation) { op.Policy.Key.MinLength = 37 })
	uuids4         = altered(payment, func(op *policy.Operation) { op.Policy.Key.Format = policy.UUID4 })
	inQuery        = altered(payment, func(op *policy.Operation) { op.Policy.Key.In = policy.InQuery; op.Policy.Key.Syntax = "" })
	shortInQuery   = altered(inQuery, func(op *policy.Operation) { op.Policy.Key.MinLength = 1 })
	firstSentAsked = altered(payment, func(op *policy.Operation) {
		op.Policy.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: 5 * time.Minute}
	})
	unnamed     = altered(payment, func(op *policy.Operation) { op.ID, op.IDMade = "postAccountsAccountPayments", true })
	bodiless    = altered(payment, func(op *policy.Operation) { op.Shape.Body = nil })
	including   = altered(payment, func(op *policy.Operation) { op.Policy.Fingerprint.Include = []string{"/amount", "/currency"} })
	netted      = altered(payment, func(op *policy.Operation) { op.Policy.Guards = []policy.Guard{net()} })
	accountWide = altered(payment, func(op *policy.Operation) { op.Policy.Scope = []policy.ScopePart{policy.ScopeAccount} })
	undecided   = altered(payment, func(op *policy.Operation) {
		op.Decision, op.Policy, op.Origins, op.Shape, op.DecidedAt = policy.Undecided, policy.Policy{}, nil, nil, policy.Position{}
	})
	natural     = altered(undecided, func(op *policy.Operation) { op.Decision, op.Reason = policy.Natural, "a set" })
	conditional = altered(undecided, func(op *policy.Operation) { op.Decision, op.Condition = policy.Conditional, "If-Match" })
)

// Each way in which a document changes falls under one rule, in each direction, and each rule is fallen under.
func TestCompare_P4_EachChangeAlone(t *testing.T) {
	seen := map[string]bool{}
	for _, one := range singles {
		t.Run(one.name, func(t *testing.T) {
			before, after := one.base(), one.base()
			one.change(&after)
			for _, way := range []struct {
				old, new policy.Operation
				rule     string
			}{{before, after, one.there}, {after, before, one.back}} {
				changes := Compare(document(way.old), document(way.new))
				if len(changes) != 1 {
					t.Fatalf("%d changes, want %s alone: %+v", len(changes), way.rule, changes)
				}
				c := changes[0]
				if c.Rule.ID != way.rule || c.Member != one.member || c.Operation == nil || c.Old == c.New {
					t.Errorf("%s of %s (%q -> %q), want %s of %s", c.Rule.ID, c.Member, c.Old, c.New, way.rule, one.member)
				}
				if !c.OldPos.IsValid() || !c.NewPos.IsValid() {
					t.Errorf("no place: %v, %v", c.OldPos, c.NewPos)
				}
				seen[c.Rule.ID] = true
			}
			if same := Compare(document(after), document(after)); len(same) != 0 {
				t.Errorf("a document differs from itself: %+v", same)
			}
		})
	}
	for _, one := range documentSingles {
		t.Run(one.name, func(t *testing.T) {
			before, after := document(payment()), document(payment())
			one.change(after)
			for _, way := range []struct {
				old, new *policy.Document
				rule     string
			}{{before, after, one.there}, {after, before, one.back}} {
				changes := Compare(way.old, way.new)
				if len(changes) != 1 || changes[0].Rule.ID != way.rule || one.member != "" && changes[0].Member != one.member {
					t.Errorf("want %s of %s alone: %+v", way.rule, one.member, changes)
				}
				for _, c := range changes {
					seen[c.Rule.ID] = true
				}
			}
		})
	}
	for _, r := range Rules() {
		if !seen[r.ID] {
			t.Errorf("no test falls under the rule %s", r.ID)
		}
	}
}

var documentSingles = []struct {
	name, there, back, member string
	change                    func(*policy.Document)
}{
	{"title", "page-title", "page-title", "title", func(d *policy.Document) { d.PageTitle = "Retrying" }},
	{"contact", "contact", "contact", "contact", func(d *policy.Document) { d.Contact = "api@example.com" }},
	{"docs", "docs-url", "docs-url", "docsUrl", func(d *policy.Document) { d.DocsURL = "https://example.com/retry" }},
	{"profile", "document-profile", "document-profile", "profile", func(d *policy.Document) { d.Profile = "stripe" }},
	{"an operation more", "operation-added", "operation-removed", "operation", func(d *policy.Document) { d.Operations = append(d.Operations, payout()) }},
	{"an undecided operation more", "operation-added", "operation-gone", "operation", func(d *policy.Document) {
		op := undecided()
		op.ID, op.Path = "other", "/others"
		d.Operations = append(d.Operations, op)
	}},
	{"a consumer more", "consumer-added", "consumer-removed", "consumers.audit", func(d *policy.Document) {
		d.Consumers = append(d.Consumers, policy.Consumer{Name: "audit", Event: "#/x", ID: "/id"})
	}},
	{"consumer's name", "consumer-renamed", "consumer-renamed", "", func(d *policy.Document) { d.Consumers[0].Name = "ledger" }},
	{"consumer's event", "consumer-event", "consumer-event", "consumers.settlement.event", func(d *policy.Document) { d.Consumers[0].Event = "#/x" }},
	{"consumer's id", "consumer-id", "consumer-id", "consumers.settlement.id", func(d *policy.Document) { d.Consumers[0].ID = "/event/id" }},
	{"consumer's group", "consumer-group", "consumer-group", "consumers.settlement.group", func(d *policy.Document) { d.Consumers[0].Group = "other" }},
	{"consumer's retention", "consumer-retention-longer", "consumer-retention-shorter", "consumers.settlement.retention", func(d *policy.Document) { d.Consumers[0].Retention *= 2 }},
	{"consumer's source", "consumer-source", "consumer-source", "consumers.settlement.source", func(d *policy.Document) { d.Consumers[0].Source = "sqs" }},
}

// A change of a value that another change brings along is told once.
func TestCompare_FoldsWhatComesAlong(t *testing.T) {
	before, after := payment(), payment()
	after.Policy.Errors.Shape = "stripe"
	after.Policy.Errors.Mismatch = policy.ErrorAnswer{Status: 400, Type: "idempotency_error", Title: "Used", Code: ""}
	if got := rulesOf(Compare(document(before), document(after))); got != "error-status error-shape" {
		t.Errorf("got %s", got)
	}
	after = payout()
	after.ID, after.Path = before.ID, before.Path
	if got := rulesOf(Compare(document(before), document(after))); got != "mode-lease" {
		t.Errorf("got %s", got)
	}
}

// The place of a change is where the value was written, not the operation's.
func TestCompare_Positions(t *testing.T) {
	before, after := payment(), payment()
	after.Policy.Retention = time.Hour * 48
	after.Origins = policy.Origins{{Member: "retention", Level: policy.LevelOperation, Pos: at(99)}}
	c := Compare(document(before), document(after))[0]
	if c.OldPos != at(3) || c.NewPos != at(99) || c.Old != "PT24H" || c.New != "P2D" {
		t.Errorf("%v %v %s %s", c.OldPos, c.NewPos, c.Old, c.New)
	}
	before, after = payment(), payment()
	after.Policy.Guards = []policy.Guard{businessRule()}
	c = Compare(document(before), document(after))[0]
	if c.OldPos != at(12) || c.NewPos != at(31) {
		t.Errorf("%v %v", c.OldPos, c.NewPos)
	}
}

// Operations are found again by what does not change about them.
func TestCompare_Pairs(t *testing.T) {
	first, second := payment(), payment()
	second.Path, second.ID = "/v2/payments", "createPaymentV2"
	// Both addresses are there before and after: ids that are swapped are two renamings, no move.
	swapped := []policy.Operation{first, second}
	swapped[0].ID, swapped[1].ID = second.ID, first.ID
	if got := rulesOf(Compare(document(first, second), document(swapped...))); got != "operation-renamed operation-renamed" {
		t.Errorf("got %s", got)
	}
	// A webhook of the same name is another thing.
	hook := payment()
	hook.Webhook = true
	if got := rulesOf(Compare(document(first), document(hook))); got != "operation-added operation-removed" {
		t.Errorf("got %s", got)
	}
	// A made id tells nothing.
	made := payment()
	made.ID, made.IDMade, made.Path = "postV2", true, "/v2"
	other := made
	other.Path = "/v3"
	if got := rulesOf(Compare(document(made), document(other))); got != "operation-added operation-removed" {
		t.Errorf("got %s", got)
	}
	// A GET is no matter of repetition, wherever it goes.
	get := policy.Operation{ID: "list", Method: "GET", Path: "/payments", Decision: policy.Safe}
	moved := get
	moved.Path = "/v2/payments"
	if changes := Compare(document(get), document(moved, first)); rulesOf(changes) != "operation-added" {
		t.Errorf("%+v", changes)
	}
}

func TestGrouped(t *testing.T) {
	before, after := document(payment(), payout()), document(payment(), payout())
	for i := range after.Operations {
		after.Operations[i].Policy.Note = "Another."
		after.Operations[i].Policy.Retention = time.Hour * 12
	}
	after.Operations[0].Policy.RetryWindow = time.Hour
	changes := Compare(before, after)
	groups := Grouped(changes)
	if len(changes) != 5 || len(groups) != 3 || groups[0].Rule.ID != "retention-shorter" || len(groups[0].Operations) != 2 || groups[2].Rule.ID != "note" {
		t.Errorf("%d changes, %+v", len(changes), groups)
	}
	if Count(changes, Breaking) != 2 || Count(changes, Editorial) != 2 {
		t.Error("counts")
	}
	needs := NeedsOf(changes)
	if len(needs) != 1 || needs[0].ID != "announce-retention" || len(needs[0].Operations) != 2 {
		t.Errorf("%+v", needs)
	}
}

func rulesOf(changes []Change) string {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.Rule.ID
	}
	return strings.Join(ids, " ")
}

// What is counted in another unit is no narrower where the limits make up for it, and a media type that is written in
// another way is no other type.
func TestCompare_P4_HarmlessChangesBreakNobody(t *testing.T) {
	for name, c := range map[string]struct {
		old, new func(*policy.Operation)
		want     string
	}{
		"characters to four times the bytes": {
			func(op *policy.Operation) { op.Policy.Key.In, op.Policy.Key.MaxLength = policy.InQuery, 45 },
			func(op *policy.Operation) {
				op.Policy.Key.In, op.Policy.Key.MaxLength, op.Policy.Key.LengthUnit = policy.InQuery, 180, policy.Bytes
			}, "key-unit-wider key-length-wider",
		},
		"characters to three times the bytes": {
			func(op *policy.Operation) { op.Policy.Key.In, op.Policy.Key.MaxLength = policy.InQuery, 45 },
			func(op *policy.Operation) {
				op.Policy.Key.In, op.Policy.Key.MaxLength, op.Policy.Key.LengthUnit = policy.InQuery, 179, policy.Bytes
			}, "key-unit-narrower key-length-wider",
		},
		"bytes to a quarter of the least characters": {
			func(op *policy.Operation) {
				op.Policy.Key.In, op.Policy.Key.MinLength, op.Policy.Key.LengthUnit = policy.InQuery, 8, policy.Bytes
			},
			func(op *policy.Operation) { op.Policy.Key.In, op.Policy.Key.MinLength = policy.InQuery, 2 }, "key-unit-wider key-length-wider",
		},
		"a media type in capitals": {
			func(*policy.Operation) {}, func(op *policy.Operation) { op.Shape.Body.Contents[0].MediaType = "Application/JSON" }, "",
		},
		"a media type with a charset": {
			func(*policy.Operation) {}, func(op *policy.Operation) { op.Shape.Body.Contents[0].MediaType = "application/json;charset=UTF-8" }, "",
		},
		"another parameter of a media type": {
			func(*policy.Operation) {}, func(op *policy.Operation) { op.Shape.Body.Contents[0].MediaType = "application/json;v=2" }, "request-type-removed",
		},
	} {
		before, after := payment(), payment()
		c.old(&before)
		c.new(&after)
		got := strings.Fields(rulesOf(Compare(document(before), document(after))))
		want := strings.Fields(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// An operation's id that comes or goes with its part of the scope is told of once, by the scope.
func TestCompare_P4_ANewIDIsNothingOfItsOwnBesideANewScope(t *testing.T) {
	perOperation, wide := payment(), payment()
	wide.ID, wide.Policy.Scope = "pay", []policy.ScopePart{policy.ScopePrincipal}
	for want, way := range map[string][2]policy.Operation{
		"operation-words scope-wider": {perOperation, wide}, "operation-words scope-narrower": {wide, perOperation},
	} {
		if got := rulesOf(Compare(document(way[0]), document(way[1]))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
