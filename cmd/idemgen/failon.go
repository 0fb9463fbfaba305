package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/diag"
)

// failOn is the least severity that a run does not pass with: diag.Error or diag.Warning.
type failOn diag.Severity

func (f *failOn) flag(cmd *cobra.Command) {
	*f = failOn(diag.Error)
	cmd.Flags().Var(f, "fail-on", "least `severity` of a finding that ends the run with 1: error or warning")
	must(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"error", "warning"}, cobra.ShellCompDirectiveNoFileComp)))
}

// failed reports whether findings are grave enough to end the run.
func (f failOn) failed(found diag.List) bool {
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error || d.Severity == diag.Warning && diag.Severity(f) == diag.Warning
	})
}

// Set, String and Type make it a flag's value.
func (f *failOn) Set(value string) error {
	switch diag.Severity(value) {
	case diag.Error, diag.Warning:
		*f = failOn(value)
		return nil
	}
	return errors.New("known are error and warning")
}

func (f *failOn) String() string { return string(*f) }

func (f *failOn) Type() string { return "severity" }
