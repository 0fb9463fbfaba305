package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/audit"
	"github.com/idemgen/idemgen/generator/diag"
)

// auditFail says which findings of an audit end the run. Errors always do. A rule that is named counts whatever it weighs:
// who asks for it means its notes as well.
type auditFail struct{ words []string }

func (f *auditFail) flag(cmd *cobra.Command) {
	cmd.Flags().Var(f, "fail-on", "`findings` that end the run with 1: error, warning, undecided, or rules of docs/audit.md, such as relative-change,retry-window-unknown")
	must(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(append([]string{"error", "warning"}, ruleIDs()...), cobra.ShellCompDirectiveNoFileComp)))
}

func ruleIDs() []string {
	var ids []string
	for _, rule := range audit.Rules() {
		ids = append(ids, rule.ID)
	}
	return ids
}

func (f *auditFail) failed(found []audit.Finding) bool {
	return slices.ContainsFunc(found, func(d audit.Finding) bool {
		return d.Severity == diag.Error || slices.ContainsFunc(f.words, func(word string) bool {
			return word == "warning" && d.Severity == diag.Warning || audit.Means(word, d.Rule)
		})
	})
}

// Set, String and Type make it a flag's value.
func (f *auditFail) Set(value string) error {
	known := append([]string{"error", "warning"}, ruleIDs()...)
	for word := range strings.SplitSeq(value, ",") {
		if !slices.Contains(known, word) {
			hint := ""
			if near := diag.Nearest(word, known); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return fmt.Errorf("%q is not error, warning or a rule of docs/audit.md%s", word, hint)
		}
		f.words = append(f.words, word)
	}
	return nil
}

func (f *auditFail) String() string {
	if len(f.words) == 0 {
		return "error"
	}
	return strings.Join(f.words, ",")
}

func (f *auditFail) Type() string { return "findings" }
