package keyflow

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// New gives the pass whose result is a [*Result]. settingsPass is the suite's pass of package settings.
func New(settingsPass *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "idemvetkeyflow",
		Doc:        "find where idempotency keys come from and where they go",
		Requires:   []*analysis.Analyzer{program.Analyzer, settingsPass},
		Run:        run,
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(Mints), new(SendsKey), new(Retries)},
	}
}

func run(pass *analysis.Pass) (any, error) { return &Result{program: program.Of(pass)}, nil }

// Quality is how a value is made.
type Quality string

// Qualities. Random and ordered identifiers are fresh at every call; Derived is the same for the same input.
const (
	Random  Quality = "random"  // uuid v4, crypto/rand, nanoid
	Ordered Quality = "ordered" // uuid v1, v6, v7, ulid, xid, ksuid
	Weak    Quality = "weak"    // math/rand
	Clock   Quality = "clock"   // time.Now and what is made of it
	Counter Quality = "counter" // an attempt or sequence number
	Person  Quality = "person"  // an e-mail address, a telephone number
	Derived Quality = "derived" // uuid v3, v5, a hash
)

// Mints is the fact of a function whose results are new at every call.
type Mints struct {
	Results map[int]Quality
	Path    []string // "ids.New (ids.go:12)", outermost first
}

// SendsKey is the fact of a function that sends an idempotency key.
type SendsKey struct {
	Own    bool  // it mints what it sends
	Params []int // parameters that become the key; -1 is the receiver
	Path   []string
}

// Retries is the fact of a function that calls parameters again until they succeed.
type Retries struct{ Params []int }

// AFact marks the facts.
func (*Mints) AFact()    {}
func (*SendsKey) AFact() {}
func (*Retries) AFact()  {}

// Result answers for one package. It is safe for concurrent use by the passes that require it.
type Result struct {
	program *program.Package
}
