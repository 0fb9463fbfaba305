package extension

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// maxUndecided is how many undecided operations are named one by one. A document of somebody else, of which a few
// operations are used, has hundreds: there the number says more.
const maxUndecided = 20

// checkUndecided finds the POST and PATCH operations of which nothing is said (requirement H2). What the document's reader
// receives, a webhook, is the reader's to decide.
func checkUndecided(doc *policy.Document) diag.List {
	var undecided []*policy.Operation
	decided := 0
	for i := range doc.Operations {
		op := &doc.Operations[i]
		switch {
		case op.Decision == policy.Safe:
		case op.Decision != policy.Undecided, op.DecidedAt.IsValid():
			decided++
		case !op.Webhook && (op.Method == "POST" || op.Method == "PATCH"):
			undecided = append(undecided, op)
		}
	}
	if len(undecided) == 0 {
		return nil
	}
	if decided == 0 || len(undecided) > maxUndecided {
		return diag.List{summarise(doc, undecided)}
	}
	var diags diag.List
	for _, op := range undecided {
		diags = append(diags, finding(ruleUndecided, op.Pos, undecidedHint(doc, op), "%s is not decided: nothing says what a retry does", operationName(op)))
	}
	return diags
}

func summarise(doc *policy.Document, undecided []*policy.Operation) diag.Diagnostic {
	first := undecided[0]
	if len(undecided) == 1 {
		return finding(ruleUndecided, first.Pos, undecidedHint(doc, first), "%s is not decided: nothing says what a retry does", operationName(first))
	}
	return finding(ruleUndecided, first.Pos, "start with `idemgen init`, which writes an overlay with one line for each",
		"%d POST and PATCH operations are not decided, %s is the first", len(undecided), operationName(first))
}

func undecidedHint(doc *policy.Document, op *policy.Operation) string {
	decision, others := "required", `, optional, {natural: "why"} or {none: "why"}`
	var hint string
	if usable := usableKeys(op); len(usable) == 1 {
		key := usable[0].Key
		hint = "it declares a key in " + strings.ReplaceAll(describeKey(key), `"`, "") + ": "
		decision, others = requiredWord(key), ""
	}
	if len(doc.Overlays) == 0 || op.Pos.File != doc.SpecFile {
		return hint + "write x-idempotency: " + decision + others
	}
	// The document is not what its user edits.
	if others != "" {
		others = "; in place of required also" + strings.TrimPrefix(others, ",")
	}
	return fmt.Sprintf("%sadd to the actions of %s: - {target: %q, update: {x-idempotency: %s}}%s",
		hint, escape(doc.Overlays[len(doc.Overlays)-1]), op.JSONPath(), decision, others)
}

func requiredWord(key policy.Key) string {
	if key.Required {
		return "required"
	}
	return "optional"
}
