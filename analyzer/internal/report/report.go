package report

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Finding is one thing to tell.
type Finding struct {
	Pos, End   token.Pos
	Category   string // stable, kebab-case, documented in the analyzer's doc.go: "mint-in-retry-loop"
	Severity   Severity
	Confidence settings.Confidence
	// Message has two sentences: what is there and what it costs, naming the thing; then the cure. The grade is appended.
	Message string
	Related []analysis.RelatedInformation
	Fixes   []analysis.SuggestedFix
}

// UnusedIgnore is the category of a directive that ruled out nothing.
const UnusedIgnore = "unused-ignore"

// Reporter belongs to one pass and is not safe for concurrent use.
type Reporter struct {
	pass     *analysis.Pass
	config   *settings.Config
	name     string // the analyzer whose directives count
	comments *Comments
	told     map[told]bool
}

// told is what makes two findings the same one.
type told struct {
	pos               token.Pos
	category, message string
}

// New makes the reporter of an analyzer. The pass should require [Ignores]. Make it, and defer [Reporter.Close], before the gate: a directive in a package that can have no finding is unused as well.
func New(pass *analysis.Pass, config *settings.Config) *Reporter {
	return NewFor(pass, config, pass.Analyzer.Name)
}

// NewFor makes a reporter that obeys the directives for another analyzer: for a pass whose facts become that analyzer's findings. It is not closed.
func NewFor(pass *analysis.Pass, config *settings.Config, name string) *Reporter {
	return &Reporter{pass: pass, config: config, name: name, comments: CommentsOf(pass), told: map[told]bool{}}
}

// Ignored reports whether a directive for this analyzer covers pos, and counts it as used. A pass that exports facts asks it, so that a comment where a helper is written silences what callers in other packages would be told.
func (r *Reporter) Ignored(pos token.Pos) bool { return r.comments.covered(r.name, pos) }

// Report tells a finding, unless a directive at its position, the confidence asked for, or the kind of file (tests, unless asked for) rules it out. Fixes in generated files are left out. The same finding is told once.
//
// Findings that are ruled out are to be reported all the same: that is how a directive is known to be used.
func (r *Reporter) Report(f Finding) {
	if r.Ignored(f.Pos) || !f.Confidence.AtLeast(r.config.MinConfidence) || r.skips(f.Pos) {
		return
	}
	key := told{f.Pos, f.Category, f.Message}
	if r.told[key] {
		return
	}
	r.told[key] = true
	pos, end := r.place(f.Pos, f.End)
	r.pass.Report(analysis.Diagnostic{
		Pos: pos, End: end, Category: f.Category, URL: CategoryURL(r.pass.Analyzer, f.Category),
		Message: r.grade(f.Severity, f.Confidence).With(f.Message),
		Related: r.places(f.Related), SuggestedFixes: r.applicable(f.Fixes),
	})
}

func (r *Reporter) grade(severity Severity, confidence settings.Confidence) Grade {
	return Grade{r.pass.Analyzer.Name, severity, confidence}
}

// CategoryURL is the place in an analyzer's page that tells of a category.
func CategoryURL(a *analysis.Analyzer, category string) string { return a.URL + "#" + category }

// Close reports directives that name this analyzer and covered nothing. Test files that are not looked into are left out, for nothing is known of their directives.
func (r *Reporter) Close() {
	for _, ignore := range r.comments.unused(r.name) {
		pos := ignore.Comment.Pos()
		if r.skips(pos) {
			continue
		}
		fix := []analysis.SuggestedFix(nil)
		if content, err := r.pass.ReadFile(r.pass.Fset.PositionFor(pos, false).Filename); err == nil {
			fix = r.applicable([]analysis.SuggestedFix{{Message: "remove it", TextEdits: []analysis.TextEdit{ignore.removal(r.name, content)}}})
		}
		r.pass.Report(analysis.Diagnostic{
			Pos: pos, End: ignore.Comment.End(), Category: UnusedIgnore, URL: CategoryURL(r.pass.Analyzer, UnusedIgnore),
			Message:        r.grade(Warning, settings.High).With(r.name + " has nothing to report here, so this directive would only hide what comes later. Remove it."),
			SuggestedFixes: fix,
		})
	}
}

// skips reports whether pos is in a test file that nobody asked for.
func (r *Reporter) skips(pos token.Pos) bool {
	return !r.config.Tests && strings.HasSuffix(r.pass.Fset.PositionFor(pos, false).Filename, "_test.go")
}

// applicable leaves out fixes that would change a generated file: the next generation would undo them.
func (r *Reporter) applicable(fixes []analysis.SuggestedFix) []analysis.SuggestedFix {
	var kept []analysis.SuggestedFix
	for _, fix := range fixes {
		generated := false
		for _, edit := range fix.TextEdits {
			generated = generated || r.generated(edit.Pos)
		}
		if !generated {
			kept = append(kept, fix)
		}
	}
	return kept
}

func (r *Reporter) generated(pos token.Pos) bool {
	file := r.file(pos)
	return file != nil && ast.IsGenerated(file)
}
