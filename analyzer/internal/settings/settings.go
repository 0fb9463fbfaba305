package settings

import (
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Config is what a team says of its code. The zero value is a good start. It is read only once an analysis runs.
//
// Functions are written as go/types writes them, without type parameters: "example.com/shop/ids.New", "(*example.com/shop/store.Keys).Save", "(example.com/shop/store.Keys).Save". [FunctionName] gives that name.
type Config struct {
	// Mints are functions whose first result is a new value at every call.
	Mints []string `json:"mints,omitempty" yaml:"mints,omitempty"`
	// Retries are functions that call a function they are given again until it succeeds.
	Retries []string `json:"retries,omitempty" yaml:"retries,omitempty"`
	// KeyNames are further names of headers, fields and parameters that hold an idempotency key. Case, "-" and "_" do not count.
	KeyNames []string `json:"key-names,omitempty" yaml:"key-names,omitempty"`
	// KeyTables are further names of tables, collections and key prefixes that hold idempotency records.
	KeyTables []string `json:"key-tables,omitempty" yaml:"key-tables,omitempty"`
	// Guards are functions that arbitrate between simultaneous callers, such as a house lock: code after a call of one is left alone.
	Guards []string `json:"guards,omitempty" yaml:"guards,omitempty"`
	// Schema are globs, relative to the module's root, of SQL files that create tables and indexes, in the order in which they are applied. Empty: the folders of the common tools are looked for.
	Schema []string `json:"schema,omitempty" yaml:"schema,omitempty"`
	// Scope are further names of columns that say whose key it is (tenant, account, merchant).
	Scope []string `json:"scope,omitempty" yaml:"scope,omitempty"`
	// AtLeastOnce also looks into handlers that a queue or workflow engine runs again after a failure.
	AtLeastOnce bool `json:"at-least-once,omitempty" yaml:"at-least-once,omitempty"`
	// Tests also looks into _test.go files.
	Tests bool `json:"tests,omitempty" yaml:"tests,omitempty"`
	// MinConfidence leaves out findings below it; empty is [Medium].
	MinConfidence Confidence `json:"min-confidence,omitempty" yaml:"min-confidence,omitempty"`
}

// New gives a pass whose result is the *Config for the package under analysis: base, completed by the file [FileName] of its module. A file that cannot be obeyed is left aside whole; [For] tells why.
func New(base Config) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "idemvetsettings",
		Doc:  "read the settings that hold for a package",
		Run: func(pass *analysis.Pass) (any, error) {
			config, _ := For(pass, base)
			return config, nil
		},
		RunDespiteErrors: true,
		ResultType:       reflect.TypeFor[*Config](),
	}
}

// For gives the settings that hold for a package, never nil. The error, a line for each thing that is wrong with base or with the module's file, names file, line and column where there are some; the settings are then without the file.
func For(pass *analysis.Pass, base Config) (*Config, error) {
	if err := base.Check(); err != nil {
		return &base, err
	}
	file := File(pass)
	if file == "" {
		return &base, misnamed(pass)
	}
	own, err := Read(file)
	if err != nil {
		return &base, err
	}
	completed := base.with(own)
	return &completed, nil
}

// with completes c by more: lists are joined, and what c leaves open is taken from more.
func (c Config) with(more Config) Config {
	for _, m := range members {
		if m.list != nil {
			mine, theirs := m.list(&c), m.list(&more)
			*mine = slices.Concat(*mine, *theirs)
		}
	}
	c.AtLeastOnce = c.AtLeastOnce || more.AtLeastOnce
	c.Tests = c.Tests || more.Tests
	if c.MinConfidence == "" {
		c.MinConfidence = more.MinConfidence
	}
	return c
}
