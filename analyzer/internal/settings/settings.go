package settings

import (
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// FileName is looked for in the folder of go.mod.
const FileName = ".idemvet.yaml"

// Config is what a team says of its code. The zero value is a good start. It is read only once an analysis runs.
//
// Functions are written as go/types writes them: "example.com/shop/ids.New", "(*example.com/shop/store.Keys).Save", "(example.com/shop/store.Keys).Save".
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

// New gives a pass whose result is the *Config for the package under analysis: base, completed by the file [FileName] of its module.
func New(base Config) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "idemvetsettings",
		Doc:        "read the settings that hold for a package",
		Run:        func(*analysis.Pass) (any, error) { c := base; return &c, nil },
		ResultType: reflect.TypeFor[*Config](),
	}
}
