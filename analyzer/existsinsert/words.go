package existsinsert

import (
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/program"
)

var (
	notFoundName  = pattern.New(`(?i)not_?found|no_?rows?|no_?documents?|no_?record|no_?result|no_?such|(not|doesnt?)_?exists?|missing|^nil$|no_?matching`)
	takenName     = pattern.New(`(?i)already|duplicate|conflict|taken|unique|^err_?exists?|in_?use`)
	zeroName      = pattern.New(`^(IsZero|IsEmpty|IsNil|Empty)$`)
	nilName       = pattern.New(`(?i)^(nil|zero|empty|nil\w+|zero\w+|empty\w+)$`)
	countName     = pattern.New(`(?i)^(n|c|cnt|num|total|size|len|amount_?of\w*)$|count|rows_?affected|^num_?\w+|exists?`)
	identityName  = pattern.New(`(ID|Id|UUID|Uuid|GUID|Guid)$|^(id|uuid|guid|oid)$|_id$`)
	existenceName = pattern.New(`(?i)exist|found|present|^has|^is_?(known|used|taken|dup|registered|processed|handled|seen)|already|duplicate|taken|seen|processed|contains|^ok$|^dup|^used$|^valid$|member|registered|in_?use|^known$|^hit$`)
	absenceName   = pattern.New(`(?i)not_?(exist|found|present|seen|processed|used)|^is_?(free|new|unique|available|first|unused|absent|missing)|free$|available$|^unique|^missing|^absent|^unused|unseen|^can[A-Z_]|^is_?not|does_?nt_?exist|no_?such`)
	ensureAbsent  = pattern.New(`(?i)(ensure|check|validate|assert|verify|must|reject|guard|require|prevent|forbid|fail).*(uniq|unused|not|no_|free|available|dup|conflict|taken|absent|exists$)`)
	lookName      = pattern.New(`(?i)^(find|get|look|load|fetch|read|select|query|search|retrieve|by|one|first|has|exist|check|is|try|maybe|select|resolve|list|count|seen|already|was|find_?one|must_?get|internal_?get)`)
	translateName = pattern.New(`(?i)(convert|translate|map|classify|handle|parse|normali[sz]e|transform|as|to|process|wrap|check|resolve|from|postgres|pg|db|sql|mysql)\w*err`)
	lockName      = pattern.New(`^(Lock|lock|TryLock|tryLock|Acquire|acquire|AcquireLock|acquireLock|Obtain|ObtainLock|GetLock|getLock|TryAcquire|LockContext|TryLockContext|WithLock|withLock|LockRow|RunWithLock|ExecuteWithLock)$`)
)

func isNotFound(name string) bool     { return name != "" && notFoundName.MatchString(name) }
func isTaken(name string) bool        { return takenName.MatchString(name) }
func isZeroName(name string) bool     { return zeroName.MatchString(name) }
func isNilName(name string) bool      { return nilName.MatchString(name) }
func isCountName(name string) bool    { return countName.MatchString(name) }
func isIdentityName(name string) bool { return identityName.MatchString(name) }
func saysAbsent(name string) bool     { return absenceName.MatchString(name) }
func saysPresent(name string) bool    { return !saysAbsent(name) && existenceName.MatchString(name) }

// isFieldName: the fields and methods of libraries that lead to the row itself are no fields of the row.
func isFieldName(name string) bool {
	switch name {
	case "Item", "Items", "Error", "Err":
		return false
	}
	return name != "" && unicode.IsUpper(rune(name[0]))
}

// takesOut knows the methods of results that give a part of them.
func takesOut(name string) bool {
	switch name {
	case "Scan", "ScanRow", "ScanAll", "StructScan", "MapScan", "SliceScan", "ScanStruct", "Err", "Error", "Result", "Val", "Decode", "All", "One",
		"RowsAffected", "Next", "TryNext", "Values", "Bytes", "Text", "String", "Int", "Int64", "Uint64", "Bool", "Unwrap", "Cause", "RemainingBatchLength",
		"Find", "First", "Take", "Count", "Exist", "Only", "Exists", "Raw", "Float64", "Time", "Slice":
		return true
	}
	return false
}

func calleeName(call ssa.CallInstruction) string {
	common := call.Common()
	if common.IsInvoke() {
		return common.Method.Name()
	}
	if callee := common.StaticCallee(); callee != nil {
		name, _, _ := strings.Cut(callee.Name(), "[") // an instance of a generic function
		return strings.TrimSuffix(name, "$bound")
	}
	return ""
}

func isErrorsFunc(call *ssa.Call, name string) bool {
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Name() != name {
		return false
	}
	switch program.PathOf(callee) {
	case "errors", "github.com/pkg/errors", "golang.org/x/xerrors", "github.com/cockroachdb/errors", "emperror.dev/errors", "github.com/go-faster/errors":
		return true
	}
	return false
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

func isBool(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

func resultCount(call ssa.CallInstruction) int {
	return call.Common().Signature().Results().Len()
}

// givesMany: a call whose first result is a list, or the rows of one, finds nothing without an error.
func givesMany(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	if results.Len() == 0 {
		return false
	}
	first := results.At(0).Type()
	switch first.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	if pointer, ok := first.(*types.Pointer); ok {
		first = pointer.Elem()
	}
	named, ok := types.Unalias(first).(*types.Named)
	return ok && (named.Obj().Name() == "Rows" || named.Obj().Name() == "Cursor")
}

func givesOnlyBoolAndError(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	return results.Len() == 2 && isBool(results.At(0).Type()) && isError(results.At(1).Type())
}

func readsAsLook(call ssa.CallInstruction) bool { return lookName.MatchString(calleeName(call)) }
