package main

import (
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/idemgen/idemgen/analyzer"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run answers a command line. The modes that x/tools owns end the process themselves.
func run(args []string, stdout, stderr io.Writer) int {
	analyzers := analyzer.Suite(analyzer.Config{})
	if has(args, "with-vet") {
		analyzers = slices.Concat(vet.Suite, analyzers)
	}
	switch {
	case isTool(args):
		sharedFlags()
		unitchecker.Main(analyzers...)
	case has(args, "fix") || has(args, "diff"):
		if has(args, "sarif") || has(args, "github") {
			return usage(stderr, "-fix and -diff change files or print a diff; they cannot be combined with -sarif and -github")
		}
		// A diff is asked for with both flags in x/tools; alone it can mean nothing else.
		if has(args, "diff") && !has(args, "fix") {
			os.Args = slices.Insert(os.Args, 1, "-fix")
		}
		sharedFlags()
		multichecker.Main(analyzers...)
	case len(args) > 0 && args[0] == "help":
		return help(stdout, stderr, analyzers, args[1:])
	}
	return check(args, stdout, stderr, analyzers)
}

// sharedFlags adds our flags to those of x/tools: what go vet passes on has to be known to it.
func sharedFlags() {
	flag.Bool("with-vet", false, withVetUsage)
	flag.String("cachekey", "", cachekeyUsage)
}

const (
	withVetUsage  = "also run the analyzers of go vet, which -vettool replaces"
	cachekeyUsage = "any text; go vet analyses anew when it changes (it does not see changes of .idemvet.yaml and *.sql files)"
)

// isTool reports whether go vet or go fix asks: for the version, the flags, or the analysis of one package.
func isTool(args []string) bool {
	return len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg") || has(args, "V") || has(args, "flags")
}

// has reports whether a boolean flag is set, wherever it stands in front of the patterns.
func has(args []string, name string) bool {
	for _, arg := range args {
		if arg == "--" || !strings.HasPrefix(arg, "-") {
			return false
		}
		flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		flag, value, _ := strings.Cut(flag, "=")
		if flag == name {
			return value != "false"
		}
	}
	return false
}

// names are the analyzers' names.
func names(analyzers []*analysis.Analyzer) []string {
	list := make([]string, len(analyzers))
	for i, a := range analyzers {
		list[i] = a.Name
	}
	return list
}
