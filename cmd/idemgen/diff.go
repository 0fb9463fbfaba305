package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/diag"
)

const diffLong = `Diff compares two versions of an API's policy and says of each change whether it breaks
clients, with its place in both versions, what goes wrong for whom, how to make the change
without that, and which migrations and steps of operation it needs.

OLD and NEW are each one of

  openapi.yaml          an OpenAPI document that holds its policy, or with the overlays of
                        the flags
  folder                a folder with an idemgen.yaml, or that file: with its
                        overlays
  policy.json           a published policy: what is not published is not compared
                        then
  git:REVISION:PATH     any of these as it is in a revision of the repository that the
                        working directory is in; PATH is relative to the repository's
                        root, or to the working directory where it begins with ./ or ../
  -                     an OpenAPI document or a published policy on standard
                        input

docs/diff.md lists the rules. Beside the formats of every command there is markdown, for a
comment on a pull request.

Exit codes: 0 nothing that --fail-on names; 1 there is, or a version has errors; 2 usage,
configuration, or a file or revision that cannot be read.`

const diffExample = `  # this folder, which has an idemgen.yaml, and what it was on main
  idemgen diff git:main:./ .

  idemgen diff git:main:openapi.yaml openapi.yaml
  idemgen diff git:main:services/payments services/payments --format github
  git show main:openapi.yaml |
    idemgen diff - openapi.yaml --overlay idempotency.overlay.yaml
  idemgen diff published-policy.json openapi.yaml --format markdown > comment.md`

// diffFlags are the flags of diff.
type diffFlags struct {
	overlays, oldOverlays, newOverlays []string
	profiles                           []string
	root                               string
	accept                             bool
	failOn                             string
}

// anyOverlay reports whether the user has said which overlays count.
func (f *diffFlags) anyOverlay() bool {
	return len(f.overlays)+len(f.oldOverlays)+len(f.newOverlays) > 0
}

// failOnNothing is the word of --fail-on that lets every change pass.
const failOnNothing = "none"

func newDiff(s *session) *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:         "diff OLD NEW",
		Short:       "Say which changes of a policy break clients",
		Long:        diffLong,
		Example:     diffExample,
		Args:        twoVersions,
		Annotations: map[string]string{moreFormats: "markdown"},
		RunE:        func(cmd *cobra.Command, args []string) error { return s.diff(cmd, &flags, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.overlays, "overlay", nil, "OpenAPI Overlay `file` to lay over both documents; repeat for more, in their order")
	f.StringArrayVar(&flags.oldOverlays, "old-overlay", nil, "OpenAPI Overlay `file` to lay over the old document, after those of --overlay")
	f.StringArrayVar(&flags.newOverlays, "new-overlay", nil, "OpenAPI Overlay `file` to lay over the new document, after those of --overlay")
	f.StringArrayVar(&flags.profiles, "profile-file", nil, "`file` with a profile of your own, which both documents can name; repeat for more")
	f.StringVar(&flags.root, "root", "", "`folder` that holds every file a document refers to (default: the document's, or the revision's root)")
	f.BoolVar(&flags.accept, "accept-declared", false, "take every key parameter that a document declares as a decision")
	f.StringVar(&flags.failOn, "fail-on", string(compat.Breaking), "`changes` that end the run with 1: breaking, compatible (those and breaking ones), editorial (all), or none")
	words := append(kindWords(), failOnNothing)
	must(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
	for _, name := range []string{"overlay", "old-overlay", "new-overlay", "profile-file"} {
		must(cmd.MarkFlagFilename(name, "yaml", "yml", "json"))
	}
	must(cmd.MarkFlagDirname("root"))
	return cmd
}

func kindWords() []string {
	var words []string
	for _, kind := range compat.Kinds() {
		words = append(words, string(kind))
	}
	return words
}

func twoVersions(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return nil
	}
	return fmt.Errorf("%s compares two versions, OLD and NEW, and was given %d; see '%s --help'", cmd.CommandPath(), len(args), cmd.CommandPath())
}

// failed reports whether changes are such as end the run.
func (f *diffFlags) failed(changes []compat.Change) bool {
	last := slices.Index(compat.Kinds(), compat.Kind(f.failOn))
	return slices.ContainsFunc(compat.Kinds()[:last+1], func(kind compat.Kind) bool { return compat.Count(changes, kind) > 0 })
}

func (f *diffFlags) check() error {
	if words := append(kindWords(), failOnNothing); !slices.Contains(words, f.failOn) {
		return fmt.Errorf("--fail-on %s: known are %s", f.failOn, strings.Join(words, ", "))
	}
	return nil
}

func (s *session) diff(cmd *cobra.Command, flags *diffFlags, old, current string) error {
	if err := flags.check(); err != nil {
		return err
	}
	if old == "-" && current == "-" {
		return errors.New("OLD and NEW cannot both be standard input; name a file for one of them")
	}
	ctx := cmd.Context()
	sides := newDiffSides(ctx, s, flags, cmd.InOrStdin())
	defer sides.close()
	before, err := sides.open(old, flags.oldOverlays)
	if err != nil {
		return err
	}
	after, err := sides.open(current, flags.newOverlays)
	if err != nil {
		return err
	}
	d, err := s.compare(ctx, before, after)
	if err != nil {
		return err
	}
	if d.difference == nil {
		found := slices.Concat(d.before, d.after)
		s.report(found)
		return errors.Join(errNo, d.json(s))
	}
	if err := s.printDiff(d); err != nil {
		return err
	}
	if flags.failed(d.difference.Changes) {
		return errNo
	}
	return nil
}

// comparison is what a run of diff has to tell. Positions name files as the user does.
type comparison struct {
	old, current  string
	difference    *generator.Difference
	before, after diag.List // errors alone
}

func (s *session) compare(ctx context.Context, before, after *diffSide) (*comparison, error) {
	line := s.newProgress()
	line.say("reading two versions")
	defer line.end()
	c := &comparison{old: before.arg, current: after.arg}
	difference, err := await(ctx, func() (d *generator.Difference, err error) {
		var olds, news diag.List
		d, olds, news, err = generator.Diff(before.Version, after.Version)
		c.before, c.after = before.found(olds), after.found(news)
		return d, before.inError(after.inError(err))
	})
	if err != nil {
		return nil, err
	}
	if difference != nil {
		for i := range difference.Changes {
			change := &difference.Changes[i]
			change.OldPos.File, change.NewPos.File = before.shown(change.OldPos.File), after.shown(change.NewPos.File)
		}
	}
	c.difference = difference
	return c, nil
}
