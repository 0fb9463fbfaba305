package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/output"
)

const checkLong = `Check generates everything in memory and compares it with the files that are there.
It writes nothing. When they differ it prints a unified diff, from what is there to what
generate would write, and exits with 1: put it into continuous integration, so that a
change of the document and its generated code come together.

With --fail-on warning it exits with 1 on warnings, too. Where some cannot be mended, name
rules: with --fail-on undecided, a new POST or PATCH of which nobody said what a retry does
does not pass. docs/extension.md lists the rules.

Exit codes: 0 up to date; 1 stale, or errors in what was read (with --fail-on,
some warnings too); 2 usage, configuration, or a file that cannot be read.`

const checkExample = `  idemgen check
  idemgen check --config examples/payments/idemgen.yaml --format github --fail-on undecided`

func newCheck(s *session) *cobra.Command {
	var flags projectFlags
	var fail failOn
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Fail with a diff when generated files are stale",
		Long:    checkLong,
		Example: checkExample,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.checkStale(cmd.Context(), &flags, &fail) },
	}
	flags.inputs(cmd)
	flags.rules(cmd)
	flags.outputs(cmd)
	fail.flag(cmd)
	return cmd
}

func (s *session) checkStale(ctx context.Context, flags *projectFlags, fail *failOn) error {
	p, err := flags.open(s)
	if err != nil {
		return err
	}
	dir, err := output.Open(p.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	plan, o, found, err := s.plan(ctx, p, dir)
	if err != nil {
		return err
	}
	if plan.Stale() {
		o.Diff = string(plan.Diff())
		s.sayStale(plan, o.Diff)
	} else {
		s.say(s.stdout, "%s, all up to date", plural(plan.Total, "file"))
	}
	failed := fail.failed(found)
	if failed {
		s.say(s.stderr, "idemgen: there are findings of --fail-on %s", fail)
	}
	if failed || plan.Stale() {
		return errors.Join(errNo, s.outcome(o))
	}
	return s.outcome(o)
}

func (s *session) sayStale(plan *output.Plan, diff string) {
	if s.format != "json" {
		printDiff(s.stdout, diff, s.colourOn(s.stdout), isTerminal(s.stdout))
	}
	s.sayKept(plan)
	s.say(s.stderr, "idemgen: generated files are stale; run 'idemgen generate' and commit what it changes")
}

// printDiff prints a diff as it is, so that it can be applied; on a terminal it is made safe to look at first.
func printDiff(w io.Writer, diff string, colour, terminal bool) {
	if terminal {
		diff = visible(diff, keepLayout)
	}
	if !colour {
		fmt.Fprint(w, diff)
		return
	}
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		fmt.Fprintln(w, paint(true, lineStyle(text), text))
	}
}

func lineStyle(line string) style {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	default:
		return plain
	}
}
