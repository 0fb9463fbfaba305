package existsinsert

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// tell reports a finding at the insert, with the look beside it.
func (in *inspection) tell(p *pair, category string, severity report.Severity, message string) {
	key := told{in.position(p.look), in.position(&look{Access: p.insert})}
	if in.told[key] {
		return
	}
	in.told[key] = true
	if p.startUp {
		severity, p.confidence = report.Info, settings.Low
	}
	finding := report.Finding{
		Pos:        p.insert.Pos,
		End:        p.insert.Call.Pos(),
		Category:   category,
		Severity:   severity,
		Confidence: p.confidence,
		Message:    message,
		Fixes:      in.fixes(p, category),
	}
	if finding.End < finding.Pos {
		finding.End = 0
	}
	if p.look.Call != p.insert.Call {
		finding.Related = append(finding.Related, analysis.RelatedInformation{Pos: p.look.Pos, Message: "the look" + way(p.look.Access)})
	}
	if len(p.insert.Path) > 0 {
		finding.Related = append(finding.Related, analysis.RelatedInformation{Pos: p.insert.Pos, Message: "the insert" + way(p.insert)})
	}
	in.report.Report(finding)
}

// way tells the functions between a call and its statement.
func way(access *storeflow.Access) string {
	if len(access.Path) == 0 {
		return ""
	}
	var steps []string
	for _, step := range access.Path {
		steps = append(steps, step.String())
	}
	return ", through " + strings.Join(steps, ", ")
}

func (in *inspection) position(l *look) string {
	return in.pass.Fset.Position(l.Pos).String()
}

// what names the rows: the table, or the entity where only that is known.
func (p *pair) what() string {
	for _, access := range []*storeflow.Access{p.insert, p.look.Access} {
		if access.Table != "" && !access.Guessed {
			return strings.TrimRight(access.Table, ":")
		}
	}
	for _, access := range []*storeflow.Access{p.insert, p.look.Access} {
		if access.Entity != "" {
			return access.Entity[strings.LastIndexByte(access.Entity, '.')+1:]
		}
	}
	if p.insert.Table != "" {
		return p.insert.Table
	}
	return "the row"
}

func list(columns []string) string { return strings.Join(columns, ", ") }

// scene is the first half of every message: what is looked up by what and where.
func (p *pair) scene() string {
	by := ""
	if len(p.look.Columns) > 0 {
		by = " by " + list(p.look.Columns)
	}
	at := p.look.in.place(p.look, p.insert)
	if p.look.Op == storeflow.Update {
		return fmt.Sprintf("%s is updated%s %s and inserted here when no row was met", p.what(), by, at)
	}
	return fmt.Sprintf("%s is looked up%s %s and inserted here when nothing was found", p.what(), by, at)
}

// place tells where the look is: a line of the same file, or the file too.
func (in *inspection) place(l *look, insert *storeflow.Access) string {
	there, here := in.pass.Fset.Position(l.Pos), in.pass.Fset.Position(insert.Pos)
	if there.Filename == here.Filename {
		return fmt.Sprintf("at line %d", there.Line)
	}
	return fmt.Sprintf("at %s:%d", filepath.Base(there.Filename), there.Line)
}

// because joins the scene, the reason and the consequence, and adds the cure.
func (p *pair) because(reason string) string {
	var b strings.Builder
	b.WriteString(p.scene())
	b.WriteString("; ")
	b.WriteString(reason)
	if p.insert.Guard.Has(storeflow.MintedKey) {
		b.WriteString(", and the primary key is minted in the insert and cannot guard")
	}
	b.WriteString(", so ")
	b.WriteString(p.consequence())
	if p.lostUpdate {
		b.WriteString(", and of two updates on the found side one is lost")
	}
	b.WriteString(". ")
	b.WriteString(p.cure())
	return b.String()
}

func (p *pair) consequence() string {
	switch p.insert.Engine {
	case storeflow.Redis:
		return "two callers at once both find no mark and both do the work"
	case storeflow.Dynamo:
		return "of two callers at once the second overwrites the item of the first"
	case storeflow.Mongo:
		return "two callers at once both insert and the document is there twice"
	}
	return "two callers at once both insert and the row is there twice"
}

