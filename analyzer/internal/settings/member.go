package settings

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
)

// member is one member of the settings: its name, where its value goes, and what a value has to look like. Exactly one of list, turn and text is set.
type member struct {
	name  string
	list  func(*Config) *[]string
	turn  func(*Config) *bool
	text  func(*Config) *Confidence
	check func(string) error
}

// members are all of them, in the order in which they are documented.
var members = []member{
	{name: "mints", list: func(c *Config) *[]string { return &c.Mints }, check: checkFunction},
	{name: "retries", list: func(c *Config) *[]string { return &c.Retries }, check: checkFunction},
	{name: "guards", list: func(c *Config) *[]string { return &c.Guards }, check: checkFunction},
	{name: "key-names", list: func(c *Config) *[]string { return &c.KeyNames }, check: checkName},
	{name: "key-tables", list: func(c *Config) *[]string { return &c.KeyTables }, check: checkName},
	{name: "scope", list: func(c *Config) *[]string { return &c.Scope }, check: checkName},
	{name: "schema", list: func(c *Config) *[]string { return &c.Schema }, check: checkGlob},
	{name: "at-least-once", turn: func(c *Config) *bool { return &c.AtLeastOnce }},
	{name: "tests", turn: func(c *Config) *bool { return &c.Tests }},
	{name: "min-confidence", text: func(c *Config) *Confidence { return &c.MinConfidence }, check: checkConfidence},
}

// Check reports what is wrong with the values of settings that came from a program or a linter's own file, a line each.
func (c Config) Check() error {
	var problems []error
	for _, m := range members {
		switch {
		case m.list != nil:
			for i, value := range *m.list(&c) {
				if err := m.check(value); err != nil {
					problems = append(problems, fmt.Errorf("idemvet settings: %s[%d]: %w", m.name, i, err))
				}
			}
		case m.text != nil && *m.text(&c) != "":
			if err := m.check(string(*m.text(&c))); err != nil {
				problems = append(problems, fmt.Errorf("idemvet settings: %s: %w", m.name, err))
			}
		}
	}
	return errors.Join(problems...)
}

var (
	function = pattern.New(`^([A-Za-z0-9_.~/-]+)\.([\pL_][\pL\pN_]*)$`)
	method   = pattern.New(`^\(\*?([A-Za-z0-9_.~/-]+)\.([\pL_][\pL\pN_]*)\)\.([\pL_][\pL\pN_]*)$`)
	// A type's name between the package and the method: "example.com/shop/store.Keys.Save".
	bare = pattern.New(`^\*?(.*\.\p{Lu}[\pL\pN_]*)\.([\pL_][\pL\pN_]*)$`)
)

const functionForms = "write example.com/shop/ids.New for a function and (*example.com/shop/store.Keys).Save for a method"

func checkFunction(name string) error {
	switch {
	case method.MatchString(name):
		return nil
	case bare.MatchString(name):
		parts := bare.FindStringSubmatch(name)
		return fmt.Errorf("%q looks like a method: write (%s).%s, or (*%s).%s for a pointer receiver", name, parts[1], parts[2], parts[1], parts[2])
	case function.MatchString(name) && token.IsIdentifier(name[strings.LastIndexByte(name, '.')+1:]):
		return nil
	}
	return fmt.Errorf("%q is not the full name of a function: %s", name, functionForms)
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%q is not a name", name)
	}
	return nil
}

func checkGlob(glob string) error {
	clean := path.Clean(glob)
	switch _, err := path.Match(glob, ""); {
	case glob == "" || err != nil:
		return fmt.Errorf("%q is not a glob such as db/migrations/*.sql", glob)
	case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(glob, `\`):
		return fmt.Errorf("%q has to be below the module's root, and is written with slashes", glob)
	}
	return nil
}

func checkConfidence(text string) error {
	if !Confidence(text).Known() {
		return fmt.Errorf("%q is not a confidence; write low, medium or high", text)
	}
	return nil
}

// FunctionName is the name of a function as settings write it: [types.Func.FullName] without type parameters.
func FunctionName(fn *types.Func) string {
	name := fn.Origin().FullName()
	open := strings.IndexByte(name, '[')
	if open < 0 {
		return name
	}
	end := strings.LastIndexByte(name, ']')
	return name[:open] + name[end+1:]
}
