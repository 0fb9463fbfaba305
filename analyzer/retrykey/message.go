package retrykey

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/report"
)

// Categories, as doc.go tells of them.
const (
	mintInLoop      = "mint-in-retry-loop"
	mintInCallback  = "mint-in-retry-callback"
	mintBelowRetry  = "mint-below-retry"
	attemptInKey    = "attempt-in-key"
	mintInRecursion = "mint-in-recursion"
	mintInHandler   = "mint-in-at-least-once-handler"
)

func (m *mistake) category() string {
	switch {
	case m.region.Kind == keyflow.Handler:
		return mintInHandler
	case m.own != nil:
		return mintBelowRetry
	case m.origin.Quality == keyflow.Counter:
		return attemptInKey
	case m.region.Kind == keyflow.Callback:
		return mintInCallback
	case m.region.Kind == keyflow.Recursion:
		return mintInRecursion
	}
	return mintInLoop
}

// finding puts a mistake into words.
func (m *mistake) finding(s *syntax, fixes []analysis.SuggestedFix) report.Finding {
	node := s.nodeAt(m.at)
	f := report.Finding{
		Pos: node.Pos(), End: node.End(), Category: m.category(), Severity: report.Error, Confidence: m.confidence,
		Message: m.message(s), Related: m.related(s, node), Fixes: fixes,
	}
	if m.region.Kind == keyflow.Handler {
		f.Severity = report.Warning // the engine may be set up to try once
	}
	return f
}

func (m *mistake) message(s *syntax) string {
	again, cure := m.again(s)
	switch {
	case m.own != nil:
		return fmt.Sprintf("%s mints the idempotency key that it sends (%s) and is called anew %s, so a retry after a lost answer is a second operation. %s and hand it down.", m.callee(), m.way(), again, cure)
	case m.origin.Quality == keyflow.Counter:
		return fmt.Sprintf("%s has the number of the attempt in it, so it is another one %s and a retry after a lost answer is a second operation. Make the key of what stays the same.", m.what(), again)
	}
	through := ""
	if len(m.origin.Path) > 0 {
		through = fmt.Sprintf(" (%s)", strings.Join(m.origin.Path, ", "))
	}
	key := "the idempotency key"
	if m.send != nil {
		key += " (" + strings.TrimPrefix(m.send.What, "the key ") + ")"
	}
	return fmt.Sprintf("%s is minted%s anew %s, so a retry after a lost answer is a second operation. %s.", key, through, again, cure)
}

// way leads from what is called to the mint. What is called is named already, so that its own step is a place alone.
func (m *mistake) way() string {
	steps := slices.Clone(m.own.Path)
	if len(steps) > 0 {
		if place, ok := strings.CutPrefix(steps[0], m.callee()+" ("); ok {
			steps[0] = strings.TrimSuffix(place, ")")
		}
	}
	return strings.Join(steps, ", ")
}

func (m *mistake) callee() string {
	if m.send != nil {
		return m.send.What
	}
	if f := m.region.Callee.Func; f != nil {
		return f.Name()
	}
	return "this function"
}

func (m *mistake) what() string {
	if m.send == nil {
		return "the key"
	}
	return m.send.What
}

// again says when the code runs again, and what to do about it.
func (m *mistake) again(s *syntax) (when, cure string) {
	line := s.line(m.region.Pos)
	switch m.region.Kind {
	case keyflow.Callback:
		return fmt.Sprintf("each time %s at line %d tries", m.region.Name, line), "Mint the key before the retries start"
	case keyflow.Recursion:
		return fmt.Sprintf("each time the function calls itself at line %d", line), "Mint the key in the caller"
	case keyflow.Handler:
		return fmt.Sprintf("each time %s delivers the same message or task again", m.region.Name), "Derive the key from the message's id"
	}
	return fmt.Sprintf("in every turn of the retry loop at line %d", line), "Mint the key before the loop"
}

func (m *mistake) related(s *syntax, at ast.Node) []analysis.RelatedInformation {
	var related []analysis.RelatedInformation
	region := s.nodeAt(m.region.Pos)
	related = append(related, analysis.RelatedInformation{Pos: region.Pos(), End: region.Pos(), Message: m.retries()})
	if m.send != nil {
		if send := s.nodeAt(m.send.Pos()); send.Pos() != at.Pos() {
			related = append(related, analysis.RelatedInformation{Pos: send.Pos(), End: send.End(), Message: "here it becomes the key"})
		}
	}
	return related
}

func (m *mistake) retries() string {
	switch m.region.Kind {
	case keyflow.Callback:
		return m.region.Name + " tries again"
	case keyflow.Recursion:
		return "the function calls itself"
	case keyflow.Handler:
		return m.region.Name + " delivers again"
	}
	return "this loop retries"
}
