package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/migration"
	"github.com/idemgen/idemgen/generator/output"
)

// projectFlags are the flags that say what a run reads and where it writes.
type projectFlags struct {
	config     string
	spec       string
	overlays   []string
	profiles   []string
	root       string
	out        string
	pkg        string
	migrations string
	dialect    string
	strict     bool
	accept     bool
}

// inputs adds the flags that name what is read.
func (f *projectFlags) inputs(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration `file` (default "+config.FileName+", if there is one)")
	flags.StringVar(&f.spec, "spec", "", "OpenAPI document `file`, YAML or JSON")
	flags.StringArrayVar(&f.overlays, "overlay", nil, "OpenAPI Overlay `file` to lay over the document; repeat for more, in their order")
	flags.StringArrayVar(&f.profiles, "profile-file", nil, "`file` with a profile of your own, which the document can name; repeat for more")
	flags.StringVar(&f.root, "root", "", "`folder` that holds every file the document refers to (default: the document's)")
	must(cmd.MarkFlagDirname("root"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml", "json"))
	must(cmd.MarkFlagFilename("spec", "yaml", "yml", "json"))
	must(cmd.MarkFlagFilename("overlay", "yaml", "yml", "json"))
	must(cmd.MarkFlagFilename("profile-file", "json", "yaml", "yml"))
}

// rules adds the flags that say how the document is taken.
func (f *projectFlags) rules(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.strict, "strict", false, "problems anywhere in the document, not only in what is generated, are errors")
	flags.BoolVar(&f.accept, "accept-declared", false, "take every key parameter that the document declares as a decision")
}

// outputs adds the flags that name what is written.
func (f *projectFlags) outputs(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` of the generated Go package (default "+config.DefaultOut+")")
	flags.StringVar(&f.pkg, "package", "", "`name` of the generated Go package (default: the last part of the folder)")
	flags.StringVar(&f.migrations, "migrations", "", "`format[:folder]` of SQL migrations: "+strings.Join(migration.Formats(), ", ")+"; or none")
	flags.StringVar(&f.dialect, "dialect", "", "`database` that the migrations are for: "+strings.Join(migration.Dialects(), ", ")+" (default "+string(migration.Postgres)+")")
	must(cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(migration.Dialects(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.MarkFlagDirname("out"))
	must(cmd.RegisterFlagCompletionFunc("migrations", cobra.FixedCompletions(append(migration.Formats(), "none"), cobra.ShellCompDirectiveNoFileComp)))
}

// must is for flags that are named wrongly in this very program.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// project is a configuration and where it stands.
type project struct {
	config config.Config
	// dir is the folder that outputs go below, as seen from the working directory.
	dir string
	// manifest is relative to dir.
	manifest string
}

// open reads the configuration and what flags change in it. Without a configuration file the working directory stands
// for its folder.
func (f *projectFlags) open(s *session) (project, error) {
	file, content, err := f.read()
	if err != nil {
		return project{}, err
	}
	base, found := config.Decode(filepath.ToSlash(file), content)
	if found.Err() != nil {
		s.report(found)
		return project{}, errors.Join(errTrouble, s.outcome(outcome{Findings: findings(found), Files: []touched{}}))
	}
	p := project{dir: "."}
	if file != "" {
		p.dir = filepath.Dir(file)
	}
	overrides, err := f.overrides(p.dir)
	if err != nil {
		return project{}, err
	}
	if file == "" {
		// Beside the package, as the manifest is: two runs in one folder would write over each other's page.
		base.Docs.Dir = path.Join(cmp.Or(overrides.Out, base.Out), base.Docs.Dir)
	}
	p.config, err = base.With(overrides)
	p.manifest = manifestName(file, p.config.Out)
	return p, err
}

// read finds the configuration file; no file is fine when none was asked for.
func (f *projectFlags) read() (file string, content []byte, err error) {
	file = f.config
	if file == "" {
		file = config.FileName
	}
	content, err = os.ReadFile(file)
	switch {
	case err == nil:
		return file, content, nil
	case errors.Is(err, fs.ErrNotExist) && f.config == "" && f.spec != "":
		return "", nil, nil
	case errors.Is(err, fs.ErrNotExist) && f.config == "":
		return "", nil, fmt.Errorf("there is no %s here: name a configuration with --config, or an OpenAPI document with --spec", config.FileName)
	default:
		return "", nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
}

// manifestName is beside the configuration file and named after it, so that two configurations in one folder do not take
// each other's files for stale. Without a configuration file it is in the folder of the Go package.
func manifestName(file, out string) string {
	if file == "" {
		return path.Join(out, output.DefaultManifest)
	}
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	return "." + strings.TrimLeft(base, ".") + ".json"
}

// overrides turns flags, whose paths are as seen from the working directory, into what the configuration would say.
func (f *projectFlags) overrides(dir string) (config.Overrides, error) {
	o := config.Overrides{Package: f.pkg, Migrations: f.migrations, Dialect: f.dialect, Strict: f.strict, AcceptDeclared: f.accept}
	var failed error
	from := func(name string) string {
		if name == "" {
			return ""
		}
		relative, err := relativeTo(dir, name)
		failed = errors.Join(failed, err)
		return relative
	}
	o.Spec, o.Root, o.Out = from(f.spec), from(f.root), from(f.out)
	for _, overlay := range f.overlays {
		o.Overlays = append(o.Overlays, from(overlay))
	}
	for _, profile := range f.profiles {
		o.Profiles = append(o.Profiles, from(profile))
	}
	if format, folder, ok := strings.Cut(f.migrations, ":"); ok && folder != "" {
		o.Migrations = format + ":" + from(folder)
	}
	return o, failed
}

// relativeTo is name, as seen from the working directory, as it is seen from dir. An absolute name stays absolute unless
// it lies below dir: generated files should not name a place on one machine.
func relativeTo(dir, name string) (string, error) {
	if dir == "." && !filepath.IsAbs(name) {
		return filepath.ToSlash(name), nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	relative, failed := filepath.Rel(from, to)
	if failed == nil && (filepath.IsLocal(relative) || !filepath.IsAbs(name)) {
		return filepath.ToSlash(relative), nil
	}
	return filepath.ToSlash(name), nil
}
