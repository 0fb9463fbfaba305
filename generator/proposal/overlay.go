package proposal

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Result is a starting overlay and what it comes to.
type Result struct {
	// Overlay is a whole OpenAPI Overlay 1.0.0 document, YAML, valid as it stands.
	Overlay []byte
	// Decided operations take the key that the document declares; Open ones are comments to decide; Before were decided
	// by the document itself, and are not mentioned.
	Decided, Open, Before int
}

// Generate writes the starting overlay of doc, which is what spec.Load makes of a document without one.
func Generate(doc *policy.Document) Result {
	var r Result
	var actions strings.Builder
	for i := range doc.Operations {
		op := &doc.Operations[i]
		if op.Decision != policy.Undecided && op.Decision != policy.Safe {
			r.Before++
			continue
		}
		declared := op.RequestKeys()
		switch open := whyOpen(doc, op, declared); {
		case open == nil && len(declared) == 1:
			r.Decided++
			writeDecision(&actions, op, declared[0])
		case len(op.Declared) > 0 || op.Decision == policy.Undecided:
			r.Open++
			writeOpen(&actions, op, *open)
		}
	}
	var text strings.Builder
	writeHead(&text, doc, r)
	text.WriteString(actions.String())
	r.Overlay = []byte(text.String())
	return r
}

// open is why an operation is not decided, and the action that is proposed, if there can be one.
type open struct {
	why    string
	likely advice
}

// whyOpen says why an operation is not decided by what the document declares; nil when it can be.
func whyOpen(doc *policy.Document, op *policy.Operation, declared []policy.DeclaredKey) *open {
	required := advice{decision: "required"}
	switch {
	case op.Pos.File != "" && op.Pos.File != doc.SpecFile:
		return &open{why: "it stands in another file, which an overlay's target does not reach: decide it there, at " + oneLine(op.Pos.String())}
	case len(op.Declared) == 0:
		why, likely := reasonFor(op)
		return &open{why, likely}
	case len(declared) == 0:
		return &open{"it declares one key per item of a batch (" + known(op.Declared[0]) + "), and none for the request", required}
	case len(declared) > 1:
		return &open{"it declares more than one key (" + known(declared[0]) + "; " + known(declared[1]) + "), and one of them has to be chosen", chosen(declared[0].Key)}
	case safeMethods[op.Method]:
		return &open{"it declares a key (" + known(declared[0]) + "), and a " + op.Method + " is safe to repeat without one", natural("only reads")}
	}
	return nil
}

// chosen decides for one of several keys.
func chosen(key policy.Key) advice {
	place := "name: " + quoted(key.Name)
	if key.In == policy.InBody {
		place = "pointer: " + quoted(key.Pointer)
	}
	return advice{"{key: {in: " + string(key.In) + ", " + place + "}}", "with the key that is meant"}
}

// safeMethods change nothing, RFC 9110, section 9.2.1.
var safeMethods = map[string]bool{"GET": true, "HEAD": true, "OPTIONS": true, "TRACE": true, "QUERY": true}

func known(key policy.DeclaredKey) string {
	return oneLine(key.Known) + ", " + oneLine(key.Pos.String())
}

func writeHead(text *strings.Builder, doc *policy.Document, r Result) {
	title := summary(doc.Title)
	if title == "" {
		title = "this API"
	}
	fmt.Fprintf(text, `# A start for the idempotency policy of %s: yours to edit, and never written again.
#
# Decided here, from keys that the document declares: %d. To decide, as comments below: %d.%s
# To decide one, take the "# " off its action, which has what is most likely, or write another of
#   x-idempotency: required            a key has to be sent
#   x-idempotency: optional            a request without a key runs unprotected
#   x-idempotency: {natural: "why"}    a repeat has no further effect
#   x-idempotency: {none: "why"}       a repeat is not safe, and clients are told so
#   x-idempotency: {conditional: If-Match}
#   x-idempotency: {key: {in: body, pointer: /requestId}}   the key is a member of the body
#   x-idempotency: {mode: lease}       the work calls other services: also needs steps and downstream
# Every member: https://github.com/idemgen/idemgen/blob/main/docs/extension.md
overlay: 1.0.0
info:
  title: %s
  version: 1.0.0
actions:
  # What holds for every keyed operation stands beside version, for example:
  #   profile: ietf        # or stripe: where the values start from
  #   retention: PT24H     # how long a key is remembered
  #   retryWindow: PT6H    # the longest time that any client goes on retrying; shorter than the retention
  #   key: {syntax: bare}  # takes keys that are numbers, such as 1001, which are refused otherwise unless they are quoted
  #   docsUrl: https://docs.example.com/idempotency   # where the generated page is published
  - target: $
    update:
      x-idempotency:
        version: 1
`, title, r.Decided, r.Open, before(r), scalar("Idempotency policy of "+title))
}

func before(r Result) string {
	if r.Before == 0 {
		return ""
	}
	return fmt.Sprintf("\n# Decided by the document itself, and left alone: %d.", r.Before)
}

func writeDecision(text *strings.Builder, op *policy.Operation, key policy.DeclaredKey) {
	decision := "optional"
	if key.Key.Required {
		decision = "required"
	}
	fmt.Fprintf(text, "\n  # %s\n  # Declared: %s.\n", heading(op), known(key))
	fmt.Fprintf(text, "  - target: %s\n    update:\n      x-idempotency: %s\n", scalar(op.JSONPath()), decision)
}

// writeOpen writes an action as a comment that is right once its "# " is taken off.
func writeOpen(text *strings.Builder, op *policy.Operation, o open) {
	fmt.Fprintf(text, "\n  # %s\n  # To decide: %s.\n", heading(op), o.why)
	if o.likely.decision == "" {
		return
	}
	text.WriteString("  # Most likely this")
	if o.likely.condition != "" {
		text.WriteString(", " + o.likely.condition)
	}
	fmt.Fprintf(text, ":\n  # - target: %s\n  #   update:\n  #     x-idempotency: %s\n", scalar(op.JSONPath()), o.likely.decision)
}

func heading(op *policy.Operation) string {
	name := oneLine(op.Method + " " + op.Path)
	if op.Webhook {
		name = "webhook " + name
	}
	if about := summary(op.Summary); about != "" {
		return name + ": " + about
	}
	return name
}
