package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

// failOn says which findings end a run: errors always do, warnings where they are asked for, all of them or those of some
// rules, for some documents have warnings that nobody can mend.
type failOn struct {
	warnings bool
	rules    []string
}

func (f *failOn) flag(cmd *cobra.Command) {
	cmd.Flags().Var(f, "fail-on", "`findings` that end the run with 1: error, warning, or rules of warnings, such as undecided,guard-table-unknown")
	known := append([]string{"error", "warning"}, generator.Rules()...)
	must(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)))
}

// failed reports whether findings are such as end the run.
func (f *failOn) failed(found diag.List) bool {
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error || d.Severity == diag.Warning && (f.warnings || slices.Contains(f.rules, d.Rule))
	})
}

// Set, String and Type make it a flag's value.
func (f *failOn) Set(value string) error {
	for word := range strings.SplitSeq(value, ",") {
		switch {
		case word == "error":
		case word == "warning":
			f.warnings = true
		case slices.Contains(generator.Rules(), word):
			f.rules = append(f.rules, word)
		default:
			return fmt.Errorf("%q is not error, warning or a rule of docs/extension.md", word)
		}
	}
	return nil
}

func (f *failOn) String() string {
	words := slices.Clone(f.rules)
	if f.warnings {
		words = append([]string{"warning"}, words...)
	}
	if len(words) == 0 {
		return "error"
	}
	return strings.Join(words, ",")
}

func (f *failOn) Type() string { return "findings" }
