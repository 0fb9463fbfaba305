package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/audit"
)

const auditLong = `Audit reads an OpenAPI document, with or without x-idempotency, and asks eight questions
about each operation that may do something twice: what a repeat does, whose key it is, what
another request with the same key gets, how long a key is remembered, and so on. What the
document says is answered yes or no, what only a name suggests is marked with a question
mark, and what nobody says is unknown. Each finding has a place and a way to mend it;
docs/audit.md explains the rules and the score.

In continuous integration, --fail-on ends the run with 1 on findings of a weight or of rules,
and --min-score on a low score. --baseline holds only what is new since a report that
was written with --format json.

Beside the formats of every command there are sarif, for GitHub's code scanning and for
editors, and markdown, a table for a page or a pull request.

Exit codes: 0 done; 1 findings of --fail-on (errors always), or a score below --min-score;
2 usage, configuration, or a file that cannot be read.`

const auditExample = `  idemgen audit --spec openapi.yaml
  idemgen audit --spec openapi.yaml --overlay idempotency.overlay.yaml --fail-on undecided --min-score 80
  idemgen audit --spec openapi.yaml --format json > audit.json
  idemgen audit --spec openapi.yaml --baseline audit.json --fail-on warning`

// auditFlags are the flags of audit alone.
type auditFlags struct {
	fail     auditFail
	minScore int
	baseline string
}

func newAudit(s *session) *cobra.Command {
	var project projectFlags
	var flags auditFlags
	cmd := &cobra.Command{
		Use:         "audit",
		Short:       "Ask what a document says about repeated requests",
		Long:        auditLong,
		Example:     auditExample,
		Args:        noArguments,
		Annotations: map[string]string{moreFormats: "sarif markdown"},
		RunE:        func(cmd *cobra.Command, _ []string) error { return s.audit(cmd.Context(), &project, &flags) },
	}
	project.inputs(cmd)
	project.rules(cmd)
	flags.fail.flag(cmd)
	cmd.Flags().IntVar(&flags.minScore, "min-score", 0, "lowest `score`, 0 to 100, that does not end the run with 1")
	cmd.Flags().StringVar(&flags.baseline, "baseline", "", "`file` with an earlier report (--format json), whose findings are left out")
	must(cmd.MarkFlagFilename("baseline", "json"))
	return cmd
}

func (s *session) audit(ctx context.Context, project *projectFlags, flags *auditFlags) error {
	if flags.minScore < 0 || flags.minScore > 100 {
		return fmt.Errorf("--min-score %d: a score is between 0 and 100", flags.minScore)
	}
	known, err := flags.known()
	if err != nil {
		return err
	}
	p, err := project.open(s)
	if err != nil {
		return err
	}
	doc, found, err := s.load(ctx, p)
	if err != nil {
		return err
	}
	report, err := await(ctx, func() (*audit.Report, error) { return audit.Run(doc, found), nil })
	if err != nil {
		return err
	}
	report = report.Without(known)
	if err := s.printAudit(report); err != nil {
		return err
	}
	failed := flags.fail.failed(report.Findings)
	if failed {
		s.say(s.stderr, "idemgen: there are findings of --fail-on %s", &flags.fail)
	}
	if low := report.Score.Value < flags.minScore; low {
		s.say(s.stderr, "idemgen: the score %d is below --min-score %d", report.Score.Value, flags.minScore)
		failed = true
	}
	if failed {
		return errNo
	}
	return nil
}

// known are the findings of the baseline.
func (f *auditFlags) known() (map[string]bool, error) {
	if f.baseline == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.baseline)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	ids, err := audit.ReadBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("--baseline %s: %w", f.baseline, err)
	}
	return ids, nil
}

// printAudit prints a report in the format that is asked for.
func (s *session) printAudit(report *audit.Report) error {
	switch s.format {
	case "json":
		text, err := report.JSON()
		if err != nil {
			return err
		}
		_, err = s.stdout.Write(text)
		return err
	case "sarif":
		return writeAuditSARIF(s.stdout, report)
	case "markdown":
		_, err := fmt.Fprint(s.stdout, report.Markdown())
		return err
	case "github":
		writeGitHub(s.stdout, mended(report))
		return nil
	}
	snippets := map[string]string{}
	for _, f := range report.Findings {
		snippets[f.Error()] = f.Snippet
	}
	list := reporter{w: s.stderr, colour: s.colourOn(s.stderr), verbose: s.verbose, snippets: snippets}
	list.print(report.Diagnostics())
	return writeAuditTable(s.stdout, report, s.colourOn(s.stdout), s.verbose)
}
