package templates

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// Set is a loaded set of templates. It is safe for concurrent use.
type Set struct{ root *template.Template }

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
	builtin, err := parseBuiltin()
	if err != nil {
		return nil, err
	}
	if override == nil {
		return &Set{root: builtin}, nil
	}
	entries, err := fs.ReadDir(override, ".")
	if err != nil {
		return nil, fmt.Errorf("read the templates folder: %w", err)
	}

	root, err := builtin.Clone()
	if err != nil {
		return nil, fmt.Errorf("copy the built-in templates: %w", err)
	}
	known := definedNames(builtin)
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
		if err := overlay(root, override, name, known); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Set{root: root}, nil
}

func parseBuiltin() (*template.Template, error) {
	root := template.New("").Funcs(funcs).Option("missingkey=error")
	for _, name := range Names() {
		if _, err := root.New(name).Parse(string(mustRead(name))); err != nil {
			return nil, fmt.Errorf("built-in template %s: %w", name, err)
		}
	}
	return root, nil
}

// overlay parses one of the user's files over root and refuses blocks that neither the built-in templates have nor the
// user's own file calls.
func overlay(root *template.Template, override fs.FS, name string, known []string) error {
	content, err := fs.ReadFile(override, name)
	if err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	// Parsed alone first: this tells the file's own blocks from those that root has already.
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
	if _, err := root.New(name).Parse(string(content)); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	return nil
}

// Render executes the block called name with data.
func (s *Set) Render(name string, data any) (string, error) {
	if s.root.Lookup(name) == nil {
		return "", &UnknownNameError{File: name, Known: definedNames(s.root)}
	}
	var out bytes.Buffer
	if err := s.root.ExecuteTemplate(&out, name, data); err != nil {
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
