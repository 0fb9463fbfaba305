package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// dynamoLibrary knows DynamoDB through AWS's SDK for Go, v2 and v1. A call is known by the type of its input, so that the interfaces that houses declare for tests count too.
type dynamoLibrary struct{}

func isDynamoPath(path string) bool {
	return path == "github.com/aws/aws-sdk-go-v2/service/dynamodb" || path == "github.com/aws/aws-sdk-go-v2/service/dynamodb/types" ||
		path == "github.com/aws/aws-sdk-go/service/dynamodb" || path == "github.com/aws/aws-sdk-go/service/dynamodb/dynamodbiface" ||
		path == "github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue" || path == "github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
}

func (dynamoLibrary) imports(path string) bool { return isDynamoPath(path) }

func (dynamoLibrary) connection(t types.Type) ConnKind {
	declaring := named(t)
	if declaring == nil || !isDynamoPath(packagePath(declaring.Obj())) {
		return UnknownConn
	}
	switch declaring.Obj().Name() {
	case "Client", "DynamoDB", "DynamoDBAPI":
		return Client
	}
	return UnknownConn
}

// dynamoInput finds the input among a call's arguments and names its operation.
func dynamoInput(call ssa.CallInstruction, fn *types.Func) (input ssa.Value, operation string) {
	for i := range min(2, fn.Signature().Params().Len()) {
		shape := named(fn.Signature().Params().At(i).Type())
		if shape == nil || !isDynamoPath(packagePath(shape.Obj())) {
			continue
		}
		if operation, ok := strings.CutSuffix(shape.Obj().Name(), "Input"); ok {
			return argument(call, i), operation
		}
	}
	return nil, ""
}

func (l dynamoLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if fn.Signature().Recv() == nil {
		return nil
	}
	input, operation := dynamoInput(call, fn)
	if input == nil || !strings.HasPrefix(fn.Name(), operation) {
		return nil
	}
	if isHouseWrapper(p, call, fn) {
		return nil
	}
	fields := inputFields(p, input)
	executor := Executor{Kind: Client, Value: program.Resolve(receiver(call))}
	switch operation {
	case "GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem":
		access := l.item(p, fields, operation)
		access.Executor = executor
		return []Access{access}
	case "TransactWriteItems":
		list := l.transact(p, fieldNamed(fields, "TransactItems"))
		for i := range list {
			list[i].Executor = executor
		}
		return list
	case "BatchWriteItem":
		return []Access{{Engine: Dynamo, Op: Insert, Partial: true, Executor: executor}}
	}
	return nil
}

// isHouseWrapper holds for a method of the house's own with a body in view: what it does is read there.
func isHouseWrapper(p *Result, call ssa.CallInstruction, fn *types.Func) bool {
	return !isDynamoPath(packagePath(fn)) && !call.Common().IsInvoke()
}

// inputFields gives the fields of an input literal, also of one that a helper of this package returns.
func inputFields(p *Result, input ssa.Value) []fieldValue {
	if fields := structFields(input); len(fields) > 0 {
		return fields
	}
	call, ok := program.Resolve(input).(*ssa.Call)
	if !ok {
		return nil
	}
	body := p.program.Callee(&call.Call).Body
	if body == nil {
		return nil
	}
	for _, block := range body.Blocks {
		if end, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && len(end.Results) > 0 {
			if fields := structFields(end.Results[0]); len(fields) > 0 {
				return fields
			}
		}
	}
	return nil
}

// item reads one operation on one item.
func (l dynamoLibrary) item(p *Result, fields []fieldValue, operation string) Access {
	access := Access{Engine: Dynamo, Table: placeName(p, fieldNamed(fields, "TableName"), dynamoText), Partial: len(fields) == 0}
	switch operation {
	case "GetItem":
		access.Op = Read
		access.Columns = attributeNames(fieldNamed(fields, "Key"))
	case "Query":
		access.Op = Read
		condition, _ := pointedText(fieldNamed(fields, "KeyConditionExpression"))
		access.Columns = l.named(keyEqualities(condition), fieldNamed(fields, "ExpressionAttributeNames"))
	case "PutItem", "Put":
		access.Op = Insert
		item := fieldNamed(fields, "Item")
		access.Columns = attributeNames(item)
		access.Entity = entityName(marshalled(item))
	case "UpdateItem", "Update":
		access.Op = Update
		access.Columns = attributeNames(fieldNamed(fields, "Key"))
	case "DeleteItem", "Delete":
		access.Op = Delete
		access.Columns = attributeNames(fieldNamed(fields, "Key"))
	}
	condition := fieldNamed(fields, "ConditionExpression")
	if condition == nil && fieldNamed(fields, "Expected") != nil { // v1's older form
		condition = fieldNamed(fields, "Expected")
	}
	if condition != nil && !isZeroConstant(condition) {
		access.Guard |= OnConflict | ResultRead // a condition that does not hold is an error of its own
	}
	return access
}

