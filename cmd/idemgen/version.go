package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of idemgen and of the Go that built it",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if s.format == "json" {
				return s.versionJSON()
			}
			_, err := fmt.Fprintln(s.stdout, version())
			return err
		},
	}
}

func (s *session) versionJSON() error {
	v, goVersion := versions()
	encoder := json.NewEncoder(s.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Version int    `json:"version"` // of this form, as in every outcome
		Idemgen string `json:"idemgen"`
		Go      string `json:"go"`
	}{1, v, goVersion})
}

func version() string {
	v, goVersion := versions()
	return fmt.Sprintf("idemgen %s, %s", v, goVersion)
}

// versions are the module's, as the go command recorded it, for there is no other place to keep up to date, and that of Go.
func versions() (idemgen, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown version)", runtime.Version()
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
	return v, info.GoVersion
}