func (p *pair) cure() string {
	switch p.insert.Engine {
	case storeflow.Redis:
		return "Claim the mark first with SET NX, whose answer says who won."
	case storeflow.Dynamo:
		return "Put with the condition attribute_not_exists, and read the winner's item when it fails."
	case storeflow.Mongo:
		return "Put a unique index on " + p.columns() + " and upsert with $setOnInsert, or handle the duplicate key error."
	}
	return "Put a unique index on " + p.columns() + " and let the insert decide: ON CONFLICT DO NOTHING, then look who won."
}

func (p *pair) columns() string {
	if len(p.look.Columns) == 0 {
		return "what is looked up"
	}
	return p.what() + " (" + list(p.look.Columns) + ")"
}

func (p *pair) unhandled() string {
	return fmt.Sprintf("%s; the unique rule %s stops the second of two callers at once, and nothing here tells that error apart, so a retry gets a failure instead of the row. Insert first with ON CONFLICT DO NOTHING, or read the winner's row when the unique violation comes.", p.scene(), p.verdict.where())
}

func (p *pair) unread() string {
	return fmt.Sprintf("%s; nobody reads whether ON CONFLICT left the row out, so of two callers at once the loser carries on as the winner does. Read the row count or RETURNING, and stop when no row was inserted.", p.scene())
}

func (p *pair) unreadAfterWork() string {
	return fmt.Sprintf("%s, after the work; nobody reads whether ON CONFLICT left the key out, so of two callers at once both do the work and both commit it. Insert the key first, read the row count or RETURNING, and stop when no row was inserted.", p.scene())
}

// late tells of a key that is kept when the handler has run.
func (p *pair) late(handler ssa.CallInstruction) string {
	there := p.look.in.pass.Fset.Position(handler.Pos())
	return fmt.Sprintf("%s, when the handler has run at line %d: two requests at once both find no key and both run the handler. Claim the key before it, with an insert that says who won, and keep the answer afterwards.", p.scene(), there.Line)
}

func (p *pair) ownLook() string {
	if p.insert.Guard.Has(storeflow.WhereNotExists) {
		return fmt.Sprintf("WHERE NOT EXISTS is a look before the insert into %s and locks nothing; %s, so two statements at once both insert and the row is there twice. Put a unique index on the columns it asks for and use ON CONFLICT DO NOTHING.", p.what(), p.verdict.reason(p.look))
	}
	return fmt.Sprintf("FirstOrCreate looks for %s and inserts in two statements; %s, so two callers at once both insert and the row is there twice. Put a unique index on the columns of the condition and insert with an ON CONFLICT clause.", p.what(), p.verdict.reason(p.look))
}

func (p *pair) ownLookUnhandled() string {
	how := "FirstOrCreate looks for " + p.what() + " and inserts in two statements"
	if p.insert.Guard.Has(storeflow.WhereNotExists) {
		how = "WHERE NOT EXISTS is a look before the insert into " + p.what()
	}
	return fmt.Sprintf("%s; the unique rule %s stops the second of two callers at once, and nothing here tells that error apart, so a retry gets a failure instead of the row. Use ON CONFLICT DO NOTHING, or read the winner's row when the unique violation comes.", how, p.verdict.where())
}

// reason says what the schema tells of the columns of a look.
func (v verdict) reason(l *look) string {
	switch v.Verdict {
	case schema.NotUnique:
		table := l.Table
		if v.table != "" {
			table = v.table
		}
		return fmt.Sprintf("no unique index covers %s (%s is declared at %s)", orThem(l.Columns), table, v.declared)
	case schema.NullableRule:
		return fmt.Sprintf("of the unique rule %s %s may be NULL, and NULLs are all different", v.where(), list(v.rule.Nullable))
	case schema.PartialRule:
		return fmt.Sprintf("the unique rule %s holds only where %s", v.where(), v.rule.Partial)
	}
	if l.Engine == storeflow.SQL {
		return "nothing in view keeps two callers apart"
	}
	return "nothing keeps two callers apart"
}

func orThem(columns []string) string {
	if len(columns) == 0 {
		return "what is looked up"
	}
	return list(columns)
}

// where is the place of the rule.
func (v verdict) where() string {
	if v.rule == nil || v.rule.Origin.File == "" {
		return "of the table"
	}
	return fmt.Sprintf("at %s:%d", v.rule.Origin.File, v.rule.Origin.Line)
}
