package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of idemgen and of the Go that built it",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, version())
			return err
		},
	}
}

// version is the module's, as the go command recorded it; there is no other place to keep up to date.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "idemgen (unknown version)"
	}
	module := info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == "github.com/idemgen/idemgen" { // built by "go tool" in another module
			module = *dependency
		}
	}
	v := module.Version
	if v == "" {
		v = "(devel)"
	}
	return fmt.Sprintf("idemgen %s, %s", v, info.GoVersion)
}
