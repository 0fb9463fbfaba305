package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
)

const applyLong = `Apply writes the OpenAPI document with its overlays laid over it, and with what the policy
adds for readers and tools: the key parameter, the replay marker, the error responses and
the description. Only what is missing is added. It is for tools that know no overlays; the
document itself is not changed.

The result keeps the document's syntax, JSON or YAML. With --out, references to other files
are written as they read from the folder of that file; without it, the result is printed as
it reads from the document's own folder. x-idempotency stays in it, with the table names of
your guards: publish the overlay instead, or remove them.

Exit codes: 0 written; 1 errors in the document or an overlay; 2 usage, configuration, or a
file that cannot be read or written.`

const applyExample = `  idemgen apply --out dist/openapi.yaml
  idemgen apply --spec openapi.yaml --overlay idempotency.overlay.yaml --out published.yaml`

func newApply(s *session) *cobra.Command {
	var flags projectFlags
	var out string
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Write the OpenAPI document with the policy in it",
		Long:    applyLong,
		Example: applyExample,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.apply(cmd.Context(), &flags, out) },
	}
	flags.inputs(cmd)
	flags.rules(cmd)
	cmd.Flags().StringVar(&out, "out", "", "OpenAPI `file` to write (default: standard output)")
	must(cmd.MarkFlagFilename("out", "yaml", "yml", "json"))
	return cmd
}

func (s *session) apply(ctx context.Context, flags *projectFlags, out string) error {
	s.resultOnStdout = out == ""
	p, err := flags.open(s)
	if err != nil {
		return err
	}
	if err := p.refuseSource(out); err != nil {
		return err
	}
	in, done := s.input(p)
	type applied struct {
		document []byte
		found    diag.List
	}
	result, err := await(ctx, func() (applied, error) {
		document, found, err := generator.Apply(in, out)
		return applied{document, found}, err
	})
	done()
	s.report(result.found)
	o := outcome{Findings: findings(result.found), Files: []touched{}}
	if err != nil {
		return err
	}
	if result.found.Err() != nil {
		return errors.Join(errNo, s.outcome(o))
	}
	if out == "" {
		_, err := s.stdout.Write(result.document)
		return errors.Join(err, s.outcome(o))
	}
	o.Files, err = s.writeDocument(out, result.document)
	return errors.Join(err, s.outcome(o))
}

// writeDocument replaces the document of an earlier run, and leaves one that is equal alone.
func (s *session) writeDocument(out string, document []byte) ([]touched, error) {
	action := output.Create
	if there, err := os.ReadFile(out); err == nil {
		if string(there) == string(document) {
			s.say(s.stdout, "%s is up to date", out)
			return []touched{}, nil
		}
		action = output.Update
	}
	if err := output.WriteFile(out, document, true); err != nil {
		return []touched{}, err
	}
	s.say(s.stdout, "%-6s %s", action, out)
	return []touched{{Path: out, Action: string(action)}}, nil
}

// refuseSource keeps a run from writing over what it reads.
func (p project) refuseSource(out string) error {
	target, err := os.Stat(out)
	if out == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", out, err)
	}
	for _, name := range slices.Concat([]string{p.config.Spec}, p.config.Overlays, p.config.Profiles) {
		source := filepath.FromSlash(name)
		if !filepath.IsAbs(source) {
			source = filepath.Join(p.dir, source)
		}
		if info, err := os.Stat(source); err == nil && os.SameFile(info, target) {
			return fmt.Errorf("--out %s is what is read: idemgen does not change a source; name another file", out)
		}
	}
	return nil
}
