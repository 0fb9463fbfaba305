package parity

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sample is a text with the place that it comes from.
type sample struct{ place, text string }

// ownSamples are the statements that sqltext's own tests hold, without those with holes.
func ownSamples(t *testing.T) []sample {
	var list []sample
	for _, file := range []string{"read.txt", "write.txt", "define.txt", "lexical.txt"} {
		content, err := os.ReadFile(filepath.Join("..", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(content), "\n\n") {
			text, _, _ := strings.Cut(strings.Trim(block, "\n")+"\n", "\n---\n")
			list = append(list, sample{file, text})
		}
	}
	return list
}

// startsSQL is how a constant must start to be taken for SQL.
var startsSQL = regexp.MustCompile(`(?is)^\s*(--[^\n]*\n\s*)*(select\s.+\sfrom\s|select\s+(exists|pg_|count|1)|insert\s+(or\s+\w+\s+|ignore\s+)?into\s|replace\s+into\s|update\s+\S+.*\sset\s|delete\s+from\s|merge\s+into\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|create\s+(unique\s+)?(table|index)|alter\s+table|drop\s+(table|index))`)

// folderSamples are the SQL files and the SQL constants in Go files below a folder, each text once.
func folderSamples(t *testing.T, folder string) []sample {
	var list []sample
	seen := map[string]bool{}
	add := func(place, text string) {
		if !seen[text] {
			seen[text] = true
			list = append(list, sample{place, text})
		}
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is left out
		}
		place, _ := filepath.Rel(folder, path)
		switch filepath.Ext(path) {
		case ".sql":
			if content, err := os.ReadFile(path); err == nil && len(content) < 2<<20 {
				add(place, string(content))
			}
		case ".go":
			for _, text := range constants(path) {
				if startsSQL.MatchString(text) {
					add(place, text)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// constants gives the texts of a Go file, literals joined by + as one.
func constants(path string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		expr, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := joined(expr)
		if ok {
			list = append(list, text)
		}
		return !ok
	})
	return list
}

func joined(expr ast.Expr) (string, bool) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := joined(e.X)
		right, ok2 := joined(e.Y)
		return left + right, ok && ok2 && e.Op == token.ADD
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return "", false
}
