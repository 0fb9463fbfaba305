package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/analyzer"
	"github.com/idemgen/idemgen/internal/sarif"
)

// check loads packages, runs the analyzers and prints what they find.
func check(args []string, stdout, stderr io.Writer, analyzers []*analysis.Analyzer) int {
	c, code, done := parse(args, stdout, stderr, analyzers)
	if done {
		return code
	}
	graph, problems, err := analyse(c)
	if err != nil {
		fmt.Fprintln(stderr, "idemvet:", err)
		return exitFailed
	}
	for _, problem := range problems {
		fmt.Fprintln(stderr, problem)
	}
	if err := c.print(stdout, graph, problems); err != nil {
		fmt.Fprintln(stderr, "idemvet:", err)
		return exitFailed
	}
	switch {
	case len(problems) > 0:
		return exitFailed
	case c.json || c.sarif || len(findingsOf(graph)) == 0:
		return exitClean
	}
	return exitFindings
}

func (c command) print(stdout io.Writer, graph *checker.Graph, problems []string) error {
	switch {
	case c.json:
		return graph.PrintJSON(stdout)
	case c.sarif:
		return writeSARIF(stdout, sarif.SourceRoot(), c.analyzers, findingsOf(graph), problems)
	case c.github:
		return writeGitHub(stdout, sarif.SourceRoot(), findingsOf(graph))
	}
	return writeText(stdout, findingsOf(graph))
}

// analyse runs the analyzers over what the patterns name. problems are sentences about what could not be analysed; the rest was.
func analyse(c command) (*checker.Graph, []string, error) {
	config := &packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Tests: c.tests || testsAskedFor()}
	loaded, err := packages.Load(config, c.patterns...)
	if err != nil {
		return nil, nil, err
	}
	if len(loaded) == 0 {
		return nil, nil, fmt.Errorf("%s matched no packages", strings.Join(c.patterns, " "))
	}
	problems, whole := split(loaded)
	graph, err := checker.Analyze(c.analyzers, whole, nil)
	if err != nil {
		return nil, nil, err
	}
	return graph, append(problems, failures(graph)...), nil
}

// split tells what is wrong with packages, and keeps those that can be analysed.
func split(loaded []*packages.Package) (problems []string, whole []*packages.Package) {
	var skipped []string
	for _, pkg := range loaded {
		if !pkg.IllTyped && len(pkg.Errors) == 0 {
			whole = append(whole, pkg)
			continue
		}
		skipped = append(skipped, pkg.PkgPath)
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		for _, err := range pkg.Errors {
			problems = append(problems, strings.TrimPrefix(err.Error(), "-: ")) // "-" is no position
		}
	})
	slices.Sort(problems)
	problems = slices.Compact(problems)
	slices.Sort(skipped)
	if skipped = slices.Compact(skipped); len(skipped) > 0 {
		problems = append(problems, fmt.Sprintf("idemvet: not analysed, since they, or what they import, cannot be loaded or do not compile: %s", strings.Join(skipped, ", ")))
	}
	return problems, whole
}

// failures are the errors of analyzers, each told once: settings that cannot be obeyed concern every package of their module.
func failures(graph *checker.Graph) []string {
	var list []string
	for act := range graph.All() {
		if act.Err == nil || strings.HasPrefix(act.Err.Error(), "failed prerequisites: ") {
			continue
		}
		if problem := act.Analyzer.Name + ": " + act.Err.Error(); !slices.Contains(list, problem) {
			list = append(list, problem)
		}
	}
	slices.Sort(list)
	return list
}

// testsAskedFor reports whether the settings of the module around the working directory ask for test files.
func testsAskedFor() bool {
	root := sarif.Above("go.mod")
	if root == "" {
		return false
	}
	config, err := analyzer.ReadConfig(filepath.Join(root, analyzer.ConfigFile))
	return err == nil && config.Tests
}
