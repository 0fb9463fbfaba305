package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/templates"
)

const templatesLong = `The SQL and the pages that idemgen writes come from templates. Name a folder in
idemgen.yaml (templates: my-templates), and a file in it takes the place of the built-in
one of its name, or of single blocks of it.`

const exportLong = `Export writes the built-in templates and a page that documents their data into a folder, to
start from. Keep only those that you change: what is not there stays built in, and gets
the improvements of later versions.`

func newTemplates(s *session) *cobra.Command {
	parent := &cobra.Command{
		Use:   "templates",
		Short: "Change the wording of what is generated",
		Long:  templatesLong,
		Args:  commandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var force bool
	export := &cobra.Command{
		Use:     "export FOLDER",
		Short:   "Write the built-in templates into a folder",
		Long:    exportLong,
		Example: "  idemgen templates export my-templates",
		Args:    oneFolder,
		RunE:    func(_ *cobra.Command, args []string) error { return s.exportTemplates(args[0], force) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	export.Flags().BoolVar(&force, "force", false, "write over templates that are there")
	parent.AddCommand(export)
	return parent
}

func (s *session) exportTemplates(folder string, force bool) error {
	all := templates.Export()
	if !force {
		// Seen as a whole first: an export is done or not done.
		var failed error
		for _, file := range all {
			name := filepath.Join(folder, file.Name)
			if there, err := os.ReadFile(name); err == nil && !bytes.Equal(there, file.Content) {
				failed = errors.Join(failed, fmt.Errorf("%s %w and differs; --force writes over it", name, output.ErrExists))
			}
		}
		if failed != nil {
			return failed
		}
	}
	for _, file := range all {
		name := filepath.Join(folder, file.Name)
		if err := output.WriteFile(name, file.Content, true); err != nil {
			return err
		}
		s.say(s.stdout, "%s", name)
	}
	return nil
}

func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("templates export takes one folder to write to, and here are %d", len(args))
	}
	return nil
}
