package weakkey

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// ofConstant tells of a literal that is the key of every call.
func ofConstant(send *keyflow.Send, p parts) *report.Finding {
	text := literal(p)
	if text == "" || !isValue(text) || runsOnce(send.Fn) || describes(send.At) {
		return nil
	}
	return &report.Finding{
		Pos: send.Pos(), Category: "constant-key", Severity: report.Error, Confidence: settings.Medium,
		Message: subject(send) + fmt.Sprintf(" is the same for every call: %q, so every operation after the first is answered with the first one's result and never done. ", text) + cure,
	}
}

// literal gives the one text that the key is; "" when it is one of several.
func literal(p parts) string {
	text := ""
	for _, origin := range p.constant {
		one, ok := program.Text(origin.At)
		if _, isConst := origin.At.(*ssa.Const); !isConst || !ok {
			continue
		}
		if text != "" && text != one && !p.hashed {
			return ""
		}
		text = one
	}
	return text
}

// isValue tells a key from what is said of keys: the name of a header or column, a template, a sentence.
func isValue(text string) bool {
	return !names.IsKey(text) && !strings.Contains(strings.ToLower(text), "idempoten") && !strings.ContainsAny(text, "%{}$<>* ")
}

// runsOnce reports whether a function is part of a program or of what runs before one: there a call is made once, and a literal is as good as an id. What helps tests is left alone as well.
func runsOnce(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg == nil {
		return false
	}
	name := fn.Pkg.Pkg.Name()
	if name == "main" || fn.Signature.Recv() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")) {
		return true
	}
	for _, word := range []string{"test", "mock", "fake", "fixture"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// describes reports whether a member or an entry is about keys, and is none: the column of a table, the type of a parameter.
func describes(at ssa.Instruction) bool {
	switch at := at.(type) {
	case *ssa.MapUpdate:
		named, ok := types.Unalias(at.Map.Type()).(*types.Named)
		return !ok || named.Obj().Name() != "Header"
	case *ssa.Store:
		address, ok := at.Addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		named, ok := types.Unalias(pointedTo(address.X.Type())).(*types.Named)
		if !ok {
			return true // a struct without a name is a list of names more often than a request
		}
		name := strings.ToLower(named.Obj().Name())
		for _, suffix := range []string{"columns", "fields", "names", "headers", "schema", "config", "settings"} {
			if strings.HasSuffix(name, suffix) {
				return true
			}
		}
	}
	return false
}
