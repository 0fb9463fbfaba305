package existsinsert

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// startUpName are functions that fill tables before a program serves, or once by hand: one caller at a time.
var startUpName = pattern.New(`(?i)seed|migrat|bootstrap|^init((?-i:[A-Z_0-9])|$|iali[sz])|^setup|fixture|backfill|populate|^ensure_?(default|admin|root|system)|(create|insert|add|load|install|import)_?(default|initial|builtin|demo|sample|test)|^main$|first_?run`)

var startUpFolder = map[string]bool{
	"migration": true, "migrations": true, "migrate": true, "seed": true, "seeds": true, "seeder": true, "seeders": true, "bootstrap": true,
	"fixture": true, "fixtures": true, "setup": true, "install": true, "examples": true, "example": true, "testutil": true, "testutils": true,
}

// migrationTable are the tables in which migration tools keep what they have applied.
var migrationTable = pattern.New(`migration|schema_(version|history)|changelog$`)

// atStartUp reports whether a function runs before others can run beside it, by its name, its file or its package.
func (in *inspection) atStartUp(fn *ssa.Function) bool {
	for _, around := range outer(fn) {
		if around.Parent() == nil && startUpName.MatchString(around.Name()) {
			return true
		}
	}
	if definesTables(fn) {
		return true
	}
	for _, element := range strings.Split(in.pass.Pkg.Path(), "/") {
		if startUpFolder[element] {
			return true
		}
	}
	file := filepath.Base(in.pass.Fset.Position(fn.Pos()).Filename)
	return startUpFolder[strings.TrimSuffix(file, ".go")]
}

// definesTables reports whether a function runs CREATE TABLE: it sets up what it then fills.
func definesTables(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			call, ok := instruction.(*ssa.Call)
			if !ok {
				continue
			}
			for _, arg := range call.Call.Args {
				text, ok := program.Text(arg)
				if ok && createTable.MatchString(text) {
					return true
				}
			}
		}
	}
	return false
}

var createTable = pattern.New(`(?i)^\s*create\s+(temp\w*\s+|unlogged\s+)?table\b`)
