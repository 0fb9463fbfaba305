package spec

import (
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The rules of this package. Those of OpenAPI itself have the name that kin-openapi gives them, behind "openapi-".
const (
	ruleSyntax      = "syntax"               // a file is neither JSON nor YAML
	ruleNotOpenAPI  = "not-openapi"          // a file is no OpenAPI document, or of a version that is not known
	ruleDuplicate   = "duplicate-member"     // two members of one name
	ruleStructure   = "structure"            // a node has not the type that OpenAPI gives it
	ruleRemoteRef   = "remote-ref"           // a $ref to a network
	ruleOutsideRef  = "ref-outside-folder"   // a $ref to a file that may not be read
	ruleDanglingRef = "dangling-ref"         // a $ref that leads nowhere
	ruleRefLoop     = "ref-loop"             // a $ref that leads to itself
	ruleRefFile     = "ref-file"             // a $ref to a file that cannot be read
	ruleOperationID = "operation-id"         // two operations of one operationId
	ruleOverlay     = "overlay"              // an overlay that is none
	ruleOverlayMiss = "overlay-target-empty" // an overlay action that selects nothing
	ruleExample     = "example"              // an example that its schema refuses
	ruleOpenAPI     = "openapi-"             // prefix of kin-openapi's codes
)

// maxSource is the longest source line that a finding shows, in bytes; a minified file is one line of megabytes.
const maxSource = 1000

// reporter collects findings.
type reporter struct {
	src    *sources
	strict bool
	list   diag.List
}

// problem is a finding of the severity that whole-document problems have: a warning, or an error when strict.
func (r *reporter) problem(n *yaml.Node, rule, hint, format string, args ...any) {
	r.add(r.severity(), r.src.at(n), rule, hint, format, args...)
}

func (r *reporter) severity() diag.Severity {
	if r.strict {
		return diag.Error
	}
	return diag.Warning
}

func (r *reporter) fail(n *yaml.Node, rule, hint, format string, args ...any) {
	r.add(diag.Error, r.src.at(n), rule, hint, format, args...)
}

func (r *reporter) add(s diag.Severity, at policy.Position, rule, hint, format string, args ...any) {
	r.list = append(r.list, diag.Diagnostic{
		Pos: at, Rule: rule, Severity: s, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// syntax reports a file that cannot be parsed.
func (r *reporter) syntax(f *source, failure *syntaxError) {
	at := policy.Position{File: f.name, Line: failure.line, Column: failure.column}
	r.add(diag.Error, at, ruleSyntax, "", "%s", failure.message)
}

// duplicates reports members that share a name, and drops the earlier ones.
func (r *reporter) duplicates(f *source) {
	dropDuplicates(f.root, func(key, first *yaml.Node) {
		r.problem(key, ruleDuplicate, "remove one of the two", "the member %s is there already, at line %d; this one counts",
			quoteShort(key.Value), first.Line&lineMask)
	})
}

// finished is the sorted list with source lines.
func (r *reporter) finished() diag.List {
	for i := range r.list {
		d := &r.list[i]
		if d.Source != "" || d.Pos.Line == 0 {
			continue
		}
		for _, f := range r.src.files[1:] {
			if f.name != d.Pos.File {
				continue
			}
			if line := f.line(d.Pos.Line); len(line) <= maxSource {
				d.Source = line
			}
			break
		}
	}
	return r.list.Sorted()
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
