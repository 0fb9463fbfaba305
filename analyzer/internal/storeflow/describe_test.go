package storeflow

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
)

// describe reports every access and transaction as a diagnostic, so that a case says what is found in it: // want "read accounts by id over pool".
func describe(config settings.Config) *analysis.Analyzer {
	settingsPass := settings.New(config)
	stores := New(settingsPass)
	return &analysis.Analyzer{
		Name:     "describe",
		Doc:      "report what functions do to stores",
		Requires: []*analysis.Analyzer{stores, program.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			result := pass.ResultOf[stores].(*Result)
			if !result.Relevant() {
				return nil, nil
			}
			for _, fn := range program.Of(pass).Functions() {
				for _, access := range result.Accesses(fn) {
					if access.Call.Parent() == fn {
						pass.Reportf(access.Pos, "%s", describeAccess(access, result.Transactions(fn)))
					}
				}
				for _, transaction := range result.Transactions(fn) {
					if transaction.Begin != nil && transaction.Begin.Parent() == fn {
						pass.Reportf(transaction.Begin.Pos(), "%s", describeTransaction(transaction))
					}
				}
			}
			return nil, nil
		},
	}
}

func describeTransaction(t Transaction) string {
	text := "transaction"
	if t.Body != nil {
		text += " of a function"
	}
	if t.ByContext {
		text += " by context"
	}
	if t.Runtime {
		text += " of the runtime"
	}
	if t.Serializable {
		text += " serializable"
	}
	if len(t.Commits) > 0 {
		text += fmt.Sprintf(" committed %d", len(t.Commits))
	}
	return text
}

var (
	engineNames = map[Engine]string{SQL: "", Redis: "redis ", Mongo: "mongo ", Dynamo: "dynamo "}
	opNames     = map[Op]string{Read: "read", Insert: "insert", Update: "update", Delete: "delete", Lock: "lock"}
	connNames   = map[ConnKind]string{UnknownConn: "unknown", Pool: "pool", Conn: "conn", Tx: "tx", Param: "param", Receiver: "receiver", Context: "context", Client: "client"}
	guardNames  = []struct {
		guard Guard
		name  string
	}{
		{OnConflict, "on-conflict"}, {ResultRead, "result-read"}, {WhereNotExists, "where-not-exists"}, {ForUpdate, "for-update"},
		{SkipLocked, "skip-locked"}, {DuplicateHandled, "duplicate-handled"}, {FirstOrCreate, "first-or-create"}, {MintedKey, "minted-key"}, {Serializable, "serializable"},
	}
)

func describeAccess(a Access, transactions []Transaction) string {
	var text strings.Builder
	text.WriteString(engineNames[a.Engine] + opNames[a.Op])
	if a.Guessed {
		text.WriteString(" guessed")
	}
	if a.Process {
		text.WriteString(" of one process")
	}
	switch {
	case a.Table != "":
		text.WriteString(" " + a.Table)
	case a.Entity != "":
		text.WriteString(" " + a.Entity[strings.LastIndexByte(a.Entity, '.')+1:])
	}
	if a.Op != Insert && len(a.Columns) > 0 {
		text.WriteString(" by " + strings.Join(a.Columns, ","))
	}
	for _, g := range guardNames {
		if a.Guard.Has(g.guard) {
			text.WriteString(" " + g.name)
		}
	}
	if len(a.Target) > 0 {
		text.WriteString(" target " + strings.Join(a.Target, ","))
	}
	if a.Always {
		text.WriteString(" always")
	}
	if a.TTL {
		text.WriteString(" ttl")
	}
	if a.Partial {
		text.WriteString(" partial")
	}
	if a.Op == Lock && a.Engine == 0 {
		return text.String()
	}
	text.WriteString(" over " + connNames[a.Executor.Kind])
	if a.Executor.Kind == Param {
		fmt.Fprintf(&text, " %d", a.Executor.Index)
	}
	if a.Executor.Field != "" && (a.Executor.Kind == Param || a.Executor.Kind == Receiver) {
		text.WriteString(" " + a.Executor.Field)
	}
	if a.Executor.Kind == Tx {
		mine := "other"
		for i, transaction := range transactions {
			if transaction.Tx != nil && transaction.Tx == a.Executor.Value {
				mine = fmt.Sprint(i + 1)
			}
		}
		text.WriteString(" " + mine)
	}
	for _, step := range a.Path {
		name := step.Function[strings.LastIndexByte(step.Function, '/')+1:]
		text.WriteString(" via " + name[strings.LastIndexByte(name, '.')+1:])
	}
	return text.String()
}

func TestSQLLibraries(t *testing.T) {
	vettest.RunPlain(t, describe(settings.Config{Guards: []string{"(*example.com/idemvet/storeflow/locks.House).Hold"}}), "./storeflow/databasesql/...", "./storeflow/pgx/...", "./storeflow/sqlx/...", "./storeflow/squirrel/...", "./storeflow/sqlc/...", "./storeflow/layered/...", "./storeflow/locks/...", "./storeflow/guessed/...", "./storeflow/duplicates/...", "./storeflow/ownruntime/...", "./storeflow/forms")
}
