package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/generator/proposal"
)

const initLong = `Init reads an OpenAPI document and writes a starting overlay: an OpenAPI Overlay file that
holds the idempotency policy, so that the document itself need not be edited.

An operation whose idempotency key the document declares already is decided in it; every
other POST and PATCH is a comment to decide, with the reason why a repeat may matter. The
overlay is valid as it is, and yours from then on: idemgen never writes it again.

Without --out it is printed.

Exit codes: 0 written; 1 errors in the document; 2 usage, configuration, or a file that is
there already.`

const initExample = `  idemgen init --spec openapi.yaml --out idempotency.overlay.yaml
  idemgen generate --spec openapi.yaml --overlay idempotency.overlay.yaml`

func newInit(s *session) *cobra.Command {
	var flags projectFlags
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:     "init",
		Short:   "Write a starting overlay for a document without a policy",
		Long:    initLong,
		Example: initExample,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.initialise(cmd.Context(), &flags, out, force) },
	}
	flags.inputs(cmd)
	cmd.Flags().StringVar(&out, "out", "", "overlay `file` to write (default: standard output)")
	cmd.Flags().BoolVar(&force, "force", false, "write over a file that is there")
	must(cmd.MarkFlagFilename("out", "yaml", "yml"))
	return cmd
}

func (s *session) initialise(ctx context.Context, flags *projectFlags, out string, force bool) error {
	s.resultOnStdout = out == ""
	p, err := flags.open(s)
	if err != nil {
		return err
	}
	if out != "" && !force {
		if _, err := os.Stat(out); err == nil {
			return fmt.Errorf("%s %w; --force writes over it, and what you decided there is lost", out, output.ErrExists)
		}
	}
	doc, found, err := s.load(ctx, p)
	if err != nil {
		return err
	}
	if !s.verbose {
		found = found.Errors() // what is to be decided is what the overlay says
	}
	s.report(found)
	o := outcome{Findings: findings(found), Files: []touched{}}
	if found.Err() != nil {
		return errors.Join(errNo, s.outcome(o))
	}
	result := proposal.Generate(doc)
	if out == "" {
		_, err := s.stdout.Write(result.Overlay)
		return errors.Join(err, s.outcome(o))
	}
	if err := output.WriteFile(out, result.Overlay, force); err != nil {
		return err
	}
	s.say(s.stdout, "%s: %s decided, from keys that the document declares; %d to decide", out, plural(result.Decided, "operation"), result.Open)
	s.say(s.stdout, "next: name it with --overlay, or under overlays in idemgen.yaml, and run 'idemgen generate'")
	o.Files = append(o.Files, touched{Path: out, Action: string(output.Create)})
	return s.outcome(o)
}
