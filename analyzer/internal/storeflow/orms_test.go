package storeflow

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
)

// TestLibrariesOfRows and the two below read what each call of a library is taken for: "read payments by ref over pool".
func TestLibrariesOfRows(t *testing.T) {
	vettest.RunPlain(t, tellCalls(), "./storeflow/gorm/...", "./storeflow/bun/...", "./storeflow/ent/...")
}

func TestLibrariesOfKeys(t *testing.T) {
	vettest.RunPlain(t, tellCalls(), "./storeflow/redis/...")
}

func TestLibrariesOfDocuments(t *testing.T) {
	vettest.RunPlain(t, tellCalls(), "./storeflow/mongo/...", "./storeflow/dynamo/...")
}

// tellCalls reports what calls do by themselves, without what their callees do.
func tellCalls() *analysis.Analyzer {
	settingsPass := settings.New(settings.Config{})
	flow := New(settingsPass)
	return &analysis.Analyzer{
		Name:     "tellcalls",
		Doc:      "report what calls of libraries do to stores",
		Requires: []*analysis.Analyzer{program.Analyzer, flow},
		Run: func(pass *analysis.Pass) (any, error) {
			p := pass.ResultOf[flow].(*Result)
			if !p.Relevant() || ofLibraries(pass.Pkg.Path()) {
				return nil, nil
			}
			for _, fn := range program.Of(pass).Functions() {
				if fn.Parent() != nil {
					continue // literals count where they run
				}
				for _, access := range p.Accesses(fn) {
					if len(access.Path) == 0 {
						pass.Reportf(access.Pos, "%s", told(access))
					}
				}
			}
			return nil, nil
		},
	}
}

func told(a Access) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", map[Op]string{Read: "read", Insert: "insert", Update: "update", Delete: "delete", Lock: "lock"}[a.Op], a.Table)
	if len(a.Columns) > 0 {
		columns := strings.Join(a.Columns, ",")
		if a.Op == Insert {
			fmt.Fprintf(&out, " (%s)", columns)
		} else {
			out.WriteString(" by " + columns)
		}
	}
	out.WriteString(" over " + map[ConnKind]string{UnknownConn: "unknown", Pool: "pool", Conn: "conn", Tx: "tx", Param: "param", Receiver: "receiver", Context: "context", Client: "client"}[a.Executor.Kind])
	switch a.Executor.Kind {
	case Param:
		out.WriteString(" " + strconv.Itoa(a.Executor.Index))
	case Receiver:
		out.WriteString(" " + a.Executor.Field)
	}
	var more []string
	for _, guard := range []struct {
		guard Guard
		name  string
	}{{OnConflict, "on-conflict"}, {ResultRead, "result-read"}, {ForUpdate, "for-update"}, {SkipLocked, "skip-locked"}, {FirstOrCreate, "first-or-create"}, {MintedKey, "minted"}, {Serializable, "serializable"}} {
		if a.Guard.Has(guard.guard) {
			more = append(more, guard.name)
		}
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{a.Upsert, "upsert"}, {len(a.Target) > 0, "target " + strings.Join(a.Target, ",")}, {a.Always, "always"}, {a.TTL, "ttl"}, {a.Partial, "partial"},
		{a.Engine == Redis && a.Table == "" && a.Key != nil, "key"}, {a.Engine == Mongo && a.Entity != "", "entity " + a.Entity[strings.LastIndexByte(a.Entity, '.')+1:]},
	} {
		if flag.set {
			more = append(more, flag.name)
		}
	}
	if len(more) > 0 {
		out.WriteString(", " + strings.Join(more, " "))
	}
	return out.String()
}
