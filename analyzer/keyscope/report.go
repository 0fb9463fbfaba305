package keyscope

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Categories, each a heading of the page.
const (
	unscopedLookup = "unscoped-lookup"
	unscopedClaim  = "unscoped-claim"
)

// report tells of the look-ups of a function, one for each table.
func (c *checker) report(fn *ssa.Function, reporter *report.Reporter) {
	told := map[string]bool{}
	for _, found := range c.summaries[fn].lookups {
		if told[found.Table] || c.sends(fn) {
			continue
		}
		grade, severity := c.grade(found)
		told[found.Table] = true
		category := unscopedLookup
		if found.Claim {
			category = unscopedClaim
		}
		finding := report.Finding{Pos: found.pos, Category: category, Severity: severity, Confidence: grade, Message: c.message(found)}
		if found.key.at.IsValid() {
			finding.Related = append(finding.Related, analysis.RelatedInformation{Pos: found.key.at, End: found.key.at, Message: "the key is read here"})
		}
		if pos, ok := c.owned[found.Table]; ok {
			finding.Related = append(finding.Related, analysis.RelatedInformation{Pos: pos, End: pos, Message: "records are written with their owner here"})
		}
		reporter.Report(finding)
	}
}

// grade weighs what speaks for more than one caller. A service for a single one is common, and for it the key alone is right.
func (c *checker) grade(found *lookup) (settings.Confidence, report.Severity) {
	weight := 0
	if found.key.request {
		weight += 2
	}
	if found.direct && found.key.named {
		weight++
	}
	if _, ok := c.owned[found.Table]; ok && (found.key.request || found.direct && found.key.named) {
		weight++
	}
	if found.key.request && c.knowsOwners() {
		weight++
	}
	switch {
	case weight >= 3:
		return settings.High, report.Warning
	case weight == 2:
		return settings.Medium, report.Warning
	}
	return settings.Low, report.Info
}

func (c *checker) message(found *lookup) string {
	path := ""
	if len(found.Path) > 1 {
		path = " The statement is in " + strings.Join(found.Path[1:], " > ") + "."
	}
	if found.Column == "" {
		verb := "looked up"
		if found.Claim {
			verb = "claimed"
		}
		return fmt.Sprintf("the record %q in Redis is %s by the key alone, which the client has chosen: a client that sends the key of another one is given that one's answer, or is refused for it. Put the tenant or account in front of the key.%s",
			found.Table, verb, path)
	}
	if found.Claim {
		return fmt.Sprintf("a key of %s is claimed by %s alone, which the client has chosen: two clients with the same key are taken for one, and the second is given the first one's answer. Claim by tenant or account and key, with a unique index on both.%s",
			found.Table, found.Column, path)
	}
	return fmt.Sprintf("a record of %s is looked up by %s alone, which the client has chosen: a client that sends the key of another one is given that one's answer. Look up by tenant or account and key.%s",
		found.Table, found.Column, path)
}

// sends reports whether a function sends a key: then the records are of the keys that it has sent.
func (c *checker) sends(fn *ssa.Function) bool {
	for _, call := range program.Calls(fn) {
		switch calleeName(call.Common()) {
		case "Set", "Add", "SetHeader", "SetIdempotencyKey":
			for _, arg := range call.Common().Args {
				if name, ok := stringOf(arg); ok && c.names.IsKey(name) {
					return true
				}
			}
		}
	}
	return false
}

// export tells other packages what a function looks up by its parameters.
func (c *checker) export(fn *ssa.Function) {
	object, ok := fn.Object().(*types.Func)
	if !ok || fn.Parent() != nil {
		return
	}
	if list := c.summaries[fn].public(fn); len(list) > 0 {
		c.pass.ExportObjectFact(object, &LooksUp{List: list})
	}
}
