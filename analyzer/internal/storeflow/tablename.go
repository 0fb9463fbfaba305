package storeflow

import (
	"go/ast"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// TableName is the fact of a method TableName that returns a constant: the table that gorm gives the type's rows.
type TableName struct{ Table string }

// AFact marks TableName as a fact.
func (*TableName) AFact() {}

// exportTableNames looks at the syntax only: models often live in packages that import no database.
func exportTableNames(pass *analysis.Pass) {
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "TableName" || method.Body == nil || len(method.Body.List) != 1 {
				continue
			}
			result, ok := method.Body.List[0].(*ast.ReturnStmt)
			if !ok || len(result.Results) != 1 {
				continue
			}
			value := pass.TypesInfo.Types[result.Results[0]].Value
			fn, ok := pass.TypesInfo.Defs[method.Name].(*types.Func)
			if !ok || value == nil || value.Kind() != constant.String {
				continue
			}
			pass.ExportObjectFact(fn, &TableName{constant.StringVal(value)})
		}
	}
}

// tableName gives what a TableName method of any package returns, "" when that is not a constant.
func (p *Result) tableName(method *types.Func) string {
	var fact TableName
	if !p.pass.ImportObjectFact(method.Origin(), &fact) {
		return ""
	}
	return fact.Table
}
