package extension

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Check has the rules that need the whole document or the operations' interfaces: call it once every operation is resolved
// and every keyed one has its Shape. It changes nothing.
func Check(doc *policy.Document) diag.List {
	if doc == nil {
		return nil
	}
	var diags diag.List
	for _, op := range doc.Keyed() {
		if op.Shape == nil {
			continue
		}
		c := &checker{op: op}
		c.checkResponses()
		c.checkKeyInBody()
		c.checkPointers()
		c.checkStoredRequest()
		diags = append(diags, c.diags...)
	}
	return append(diags, checkUndecided(doc)...)
}

// CheckTables reports guards on tables that are not among tables, those that the migrations in the folder dir are known to
// create: a guard's migration that is run before its table is there fails.
func CheckTables(doc *policy.Document, dir string, tables []string) diag.List {
	if doc == nil {
		return nil
	}
	var diags diag.List
	for _, op := range doc.Keyed() {
		for _, guard := range op.Policy.Guards {
			if slices.ContainsFunc(tables, func(table string) bool { return policy.SameTable(table, guard.Table) }) {
				continue
			}
			hint := didYouMean(guard.Table, tables)
			if hint == "" {
				hint = "create it in a migration and generate again; where it is created elsewhere, name it under migrations.tables in idemgen.yaml"
			}
			diags = append(diags, finding(ruleGuardTable, guard.Pos, hint,
				"no migration in %s creates the table %s, so the guard's migration is not issued yet", dir, show(guard.Table)))
		}
	}
	return diags
}

// checker works on one keyed operation and its interface.
type checker struct {
	op    *policy.Operation
	diags diag.List
}

// report reports a finding where a member of the policy was set.
func (c *checker) report(rule Rule, member, hint, format string, args ...any) {
	c.reportAt(rule, c.op.MemberPosition(member), hint, format, args...)
}

func (c *checker) reportAt(rule Rule, pos policy.Position, hint, format string, args ...any) {
	if !pos.IsValid() {
		pos = c.op.MemberPosition("")
	}
	c.diags = append(c.diags, finding(rule, pos, hint, format, args...))
}

// checkResponses compares what is stored with what is documented.
func (c *checker) checkResponses() {
	for _, response := range c.op.Shape.Responses {
		for _, content := range response.Contents {
			if streams(content.MediaType) {
				c.reportAt(ruleStreaming, content.Pos, "write {none: \"why\"} in place of the decision at "+c.op.DecidedAt.String(),
					"%s answers %s with the stream %s, which has no end to store", operationName(c.op), response.Status, show(content.MediaType))
			}
		}
	}
	c.checkStoredStatuses()
	c.checkLostSuccess()
}

// streamingTypes are media types that are sent piece by piece, or without an end.
var streamingTypes = []string{"text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
	"application/jsonlines", "application/json-seq", "application/geo+json-seq", "application/stream+json", "multipart/x-mixed-replace",
	"application/grpc", "application/vnd.apple.mpegurl", "video/mp2t"}

func streams(mediaType string) bool { return slices.Contains(streamingTypes, baseType(mediaType)) }

// baseType is a media type in lower case, without its parameters.
func baseType(mediaType string) string {
	if base, _, err := mime.ParseMediaType(mediaType); err == nil {
		return base
	}
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// checkStoredStatuses looks at what this operation or its path states; a default for the whole document fits some
// operations only, and rightly so.
func (c *checker) checkStoredStatuses() {
	origin, ok := c.op.Origins.Find("store.statuses")
	if !ok || len(c.op.Shape.Responses) == 0 || layerOrder[origin.Level] < layerOrder[policy.LevelPathItem] {
		return
	}
	for i, stored := range c.op.Policy.Store.Statuses {
		if !c.documents(stored) {
			c.report(ruleStatusUnknown, entry("store.statuses", i), "document the response, or leave the status out", "store.statuses has %s, which is not among the responses of %s", stored, operationName(c.op))
		}
	}
}

// documents reports whether a stored status or class overlaps with a documented one.
func (c *checker) documents(stored string) bool {
	return slices.ContainsFunc(c.op.Shape.Responses, func(r policy.Response) bool {
		documented := strings.ToUpper(r.Status)
		switch {
		case documented == "DEFAULT" || documented == stored:
			return true
		case len(documented) != 3 || documented[0] != stored[0]:
			return false
		default:
			return documented[1:] == "XX" || stored[1:] == "XX"
		}
	})
}

// checkLostSuccess finds documented successes that transaction mode would roll back, since they are not stored.
func (c *checker) checkLostSuccess() {
	p := &c.op.Policy
	if p.Mode != policy.Transaction {
		return
	}
	for _, response := range c.op.Shape.Responses {
		code, err := strconv.Atoi(response.Status)
		if err != nil || code < 200 || code > 299 || p.Store.Statuses.Contains(code) {
			continue
		}
		c.report(ruleSuccessLost, "store.statuses", "add it to store.statuses", "%s documents %d, and store.statuses has not: such an answer undoes its work", operationName(c.op), code)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
