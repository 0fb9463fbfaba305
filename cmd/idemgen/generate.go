package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
)

const generateLong = `Generate reads the OpenAPI document and its overlays, and writes

  - the Go package: typed requests and responses, one interface to implement, and
    handlers that keep the promise (out);
  - SQL migrations for the keys table and for guards, when a format is named
    (migrations); an issued migration is never rewritten;
  - the published policy: a page as Markdown and as HTML, a JSON policy and an OpenAPI
    Overlay (docs).

Everything goes below the folder of idemgen.yaml, or below this one without it; the
documents then go to docs within the package's folder. Files are written only when they
differ, and all or none. A file that idemgen did not generate is never overwritten. What
was generated once and is not any more is deleted; .idemgen.json is the record of that,
and belongs in version control. It lies beside idemgen.yaml; without one it lies in the
package's folder, so that another --out leaves the old package for you to delete.

Exit codes: 0 written, or nothing to write; 1 errors in what was read (with --fail-on,
some warnings too), and nothing was written; 2 usage, configuration, or a file in the way.`

const generateExample = `  # with idemgen.yaml in this folder
  idemgen generate

  # without one
  idemgen generate --spec openapi.yaml --overlay idempotency.overlay.yaml \
    --out internal/payments --migrations goose:db/migrations

  # from Go code: go get -tool github.com/idemgen/idemgen/cmd/idemgen, and then
  //go:generate go tool idemgen generate`

func newGenerate(s *session) *cobra.Command {
	var flags projectFlags
	var fail failOn
	cmd := &cobra.Command{
		Use:     "generate",
		Short:   "Write wrappers, migrations and the policy's text",
		Long:    generateLong,
		Example: generateExample,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.generate(cmd.Context(), &flags, &fail) },
	}
	flags.inputs(cmd)
	flags.rules(cmd)
	flags.outputs(cmd)
	fail.flag(cmd)
	return cmd
}

func (s *session) generate(ctx context.Context, flags *projectFlags, fail *failOn) error {
	p, err := flags.open(s)
	if err != nil {
		return err
	}
	dir, err := output.Open(p.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	// Locked from before the migrations folder is read: two runs must not choose the same number.
	unlock, err := dir.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()

	plan, o, found, err := s.plan(ctx, p, dir)
	if err != nil {
		return err
	}
	if fail.failed(found) {
		s.say(s.stderr, "idemgen: nothing is written while there are findings of --fail-on %s", fail)
		return errors.Join(errNo, s.outcome(outcome{Findings: o.Findings, Files: []touched{}}))
	}
	if err := plan.Write(ctx); err != nil {
		return err
	}
	for _, change := range plan.Changes {
		s.say(s.stdout, "%-6s %s", change.Action, change.Path)
	}
	s.sayKept(plan)
	s.say(s.stdout, "%s, %d changed", plural(plan.Total, "file"), len(plan.Changes))
	return s.outcome(o)
}

// plan runs the generator and compares what it gives with the folder. Findings are printed here; the error is errNo when
// there are errors among them.
func (s *session) plan(ctx context.Context, p project, dir *output.Dir) (*output.Plan, outcome, diag.List, error) {
	result, found, err := s.runGenerator(ctx, p, dir)
	s.report(found)
	o := outcome{Findings: findings(found), Files: []touched{}}
	if err != nil {
		return nil, o, found, err
	}
	if found.Err() != nil {
		return nil, o, found, errors.Join(errNo, s.outcome(o))
	}
	plan, err := dir.Plan(p.manifest, result)
	if err != nil {
		return nil, o, found, err
	}
	o.Kept = plan.Kept
	for _, change := range plan.Changes {
		o.Files = append(o.Files, touched{Path: change.Path, Action: string(change.Action)})
	}
	return plan, o, found, nil
}

func (s *session) sayKept(plan *output.Plan) {
	for _, name := range plan.Kept {
		s.say(s.stderr, "idemgen: %s is not generated any more, but was edited by hand and is left alone; delete it when you do not need it", name)
	}
}
