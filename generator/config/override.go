package config

import (
	"fmt"
	"strings"
)

// Overrides is what flags say on top of a configuration file. Paths are relative to the configuration's folder, as in
// the file; a zero member leaves the file's value alone.
type Overrides struct {
	Spec     string
	Overlays []string // replace the file's list
	Profiles []string // replace the file's list
	Root     string
	Out      string
	Package  string
	// Migrations is FORMAT or FORMAT:DIR, or "none".
	Migrations string
	// Dialect is the database's.
	Dialect        string
	Strict         bool
	AcceptDeclared bool
}

// With returns c with what o says, and with the defaults that follow from other members. The error names the flag at fault.
func (c Config) With(o Overrides) (Config, error) {
	for _, set := range []struct{ member, value string }{{"spec", o.Spec}, {"root", o.Root}, {"out", o.Out}, {"package", o.Package}} {
		if set.value == "" {
			continue
		}
		if err := find(members, set.member).set(&c, set.value); err != nil {
			return Config{}, fmt.Errorf("--%s: %w", set.member, err)
		}
	}
	if len(o.Overlays) > 0 {
		c.Overlays = nil
	}
	if len(o.Profiles) > 0 {
		c.Profiles = nil
	}
	for _, list := range []struct {
		member, flag string
		values       []string
	}{{"overlays", "overlay", o.Overlays}, {"profiles", "profile-file", o.Profiles}} {
		for _, value := range list.values {
			if err := find(members, list.member).add(&c, value); err != nil {
				return Config{}, fmt.Errorf("--%s: %w", list.flag, err)
			}
		}
	}
	if o.Migrations != "" {
		if err := c.overrideMigrations(o.Migrations); err != nil {
			return Config{}, fmt.Errorf("--migrations: %w", err)
		}
	}
	if o.Dialect != "" {
		if err := checkDialect(o.Dialect); err != nil {
			return Config{}, fmt.Errorf("--dialect: %w", err)
		}
		c.Migrations.Dialect = o.Dialect
	}
	c.Strict = c.Strict || o.Strict
	c.AcceptDeclared = c.AcceptDeclared || o.AcceptDeclared
	return c.complete(), nil
}

func (c *Config) overrideMigrations(value string) error {
	format, dir, hasDir := strings.Cut(value, ":")
	if format == "none" && !hasDir {
		c.Migrations.off()
		return nil
	}
	if err := checkFormat(format); err != nil {
		return err
	}
	if format != c.Migrations.Format {
		c.Migrations.Dir = "" // another tool's folder
	}
	c.Migrations.Format, c.Migrations.Off = format, false
	if !hasDir {
		return nil
	}
	clean, err := checkOutput(dir)
	c.Migrations.Dir = clean
	return err
}
