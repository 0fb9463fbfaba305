package known

import (
	"go/types"
	"strings"
)

// Path cuts the major version off an import path, so that one row of a table serves all of them: "github.com/a/b/v5/c" becomes "github.com/a/b/c" and "gopkg.in/yaml.v3" becomes "gopkg.in/yaml". "v1" stays, because it is no major version of a module but an API's name.
func Path(importPath string) string {
	if rest, ok := strings.CutPrefix(importPath, "gopkg.in/"); ok {
		if dot := strings.LastIndex(rest, ".v"); dot >= 0 && isNumber(rest[dot+2:]) {
			return "gopkg.in/" + rest[:dot]
		}
		return importPath
	}
	if !strings.Contains(importPath, "/v") {
		return importPath
	}
	parts := strings.Split(importPath, "/")
	kept := parts[:0]
	for i, part := range parts {
		if i > 0 && len(part) > 1 && part[0] == 'v' && isNumber(part[1:]) && part != "v1" && part != "v0" {
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "/")
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// ID names a function as the tables do: "path.Func", and for methods of a type or of its pointer "path.Type.Method", with the path of [Path]. It is empty for a function without a package and for methods of unnamed types.
func ID(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	signature, ok := fn.Type().(*types.Signature)
	if !ok {
		return ""
	}
	path := Path(fn.Pkg().Path())
	if signature.Recv() == nil {
		return path + "." + fn.Name()
	}
	named := namedOf(signature.Recv().Type())
	if named == nil {
		return ""
	}
	return path + "." + named.Obj().Name() + "." + fn.Name()
}

// namedOf gives the named type behind a pointer or an alias, nil for any other.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// typeID names a type as the tables do: "path.Type".
func typeID(t types.Type) string {
	named := namedOf(t)
	if named == nil || named.Obj().Pkg() == nil {
		return ""
	}
	return Path(named.Obj().Pkg().Path()) + "." + named.Obj().Name()
}
