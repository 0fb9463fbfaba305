package known

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// house is code of nobody in the tables: what it means follows from its names and types alone.
const house = `package house

import (
	"context"
	"time"
)

type Request struct{ IdempotencyKey string; Count int }
func (r *Request) SetIdempotencyKey(key string)                     {}
func (r *Request) WithIdempotencyKey(key *string) *Request          { return r }
func (r Request) IdempotencyKey2() string                           { return "" }
func (r *Request) SetHeader(name, value string) *Request            { return r }
func (r *Request) Header(name, value string) *Request               { return r }
func (r *Request) SetHeaders(name, value string, times int)         {}

type Builder struct{}
func (b Builder) IdempotencyKey(key string) Builder                 { return b }
func (b Builder) IdempotencyToken() string                          { return "" }
func (b Builder) Header(name string) string                         { return "" }

type Key [16]byte
type Option func()
func WithIdempotencyKey(key Key) Option                             { return nil }
func WithIdempotencyKeyTTL(seconds string) Option                   { return nil }
func WithRequestID(id string) Option                                { return nil }
func UseIdempotency(on bool) Option                                 { return nil }
func AddIdempotencyKey(ctx context.Context, key string) context.Context { return ctx }
func SetIdempotencyKeyOf(a, b string)                               {}
func IdempotencyKey(order string) string                            { return order }
func WithHeader(name string, value string) Option                   { return nil }
func WithHeaderCount(name string, n int) Option                     { return nil }
func Header(name, value string) Option                              { return nil }

func Pay(amount int64, idempotencyKey string)                       {}
func Enable(idempotencyKey bool)                                    {}
func Tag(requestID, note string)                                    {}

type Charge struct{ IdempotencyKey string; ClientToken string; RequestID string; IdempotencyKeyTTL int }
type ChargeRecord struct{ IdempotencyKey string }
type Stored struct{ ID int64 ` + "`db:\"id\"`" + `; IdempotencyKey string }
type Gorm struct{ IdempotencyKey string ` + "`gorm:\"uniqueIndex\"`" + ` }
type Body struct{ IdempotencyKey *string ` + "`json:\"idempotency_key\"`" + `; Key Key }

type PaymentCreate struct{}
func (c *PaymentCreate) SetIdempotencyKey(key string) *PaymentCreate { return c }
type Values struct{}
func (v Values) Set(name, value string)                             {}
func (v Values) Add(name, value []byte)                             {}
func (v Values) SetAll(name, value string)                          {}
func Set(name, value string)                                        {}

type Clock interface{ Now() time.Time; NowUnix() int64 }
type Stop struct{}
func (Stop) Now() bool                                              { return true }
func Now() time.Time                                                { return time.Time{} }

type Handler struct{}
func (Handler) Work(ctx context.Context, job *Request) error        { return nil }
func SleepWithJitter()                                              {}
func asleep()                                                       {}
`

