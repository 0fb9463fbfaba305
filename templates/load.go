package templates

import (
	"bytes"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// Set is a loaded set of templates. It is safe for concurrent use.
type Set struct {
	// text are the SQL and the Markdown; web are the files of HTML, in which every value is escaped for its place.
	text *template.Template
	web  *htmltemplate.Template
}

// htmlSuffix is how the name of a template of HTML ends.
const htmlSuffix = ".html" + suffix

// UnknownNameError says that an override replaces something that does not exist, which would otherwise be ignored
// without a word.
type UnknownNameError struct {
	// File is the user's file; Block is the {{define}} in it, empty when the file itself is unknown.
	File, Block string
	// Known are the names that exist, sorted.
	Known []string
}

func (e *UnknownNameError) Error() string {
	if e.Block != "" {
		return fmt.Sprintf("template %s: nothing uses the block %q; the blocks are %s", e.File, e.Block, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("template %s: there is no template of that name; the names are %s", e.File, strings.Join(e.Known, ", "))
}

// Load returns the built-in templates with those of override laid over them. override is a flat folder, or nil. A file in
// it replaces the built-in file of its name; a file that holds {{define}} blocks only replaces just those. A block that
// no template knows is an error, as is a file whose name ends in .tmpl and is not a template's: most likely it is
// misspelt. Files of any other kind are left alone.
func Load(override fs.FS) (*Set, error) {
	set, err := parseBuiltin()
	if err != nil || override == nil {
		return set, err
	}
	entries, err := fs.ReadDir(override, ".")
	if err != nil {
		return nil, fmt.Errorf("read the templates folder: %w", err)
	}
	known := map[bool][]string{true: set.names(htmlSuffix), false: set.names(suffix)}
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || path.Ext(name) != suffix {
			continue
		}
		if !slices.Contains(Names(), name) {
			errs = append(errs, &UnknownNameError{File: name, Known: Names()})
			continue
		}
		if err := set.overlay(override, name, known[isHTML(name)]); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return set, nil
}

func isHTML(name string) bool { return strings.HasSuffix(name, htmlSuffix) }

// parse adds a file to the templates of its kind, or replaces its blocks in them.
func (s *Set) parse(name, content string) error {
	var err error
	if isHTML(name) {
		_, err = s.web.New(name).Parse(content)
	} else {
		_, err = s.text.New(name).Parse(content)
	}
	return err
}

// names are the files and blocks of the kind that a file is of, sorted.
func (s *Set) names(file string) []string {
	if !isHTML(file) {
		return definedNames(s.text)
	}
	var names []string
	for _, one := range s.web.Templates() {
		if one.Name() != "" && one.Tree != nil {
			names = append(names, one.Name())
		}
	}
	slices.Sort(names)
	return names
}

func parseBuiltin() (*Set, error) {
	set := &Set{
		text: template.New("").Funcs(funcs).Option("missingkey=error"),
		web:  htmltemplate.New("").Funcs(htmltemplate.FuncMap(funcs)).Option("missingkey=error"),
	}
	for _, name := range Names() {
		if err := set.parse(name, string(mustRead(name))); err != nil {
			return nil, fmt.Errorf("built-in template %s: %w", name, err)
		}
	}
	return set, nil
}

// overlay parses one of the user's files over the built-in ones and refuses blocks that neither the built-in templates of
// its kind have nor the user's own file calls.
func (s *Set) overlay(override fs.FS, name string, known []string) error {
	content, err := fs.ReadFile(override, name)
	if err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	// Parsed alone first: this tells the file's own blocks from those that are there already.
	alone, err := template.New(name).Funcs(funcs).Parse(string(content))
	if err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	called := calledNames(alone)
	for _, block := range definedNames(alone) {
		if !slices.Contains(known, block) && !slices.Contains(called, block) {
			return &UnknownNameError{File: name, Block: block, Known: blocksOnly(known)}
		}
	}
	if err := s.parse(name, string(content)); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	return nil
}

// Render executes the file or block called name with data. What a block of HTML prints is escaped for its place, unless it
// is HTML by its type. An error of a template names file and line.
func (s *Set) Render(name string, data any) (string, error) {
	var out bytes.Buffer
	var err error
	switch {
	case s.text.Lookup(name) != nil:
		err = s.text.ExecuteTemplate(&out, name, data)
	case s.web.Lookup(name) != nil:
		err = s.web.ExecuteTemplate(&out, name, data)
	default:
		return "", &UnknownNameError{File: name, Known: append(s.names(suffix), s.names(htmlSuffix)...)}
	}
	if err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return out.String(), nil
}

func definedNames(t *template.Template) []string {
	var names []string
	for _, one := range t.Templates() {
		if one.Name() != "" && one.Tree != nil {
			names = append(names, one.Name())
		}
	}
	slices.Sort(names)
	return names
}

func blocksOnly(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return path.Ext(name) == suffix })
}

// calledNames are the templates that t's blocks call with {{template}} or {{block}}.
func calledNames(t *template.Template) []string {
	var names []string
	for _, one := range t.Templates() {
		if one.Tree != nil {
			names = appendCalls(names, one.Root)
		}
	}
	return names
}

func appendCalls(names []string, node parse.Node) []string {
	switch node := node.(type) {
	case *parse.TemplateNode:
		return append(names, node.Name)
	case *parse.ListNode:
		if node == nil {
			return names
		}
		for _, child := range node.Nodes {
			names = appendCalls(names, child)
		}
	case *parse.IfNode:
		return appendBranch(names, &node.BranchNode)
	case *parse.RangeNode:
		return appendBranch(names, &node.BranchNode)
	case *parse.WithNode:
		return appendBranch(names, &node.BranchNode)
	}
	return names
}

func appendBranch(names []string, branch *parse.BranchNode) []string {
	return appendCalls(appendCalls(names, branch.List), branch.ElseList)
}
