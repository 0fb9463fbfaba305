package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/generator/proposal"
	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

// operation looks at one operation.
func (a *auditor) operation(i int, does effect.Effect) {
	op, f := &a.doc.Operations[i], &a.of[i]
	switch op.Decision {
	case policy.Keyed:
		f.policy(op, does)
	case policy.Conditional:
		f.condition(op)
	case policy.Undecided:
		if !op.Webhook {
			a.undecided(op, f, does)
		}
	case policy.Safe:
		f.safe(op)
	}
	if op.Decision != policy.Keyed && !op.Webhook {
		f.relative(op, does)
		f.retried(op, does)
	}
	for _, key := range op.RequestKeys() {
		f.minted(op, key)
	}
}

// undecided is for a POST or PATCH, or another method that may do something twice, of which nothing is said.
func (a *auditor) undecided(op *policy.Operation, f *findings, does effect.Effect) {
	proposed := proposal.For(a.doc, op)
	who := name(op.Method, op.Path, op.Webhook)
	hint := "write x-idempotency: " + proposed.Decision
	if proposed.Condition != "" {
		hint += ", " + proposed.Condition
	}
	declared := op.RequestKeys()
	switch {
	case len(declared) == 1:
		f.add(ruleUndecidedDeclared, op.Pos, proposed.Action, hint,
			fmt.Sprintf("%s declares a key, %s, and nothing says what it promises", who, describe(declared[0].Key)))
		for _, d := range extension.CheckDeclared(declared[0]) {
			f.list = append(f.list, Finding{Diagnostic: d})
		}
	case len(declared) > 1:
		f.add(ruleUndecidedDeclared, op.Pos, proposed.Action, hint,
			fmt.Sprintf("%s declares %d keys, %s and %s, and nothing says which one counts", who, len(declared), describe(declared[0].Key), describe(declared[1].Key)))
	case batchKey(op) != nil:
		f.add(ruleUndecided, op.Pos, proposed.Action, hint,
			fmt.Sprintf("%s is not decided: it declares a key for each item of a batch, %s, and none for the request", who, describe(batchKey(op).Key)))
	case does.Kind == effect.Read:
		f.add(ruleUndecidedRead, op.Pos, proposed.Action, hint, fmt.Sprintf("%s is not decided: %s", who, does.Why))
	default:
		f.add(ruleUndecided, op.Pos, proposed.Action, hint+a.conditional(op), fmt.Sprintf("%s is not decided: %s", who, does.Why))
	}
	f.streams(op, does)
}

// conditional adds the other way to make a PATCH safe, where the document has what it takes (requirement H4).
func (a *auditor) conditional(op *policy.Operation) string {
	if hasHeader(op, "If-Match") {
		return ", or {conditional: If-Match}, which it takes already"
	}
	return ""
}

// streams tells of an answer that cannot be stored, before somebody decides for a key in vain (requirement R6).
func (f *findings) streams(op *policy.Operation, does effect.Effect) {
	if does.Kind == effect.Read {
		return
	}
	for _, answer := range op.Outline.Answers {
		for _, mediaType := range answer.MediaTypes {
			if strings.HasPrefix(answer.Status, "2") && extension.Streams(mediaType) {
				f.add(Rule{ID: "streaming-response", Severity: diag.Info}, answer.Pos, "", "write {none: \"why\"}, or make it in two operations: one that starts the work, with a key, and one that streams",
					fmt.Sprintf("%s can answer %s with a stream, which has no end to store: as long as it can, it cannot have a key", name(op.Method, op.Path, op.Webhook), plain(answer.Status)))
				return
			}
		}
	}
}

// safe is for a method that is idempotent by itself and has a key all the same (requirement H1).
func (f *findings) safe(op *policy.Operation) {
	for _, key := range op.RequestKeys() {
		f.add(Rule{ID: "safe-method", Severity: diag.Info}, op.Pos, "", "keep the key where clients may send it to more than one address; else leave it out",
			fmt.Sprintf("%s declares a key, %s, and %s is idempotent by RFC 9110, section 9.2.2", name(op.Method, op.Path, op.Webhook), describe(key.Key), op.Method))
		return
	}
}

// condition looks for the header of a conditional operation (requirement H4).
func (f *findings) condition(op *policy.Operation) {
	if hasHeader(op, op.Condition) {
		return
	}
	f.add(ruleCondition, op.DecidedAt, fmt.Sprintf("parameters:\n  - {name: %s, in: header, required: true, schema: {type: string}}\n", strconv.Quote(plain(op.Condition))),
		"add it to the operation's parameters", fmt.Sprintf("%s is said to be made safe by %s, which is not among its parameters", name(op.Method, op.Path, op.Webhook), plain(op.Condition)))
}

func hasHeader(op *policy.Operation, name string) bool {
	return slices.ContainsFunc(op.Outline.Headers, func(header string) bool { return strings.EqualFold(header, name) })
}

// relative is for a change that depends on what was there, and has no key (requirement H5). Methods count for nothing
// here: a PUT that adds ten adds ten again.
func (f *findings) relative(op *policy.Operation, does effect.Effect) {
	if does.Kind != effect.Relative || op.Decision == policy.NotRepeatable || op.Decision == policy.Conditional || op.Method == "GET" || op.Method == "DELETE" {
		return
	}
	if len(op.RequestKeys()) > 0 {
		return
	}
	f.add(ruleRelative, does.Pos, proposal.Action(op, "required"), "write x-idempotency: required, or let it set the value that is meant",
		fmt.Sprintf("%s declares no key, and %s", name(op.Method, op.Path, op.Webhook), does.Why))
}

// retried is for what generated clients repeat by themselves, by the document's own word.
func (f *findings) retried(op *policy.Operation, does effect.Effect) {
	r := op.Outline.Retries
	if r == nil || r.Off || !mayRepeat(op.Method) || len(op.RequestKeys()) > 0 || does.Kind == effect.Read {
		return
	}
	if op.Decision != policy.Undecided && op.Decision != policy.NotRepeatable {
		return
	}
	f.add(ruleRetried, r.Pos, proposal.Action(op, "required"), fmt.Sprintf("write x-idempotency: required, or switch %s off for this operation", r.Member),
		fmt.Sprintf("%s makes generated clients repeat %s, which declares no key", r.Member, name(op.Method, op.Path, op.Webhook)))
}

// minted is for a key whose schema shows that it is made of something that is known, or comes again (mistake M8).
func (f *findings) minted(op *policy.Operation, key policy.DeclaredKey) {
	var of string
	switch key.SchemaFormat {
	case "date", "date-time", "time", "unix-time", "timestamp":
		of = "a time"
	case "email", "idn-email":
		of = "an e-mail address"
	case "phone", "ssn", "ipv4", "ipv6":
		of = "personal data"
	default:
		return
	}
	f.add(ruleMinted, key.Pos, "schema: {type: string, format: uuid}\n", "let clients draw it at random, as a UUID",
		fmt.Sprintf("the key of %s, %s, is %s by its schema, which others can guess or which comes again", name(op.Method, op.Path, op.Webhook), describe(key.Key), of))
}