func houseScope(t *testing.T) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "house.go", house, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("example.com/house/v2", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// find gives a function, or the method of a type: "Request.SetHeader".
func find(t *testing.T, pkg *types.Package, typeName, name string) *types.Func {
	t.Helper()
	var object types.Object
	if typeName == "" {
		object = pkg.Scope().Lookup(name)
	} else {
		owner := pkg.Scope().Lookup(typeName).Type()
		object, _, _ = types.LookupFieldOrMethod(owner, true, pkg, name)
	}
	fn, ok := object.(*types.Func)
	if !ok {
		t.Fatalf("%s.%s is no function", typeName, name)
	}
	return fn
}

func TestSinksByShape(t *testing.T) {
	pkg := houseScope(t)
	for _, c := range []struct {
		typeName, name string
		want           *Sink
	}{
		{"Request", "SetIdempotencyKey", &Sink{Value: 0, Name: none, Target: receiver}},
		{"Request", "WithIdempotencyKey", &Sink{Value: 0, Name: none, Target: receiver}},
		{"Request", "SetHeader", &Sink{Value: 1, Name: 0, Target: receiver}},
		{"Request", "Header", &Sink{Value: 1, Name: 0, Target: receiver}},
		{"Builder", "IdempotencyKey", &Sink{Value: 0, Name: none, Target: receiver}},
		{"", "WithIdempotencyKey", &Sink{Value: 0, Name: none, Target: none}},
		{"", "AddIdempotencyKey", &Sink{Value: 1, Name: none, Target: none}},
		{"Values", "Set", &Sink{Value: 1, Name: 0, Target: receiver}},
		{"Values", "Add", &Sink{Value: 1, Name: 0, Target: receiver}},
		{"", "WithHeader", &Sink{Value: 1, Name: 0, Target: none}},

		{"PaymentCreate", "SetIdempotencyKey", nil}, // a row
		{"Values", "SetAll", nil},
		{"", "Set", nil},
		{"Request", "IdempotencyKey2", nil},
		{"Request", "SetHeaders", nil},
		{"Builder", "IdempotencyToken", nil},
		{"Builder", "Header", nil},
		{"", "WithIdempotencyKeyTTL", nil},
		{"", "WithRequestID", nil},
		{"", "UseIdempotency", nil},
		{"", "SetIdempotencyKeyOf", nil},
		{"", "IdempotencyKey", nil}, // makes a key of an order, and sends none
		{"", "WithHeaderCount", nil},
		{"", "Header", nil},
		{"", "Pay", nil},
	} {
		got, ok := SinkOf(find(t, pkg, c.typeName, c.name))
		switch {
		case c.want == nil && ok:
			t.Errorf("SinkOf(%s.%s) = %+v, want none", c.typeName, c.name, got)
		case c.want != nil && (!ok || got != *c.want):
			t.Errorf("SinkOf(%s.%s) = %+v, %v, want %+v", c.typeName, c.name, got, ok, *c.want)
		}
	}
	if _, ok := SinkOf(nil); ok {
		t.Error("no function is a sink")
	}
}

func TestKeyFieldsByName(t *testing.T) {
	pkg := houseScope(t)
	want := map[string]bool{"Charge.IdempotencyKey": true, "Request.IdempotencyKey": true, "Body.IdempotencyKey": true}
	for _, typeName := range []string{"Charge", "ChargeRecord", "Stored", "Gorm", "Body", "Request"} {
		owner := pkg.Scope().Lookup(typeName).Type()
		structure := owner.Underlying().(*types.Struct)
		for i := range structure.NumFields() {
			field := structure.Field(i)
			name := typeName + "." + field.Name()
			if got := KeyField(owner, field); got != want[name] {
				t.Errorf("KeyField(%s) = %v", name, got)
			}
			if got := KeyField(types.NewPointer(owner), field); got != want[name] {
				t.Errorf("KeyField(*%s) = %v", name, got)
			}
		}
	}
	if KeyField(types.Typ[types.Int], nil) {
		t.Error("no field is a key")
	}
}

func TestKeyParams(t *testing.T) {
	pkg := houseScope(t)
	for name, want := range map[string][]bool{"Pay": {false, true}, "Enable": {false}, "Tag": {false, false}} {
		params := find(t, pkg, "", name).Type().(*types.Signature).Params()
		for i, is := range want {
			if got := KeyParam(params.At(i)); got != is {
				t.Errorf("KeyParam(%s of %s) = %v", params.At(i).Name(), name, got)
			}
		}
	}
	if KeyParam(nil) {
		t.Error("no parameter is a key")
	}
}

func TestClocksOfTheHouse(t *testing.T) {
	pkg := houseScope(t)
	if _, quality, ok := Mint(find(t, pkg, "Clock", "Now")); !ok || quality != clock {
		t.Error("a clock's Now tells the time")
	}
	for typeName, name := range map[string]string{"Clock": "NowUnix", "Stop": "Now", "": "Now"} {
		if _, _, ok := Mint(find(t, pkg, typeName, name)); ok {
			t.Errorf("%s.%s is no clock", typeName, name)
		}
	}
}

func TestNothingKnownOfTheHouse(t *testing.T) {
	pkg := houseScope(t)
	for _, name := range []string{"Pay", "WithHeader", "asleep"} {
		fn := find(t, pkg, "", name)
		if _, _, ok := Mint(fn); ok {
			t.Errorf("%s mints nothing", name)
		}
		if _, ok := PassesThrough(fn); ok {
			t.Errorf("%s keeps nothing", name)
		}
		if _, ok := RetryOf(fn); ok {
			t.Errorf("%s retries nothing", name)
		}
		if Sleeps(fn) {
			t.Errorf("%s does not sleep", name)
		}
	}
	if !Sleeps(find(t, pkg, "", "SleepWithJitter")) {
		t.Error("SleepWithJitter sleeps")
	}
	if system, ok := AtLeastOnceMethod(find(t, pkg, "Handler", "Work")); ok {
		t.Errorf("Work with a request of the house is no handler of %s", system)
	}
	if ID(nil) != "" || ID(find(t, pkg, "Request", "Header")) != "example.com/house.Request.Header" || ID(find(t, pkg, "", "Pay")) != "example.com/house.Pay" {
		t.Error("ID names functions in another way than the tables do")
	}
}

func TestAtLeastOnceMethods(t *testing.T) {
	job := types.NewPointer(typeNamed(t, "github.com/riverqueue/river.Job"))
	task := types.NewPointer(typeNamed(t, "github.com/hibiken/asynq.Task"))
	message := types.NewPointer(typeNamed(t, "github.com/ThreeDotsLabs/watermill/message.Message"))
	claim := typeNamed(t, "github.com/IBM/sarama.ConsumerGroupClaim")
	session := typeNamed(t, "github.com/IBM/sarama.ConsumerGroupSession")
	ctx := typeNamed(t, "context.Context")
	fails := types.Universe.Lookup("error").Type()
	text := types.Typ[types.String]

	pkg := houseScope(t)
	owner := pkg.Scope().Lookup("Handler").Type()
	for _, c := range []struct {
		name    string
		method  bool
		params  []types.Type
		results []types.Type
		want    string
	}{
		{"Work", true, []types.Type{ctx, job}, []types.Type{fails}, "River"},
		{"ProcessTask", true, []types.Type{ctx, task}, []types.Type{fails}, "asynq"},
		{"ConsumeClaim", true, []types.Type{session, claim}, []types.Type{fails}, "Kafka"},
		{"handleCharge", false, []types.Type{ctx, task}, []types.Type{fails}, "asynq"},
		{"handleCharge", false, []types.Type{message}, []types.Type{fails}, "Watermill"},
		{"handleCharge", false, []types.Type{message}, []types.Type{types.NewSlice(message), fails}, "Watermill"},

		{"Work", true, []types.Type{ctx, text}, []types.Type{fails}, ""},
		{"ConsumeClaim", false, []types.Type{session, claim}, []types.Type{fails}, ""},
		{"payloadOf", false, []types.Type{task}, []types.Type{text}, ""},
		{"log", false, []types.Type{ctx, message}, nil, ""},
		{"send", false, []types.Type{text, message}, []types.Type{fails}, ""},
		{"none", false, nil, []types.Type{fails}, ""},
	} {
		vars := func(all []types.Type) *types.Tuple {
			var list []*types.Var
			for _, one := range all {
				list = append(list, types.NewParam(token.NoPos, pkg, "", one))
			}
			return types.NewTuple(list...)
		}
		var recv *types.Var
		if c.method {
			recv = types.NewParam(token.NoPos, pkg, "", owner)
		}
		fn := types.NewFunc(token.NoPos, pkg, c.name, types.NewSignatureType(recv, nil, nil, vars(c.params), vars(c.results), false))
		if got, ok := AtLeastOnceMethod(fn); got != c.want || ok != (c.want != "") {
			t.Errorf("AtLeastOnceMethod(%s) = %q, %v, want %q", fn, got, ok, c.want)
		}
	}
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/a/b":               "github.com/a/b",
		"github.com/a/b/v5":            "github.com/a/b",
		"github.com/a/b/v12/c":         "github.com/a/b/c",
		"github.com/a/b/v1":            "github.com/a/b/v1",
		"k8s.io/api/core/v1":           "k8s.io/api/core/v1",
		"github.com/a/vault":           "github.com/a/vault",
		"github.com/aws/sdk-go-v2/v/x": "github.com/aws/sdk-go-v2/v/x",
		"math/rand/v2":                 "math/rand",
		"gopkg.in/yaml.v3":             "gopkg.in/yaml",
		"gopkg.in/a/b.v2":              "gopkg.in/a/b",
		"gopkg.in/a/b.vx":              "gopkg.in/a/b.vx",
		"v2":                           "v2",
		"":                             "",
	} {
		if got := Path(path); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
}