// transact reads the writes of one TransactWriteItems. One condition that does not hold undoes all of them, so it arbitrates for all.
func (l dynamoLibrary) transact(p *Result, writes ssa.Value) []Access {
	var list []Access
	guarded := false
	for _, write := range items(writes) {
		for _, part := range structFields(write) {
			name := part.field.Name()
			fields := structFields(part.value)
			switch name {
			case "Put", "Update", "Delete":
				access := l.item(p, fields, name)
				guarded = guarded || access.Guard.Has(OnConflict)
				list = append(list, access)
			case "ConditionCheck":
				guarded = true
			}
		}
	}
	if len(list) == 0 {
		return []Access{{Engine: Dynamo, Op: Insert, Partial: true}}
	}
	for i := range list {
		if guarded {
			list[i].Guard |= OnConflict | ResultRead
		}
	}
	return list
}

// pointedText is the text behind aws.String("..."), or behind a pointer to a variable.
func pointedText(v ssa.Value) (string, bool) {
	if v == nil {
		return "", false
	}
	switch v := program.Resolve(v).(type) {
	case *ssa.Call:
		if len(v.Call.Args) == 1 {
			return knownText(v.Call.Args[0])
		}
	case *ssa.Alloc:
		if stores := program.Stores(v); len(stores) == 1 {
			return knownText(stores[0].Val)
		}
	}
	return knownText(v)
}

// dynamoText names a table; a name that is kept in a field is followed by the caller.
func dynamoText(v ssa.Value) string {
	text, ok := pointedText(v)
	if ok {
		return strings.ToLower(text)
	}
	var inner ssa.Value
	switch v := program.Resolve(v).(type) {
	case *ssa.Call: // aws.String(s.table)
		if len(v.Call.Args) == 1 {
			inner = v.Call.Args[0]
		}
	case *ssa.FieldAddr: // &s.table
		if field := program.Field(v.X.Type(), v.Field); field != nil {
			return fieldPlace(v.X.Type(), field)
		}
	}
	if inner == nil {
		return ""
	}
	switch inner := program.Resolve(inner).(type) {
	case *ssa.UnOp:
		if global, ok := inner.X.(*ssa.Global); ok {
			return strings.ToLower(global.Name())
		}
		if address, ok := inner.X.(*ssa.FieldAddr); ok {
			if field := program.Field(address.X.Type(), address.Field); field != nil {
				return fieldPlace(address.X.Type(), field)
			}
		}
	case *ssa.Parameter:
		return strings.ToLower(inner.Name())
	}
	return ""
}

func fieldPlace(owner types.Type, field *types.Var) string {
	if declaring := named(owner); declaring != nil {
		return declaring.Obj().Name() + "." + field.Name()
	}
	return field.Name()
}

// attributeNames gives the keys of a map of attribute values.
func attributeNames(v ssa.Value) []string {
	keys, _, _ := mapEntries(v)
	for i := range keys {
		keys[i] = strings.ToLower(keys[i])
	}
	return unique(keys)
}

// marshalled is the type that attributevalue.MarshalMap turned into an item.
func marshalled(item ssa.Value) *types.Named {
	if item == nil {
		return nil
	}
	extract, ok := program.Resolve(item).(*ssa.Extract)
	if !ok {
		return nil
	}
	call, ok := extract.Tuple.(*ssa.Call)
	if !ok || declared(call) == nil || !strings.HasPrefix(declared(call).Name(), "MarshalMap") {
		return nil
	}
	return rowType(argument(call, 0))
}

// keyEqualities gives the names that a key condition compares with "=": "pk = :v AND begins_with(sk, :s)" gives pk.
func keyEqualities(condition string) []string {
	var columns []string
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(condition, " AND ", "\n"), " and ", "\n"), func(r rune) bool { return r == '\n' }) {
		name, _, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if ok && name != "" && !strings.ContainsAny(name, "<>( ") {
			columns = append(columns, name)
		}
	}
	return columns
}

// named replaces placeholders ("#pk") by the attributes they stand for.
func (dynamoLibrary) named(columns []string, names ssa.Value) []string {
	keys, values, _ := mapEntries(names)
	for i, column := range columns {
		for j, key := range keys {
			if key == column {
				if name, ok := pointedText(values[j]); ok {
					columns[i] = name
				}
			}
		}
		columns[i] = strings.ToLower(columns[i])
	}
	return columns
}

func (dynamoLibrary) transaction(*Result, ssa.CallInstruction, *types.Func) *event { return nil }

// duplicate: a failed condition is an error of its own, ConditionalCheckFailedException, and is told apart by errors.As with that type.
func (dynamoLibrary) duplicate(object types.Object) bool {
	name, ok := object.(*types.TypeName)
	return ok && (name.Name() == "ConditionalCheckFailedException" || name.Name() == "TransactionCanceledException") && isDynamoPath(packagePath(object))
}
