package report

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// Ignores is the pass that reads the //idemvet:ignore comments of a package. Whoever makes a [Reporter] requires it; so a comment that one pass obeyed (by exporting no fact) is not unused to another.
var Ignores = &analysis.Analyzer{
	Name:             "idemvetignores",
	Doc:              "read the //idemvet:ignore comments of a package",
	Run:              func(pass *analysis.Pass) (any, error) { return readComments(pass), nil },
	ResultType:       reflect.TypeFor[*Comments](),
	RunDespiteErrors: true,
}

// Comments are the directives of one package. It is safe for concurrent use.
type Comments struct {
	All  []*Ignore // in the order of files and lines
	fset *token.FileSet

	mu   sync.Mutex
	used map[use]bool
}

type use struct {
	ignore *Ignore
	name   string
}

// CommentsOf gives the directives of a pass that requires [Ignores].
func CommentsOf(pass *analysis.Pass) *Comments {
	if comments, ok := pass.ResultOf[Ignores].(*Comments); ok {
		return comments
	}
	return readComments(pass)
}

// Ignore is one directive:
//
//	//idemvet:ignore NAME[,NAME] reason
//
// It covers the line it stands on or, when it stands alone, the line below its comment; with each of them the statement or declaration that starts there, or ends there in front of it.
type Ignore struct {
	Comment *ast.Comment
	Names   []string
	Reason  string
	// Problem is why the comment has no effect; empty when it has.
	Problem string

	names token.Pos // where the list of names starts
	file  *token.File
	lines []span
}

type span struct{ first, last int }

const directivePrefix = "idemvet:"

func readComments(pass *analysis.Pass) *Comments {
	comments := &Comments{fset: pass.Fset, used: map[use]bool{}}
	for _, file := range pass.Files {
		var found []*Ignore
		for _, group := range file.Comments {
			for _, comment := range group.List {
				ignore := parseIgnore(comment)
				if ignore == nil {
					continue
				}
				ignore.file = pass.Fset.File(comment.Pos())
				line := comments.line(group.End())
				ignore.lines = []span{{line + 1, line + 1}}
				found = append(found, ignore)
			}
		}
		if len(found) > 0 {
			comments.cover(file, found)
			comments.All = append(comments.All, found...)
		}
	}
	return comments
}

// parseIgnore gives nil for a comment that is no directive of ours, and one with a Problem for a comment that was meant to be one.
func parseIgnore(comment *ast.Comment) *Ignore {
	text, isLine := strings.CutPrefix(comment.Text, "//")
	if !isLine {
		if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "/*")), directivePrefix+"ignore") {
			return &Ignore{Comment: comment, Problem: "a directive is a // comment; this one has no effect"}
		}
		return nil
	}
	rest, isDirective := strings.CutPrefix(text, directivePrefix)
	if !isDirective {
		if after, ok := strings.CutPrefix(strings.TrimSpace(text), directivePrefix+"ignore"); ok && (after == "" || isSpace(after[0])) {
			return &Ignore{Comment: comment, Problem: "a directive has no space between // and idemvet:ignore; this one has no effect"}
		}
		return nil
	}
	// A second comment on the line is not part of the reason.
	if second := strings.Index(rest, " //"); second >= 0 {
		rest = rest[:second]
	}
	verb, arguments := cutSpace(rest)
	if verb != "ignore" {
		return &Ignore{Comment: comment, Problem: "there is no directive idemvet:" + verb + "; the only one is //idemvet:ignore ANALYZER reason"}
	}
	list, reason := cutSpace(arguments)
	ignore := &Ignore{Comment: comment, Reason: strings.TrimSpace(reason)}
	switch {
	case list == "":
		ignore.Problem = "the directive names no analyzer and no reason; write //idemvet:ignore ANALYZER reason"
	case slices.Contains(strings.Split(list, ","), ""):
		ignore.Problem = "the analyzers of a directive are joined by commas without spaces, as in //idemvet:ignore retrykey,keytx reason"
	case ignore.Reason == "":
		ignore.Problem = "the directive gives no reason, so it has no effect; say after the name why the finding is wrong here"
	default:
		ignore.Names = strings.Split(list, ",")
		ignore.names = comment.Pos() + token.Pos(strings.Index(comment.Text, list))
	}
	return ignore
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' }

// cutSpace splits before and after the first run of blanks.
func cutSpace(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " \t")
	}
	return text, ""
}

