package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

const rootLong = `idemgen reads an OpenAPI document whose operations say how retries are handled
(x-idempotency) and generates what keeps that promise: typed Go handler wrappers,
SQL migrations, and the policy's published text.

Start with your own document:

  idemgen init --spec openapi.yaml --out idempotency.overlay.yaml
  idemgen generate --spec openapi.yaml --overlay idempotency.overlay.yaml

Flags can stand in idemgen.yaml instead, for good:

  spec: openapi.yaml
  overlays: [idempotency.overlay.yaml]
  out: internal/payments
  migrations: {format: goose, dir: db/migrations}

Its JSON Schema is docs/schema/config-v1.schema.json in idemgen's repository.

Exit codes: 0 done; 1 the answer is no (generated files are stale, or what was read has
errors); 2 the command could not do its work (usage, configuration, a file that cannot be
read or written).`

// newRoot builds the command tree.
func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:           "idemgen",
		Short:         "Generate idempotent Go handlers from an OpenAPI document",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          commandOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(s.check(cmd.Annotations[moreFormats]), s.profile.start())
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&s.format, "format", "text", "how findings are printed: text, json or github")
	flags.StringVar(&s.colour, "color", "auto", "colour on a terminal: auto, always or never")
	flags.BoolVarP(&s.verbose, "verbose", "v", false, "show notes too, and every warning however many say the same")
	flags.StringVar(&s.profile.cpu, "cpuprofile", "", "write a CPU profile of idemgen to `file`")
	flags.StringVar(&s.profile.memory, "memprofile", "", "write a heap profile of idemgen to `file`")
	must(flags.MarkHidden("cpuprofile"))
	must(flags.MarkHidden("memprofile"))
	must(root.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "github"}, cobra.ShellCompDirectiveNoFileComp)))
	must(root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp)))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	})
	root.Version = version()
	root.Flags().Bool("version", false, "print the version of idemgen and of the Go that built it")
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(newGenerate(s), newCheck(s), newAudit(s), newDiff(s), newDrill(s), newInit(s), newApply(s), newTemplates(s), newProfiles(s), newRecords(s), newVersion(s))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" { // cobra's own shows its help for a shell that it does not know
			cmd.Args = commandOnly
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	fitHelp(root)
	return root
}

// commandOnly refuses an argument of a command that only has commands of its own, and names the nearest of them.
func commandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("%s has no command %q; did you mean %s?", cmd.CommandPath(), args[0], near[0])
	}
	return fmt.Errorf("%s has no command %q; see '%s --help'", cmd.CommandPath(), args[0], cmd.CommandPath())
}

// noArguments refuses an argument of a command that takes flags only.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument, and %q is one; see '%s --help'", cmd.CommandPath(), args[0], cmd.CommandPath())
}
