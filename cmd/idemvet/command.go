package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Exit codes.
const (
	exitClean    = 0
	exitFailed   = 1
	exitUsage    = 2
	exitFindings = 3
)

// command is what a command line asks for.
type command struct {
	json, sarif, github bool
	tests               bool
	patterns            []string
	analyzers           []*analysis.Analyzer
}

// parse reads the flags; done is true when they have been answered already.
func parse(args []string, stdout, stderr io.Writer, analyzers []*analysis.Analyzer) (c command, code int, done bool) {
	flags := flag.NewFlagSet("idemvet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.json, "json", false, "write JSON, in the form of go vet -json; findings then do not make the command fail")
	flags.BoolVar(&c.sarif, "sarif", false, "write SARIF 2.1.0; findings then do not make the command fail")
	flags.BoolVar(&c.github, "github", false, "write annotations for GitHub Actions")
	flags.BoolVar(&c.tests, "test", false, "load test files too, and report in them where the settings say tests: true")
	flags.Bool("fix", false, "change files: apply the fixes that are offered")
	flags.Bool("diff", false, "print the changes that -fix would make, as a diff")
	flags.Bool("with-vet", false, withVetUsage)
	flags.String("cachekey", "", "for go vet -vettool only: "+cachekeyUsage)
	version := flags.Bool("version", false, "print the version")
	chosen := map[string]*choice{}
	for _, a := range analyzers {
		chosen[a.Name] = new(choice)
		flags.Var(chosen[a.Name], a.Name, "run "+a.Name+" alone, or with =false all but it")
		a.Flags.VisitAll(func(f *flag.Flag) { flags.Var(f.Value, a.Name+"."+f.Name, f.Usage) })
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return c, help(stdout, stderr, analyzers, nil), true
	case err != nil:
		return c, usage(stderr, err.Error()), true
	case *version:
		fmt.Fprintln(stdout, versionLine())
		return c, exitClean, true
	}
	c.patterns = flags.Args()
	switch formats := count(c.json, c.sarif, c.github); {
	case formats > 1:
		return c, usage(stderr, "-json, -sarif and -github are formats; choose one"), true
	case len(c.patterns) == 0:
		return c, usage(stderr, "name the packages to look into, for example ./..."), true
	}
	c.analyzers = choose(analyzers, chosen)
	return c, exitClean, false
}

// choose keeps the analyzers that were named; or, when some were switched off, the others.
func choose(analyzers []*analysis.Analyzer, chosen map[string]*choice) []*analysis.Analyzer {
	only := false
	for _, c := range chosen {
		only = only || *c == on
	}
	var kept []*analysis.Analyzer
	for _, a := range analyzers {
		if is := *chosen[a.Name]; is == on || !only && is != off {
			kept = append(kept, a)
		}
	}
	return kept
}

// choice is the value of an analyzer's flag, which differs from a boolean in that it may be left out.
type choice int

const (
	unset choice = iota
	on
	off
)

func (c *choice) IsBoolFlag() bool { return true }
func (c *choice) String() string   { return "" }

func (c *choice) Set(text string) error {
	set, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want true or false")
	}
	*c = off
	if set {
		*c = on
	}
	return nil
}

func count(flags ...bool) (n int) {
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

func usage(stderr io.Writer, problem string) int {
	fmt.Fprintf(stderr, "idemvet: %s\nRun 'idemvet help' for the flags and the analyzers.\n", problem)
	return exitUsage
}

const overview = `idemvet finds idempotency bugs in Go code.

	idemvet ./...                         text, a line for each finding
	idemvet -json ./...                   JSON, in the form of go vet -json
	idemvet -sarif ./...                  SARIF 2.1.0, for code scanning
	idemvet -github ./...                 annotations for GitHub Actions
	idemvet -diff ./...                   the fixes, as a diff
	idemvet -fix ./...                    the fixes, applied
	go vet -vettool=$(which idemvet) ./...  the same findings, cached by go build

Other flags:

	-test              load test files too; they are reported in where .idemvet.yaml says tests: true
	-with-vet          also run the analyzers of go vet, which -vettool replaces
	-NAME, -NAME=false run only, or all but, an analyzer
	-cachekey=TEXT     with go vet: analyse anew when TEXT changes
	-version           print the version

Exit codes: 0 nothing found, 1 something could not be analysed, 2 wrong usage,
3 findings. With -json, -sarif, -fix and -diff findings do not count.

Settings: .idemvet.yaml beside go.mod. Suppression: //idemvet:ignore NAME reason.

Analyzers ('idemvet help NAME' tells more):

`

// help prints what there is, or what an analyzer does.
func help(stdout, stderr io.Writer, analyzers []*analysis.Analyzer, topics []string) int {
	if len(topics) == 0 {
		fmt.Fprint(stdout, overview)
		for _, a := range analyzers {
			title, _, _ := strings.Cut(a.Doc, "\n")
			fmt.Fprintf(stdout, "\t%-16s %s\n", a.Name, title)
		}
		return exitClean
	}
	for _, topic := range topics {
		found := false
		for _, a := range analyzers {
			if a.Name == topic {
				found = true
				fmt.Fprintf(stdout, "%s: %s\n\n%s\n", a.Name, a.Doc, a.URL)
			}
		}
		if !found {
			return usage(stderr, fmt.Sprintf("there is no analyzer %s; there are %s", topic, strings.Join(names(analyzers), ", ")))
		}
	}
	return exitClean
}