// cover finds what each directive of a file covers.
func (c *Comments) cover(file *ast.File, ignores []*Ignore) {
	trailing, byLine := map[*Ignore]bool{}, map[int][]*Ignore{}
	for _, ignore := range ignores {
		line := c.line(ignore.Comment.Pos())
		byLine[line] = append(byLine[line], ignore)
	}
	starts, ends := map[int][]span{}, map[int][]span{}
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil {
			return false
		}
		if _, isComment := node.(*ast.CommentGroup); isComment {
			return false
		}
		first, last := c.line(node.Pos()), c.line(node.End())
		// A directive behind code is a directive for that line.
		for _, ignore := range byLine[last] {
			if node.End() <= ignore.Comment.Pos() {
				trailing[ignore] = true
			}
		}
		switch node := node.(type) {
		case *ast.BlockStmt, *ast.File:
			return true
		case *ast.FuncDecl:
			first = c.line(node.Type.Pos())
		case *ast.GenDecl:
			first = c.line(node.TokPos)
		case ast.Stmt, ast.Spec:
		default:
			return true
		}
		starts[first] = append(starts[first], span{first, last})
		ends[last] = append(ends[last], span{first, last})
		return true
	})
	for _, ignore := range ignores {
		line := ignore.lines[0].first
		if own := c.line(ignore.Comment.Pos()); trailing[ignore] || c.opens(file, ignore) {
			line = own
			ignore.lines = append(ignore.lines[:0], span{own, own})
			ignore.lines = append(ignore.lines, ends[own]...)
		}
		ignore.lines = append(ignore.lines, starts[line]...)
	}
}

// opens reports whether the directive stands behind the brace that opens a body, where no node ends: "for {", "func f() {", "} else {".
func (c *Comments) opens(file *ast.File, ignore *Ignore) (found bool) {
	at, line := ignore.Comment.Pos(), c.line(ignore.Comment.Pos())
	ast.Inspect(file, func(node ast.Node) bool {
		if found || node == nil || node.Pos() > at || node.End() < at {
			return false
		}
		switch node := node.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.BlockStmt:
			found = node.Lbrace < at && c.line(node.Lbrace) == line
		case *ast.CompositeLit:
			found = node.Lbrace < at && c.line(node.Lbrace) == line
		case *ast.CallExpr:
			found = node.Lparen < at && c.line(node.Lparen) == line
		case *ast.CaseClause:
			found = node.Colon < at && c.line(node.Colon) == line
		case *ast.CommClause:
			found = node.Colon < at && c.line(node.Colon) == line
		}
		return !found
	})
	return found
}

// line is the physical line, whatever //line comments say.
func (c *Comments) line(pos token.Pos) int { return c.fset.PositionFor(pos, false).Line }

// covered marks every directive for the analyzer that covers pos as used, and reports whether there is one.
func (c *Comments) covered(name string, pos token.Pos) bool {
	if len(c.All) == 0 || !pos.IsValid() {
		return false
	}
	file, line := c.fset.File(pos), c.line(pos)
	covered := false
	for _, ignore := range c.All {
		if ignore.file != file || !slices.Contains(ignore.Names, name) {
			continue
		}
		for _, lines := range ignore.lines {
			if lines.first <= line && line <= lines.last {
				covered = true
				c.mu.Lock()
				c.used[use{ignore, name}] = true
				c.mu.Unlock()
				break
			}
		}
	}
	return covered
}

// unused gives the directives for the analyzer that covered nothing so far.
func (c *Comments) unused(name string) []*Ignore {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*Ignore
	for _, ignore := range c.All {
		if slices.Contains(ignore.Names, name) && !c.used[use{ignore, name}] {
			list = append(list, ignore)
		}
	}
	return list
}

// Repair gives the fix of a comment that has a space too many; nil for other problems.
func (i *Ignore) Repair() []analysis.SuggestedFix {
	blanks := len(i.Comment.Text) - len("//") - len(strings.TrimLeft(strings.TrimPrefix(i.Comment.Text, "//"), " \t"))
	if !strings.HasPrefix(i.Comment.Text, "//") || blanks == 0 {
		return nil
	}
	start := i.Comment.Pos() + token.Pos(len("//"))
	return []analysis.SuggestedFix{{Message: "remove the space", TextEdits: []analysis.TextEdit{{Pos: start, End: start + token.Pos(blanks)}}}}
}

// removal takes one name out of a directive, and the whole comment with its line when it is the only one.
func (i *Ignore) removal(name string, content []byte) analysis.TextEdit {
	if len(i.Names) > 1 {
		start := i.names
		for at, other := range i.Names {
			end := start + token.Pos(len(other))
			if other != name {
				start = end + 1
				continue
			}
			if at == len(i.Names)-1 {
				return analysis.TextEdit{Pos: start - 1, End: end}
			}
			return analysis.TextEdit{Pos: start, End: end + 1}
		}
	}
	start, end := i.file.Offset(i.Comment.Pos()), i.file.Offset(i.Comment.End())
	if end > len(content) {
		return analysis.TextEdit{Pos: i.Comment.Pos(), End: i.Comment.End()}
	}
	for start > 0 && isSpace(content[start-1]) {
		start--
	}
	if (start == 0 || content[start-1] == '\n') && end < len(content) && content[end] == '\n' {
		end++
	}
	return analysis.TextEdit{Pos: i.file.Pos(start), End: i.file.Pos(end)}
}
