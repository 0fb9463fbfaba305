package storeflow

import (
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// mongoLibrary knows MongoDB's own driver, v1 and v2.
type mongoLibrary struct{}

const mongoPath = "go.mongodb.org/mongo-driver"

func (mongoLibrary) imports(path string) bool {
	return path == mongoPath+"/mongo" || path == mongoPath+"/bson" || path == mongoPath+"/mongo/options"
}

func (mongoLibrary) connection(t types.Type) ConnKind {
	declaring := named(t)
	if declaring == nil || packagePath(declaring.Obj()) != mongoPath+"/mongo" {
		return UnknownConn
	}
	switch declaring.Obj().Name() {
	case "Client", "Database", "Collection":
		return Client
	}
	return UnknownConn
}

func (l mongoLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	declaring := fn.Signature().Recv()
	if declaring == nil || !collectionLike(fn, call) {
		return nil
	}
	collection := receiver(call)
	access := Access{Engine: Mongo, Table: placeName(p, collection, collectionName), Executor: Executor{Kind: Client, Value: program.Resolve(collection)}}
	filter, last := argument(call, 1), argument(call, fn.Signature().Params().Len()-1)
	switch fn.Name() {
	case "FindOne", "Find", "CountDocuments":
		access.Op = Read
		access.Always = fn.Name() == "CountDocuments"
		l.filter(&access, filter)
		access.Entity = entityName(decoded(callValue(call)))
	case "InsertOne":
		access.Op = Insert
		l.document(p, &access, filter)
	case "InsertMany":
		access.Op = Insert
		if documents := items(filter); len(documents) > 0 {
			l.document(p, &access, documents[0])
		}
	case "UpdateOne", "UpdateMany", "ReplaceOne", "FindOneAndUpdate", "FindOneAndReplace":
		access.Op = Update
		l.filter(&access, filter)
		l.upsert(&access, call, last)
	case "UpdateByID":
		access.Op, access.Columns = Update, []string{"_id"}
		l.upsert(&access, call, last)
	case "DeleteOne", "DeleteMany", "FindOneAndDelete":
		access.Op = Delete
		l.filter(&access, filter)
	default:
		return nil
	}
	return []Access{access}
}

// collectionLike holds for the methods of *mongo.Collection and for those of a house's interface with the same names and the driver's result types.
func collectionLike(fn *types.Func, call ssa.CallInstruction) bool {
	if packagePath(fn) == mongoPath+"/mongo" {
		return receiverName(fn) == "Collection"
	}
	if !call.Common().IsInvoke() || fn.Signature().Results().Len() == 0 || fn.Signature().Params().Len() < 2 {
		return false
	}
	result := named(fn.Signature().Results().At(0).Type())
	return result != nil && packagePath(result.Obj()) == mongoPath+"/mongo"
}

// collectionName is the name given to db.Collection("payments").
func collectionName(v ssa.Value) string {
	call, ok := program.Resolve(v).(*ssa.Call)
	if !ok {
		return ""
	}
	fn := declared(call)
	if fn == nil || fn.Name() != "Collection" {
		return ""
	}
	of := argument(call, 0)
	if of == nil {
		return ""
	}
	if lowered, isCall := program.Resolve(of).(*ssa.Call); isCall && isFunc(declared(lowered), "strings", "ToLower") {
		of = argument(lowered, 0)
	}
	if name, ok := program.Text(of); ok { // one collection for each tenant: "holders_*"
		return pattern(name)
	}
	if field, owner := fieldLoaded(of); field != nil {
		return strings.ToLower(owner + "." + field.Name())
	}
	return ""
}

// pairs gives the keys and values of a document in any of its forms: bson.M, a map, bson.D or a struct with bson tags.
func pairs(v ssa.Value) (keys []string, values []ssa.Value, ok bool) {
	if v == nil {
		return nil, nil, false
	}
	v = unboxed(v)
	if keys, values, ok = mapEntries(v); ok {
		return keys, values, true
	}
	switch types.Unalias(v.Type()).Underlying().(type) {
	case *types.Slice:
		for _, element := range items(v) {
			fields := structFields(element)
			if key, known := knownText(fieldNamed(fields, "Key")); known {
				keys, values = append(keys, key), append(values, fieldNamed(fields, "Value"))
			}
		}
		return keys, values, len(keys) > 0
	case *types.Struct, *types.Pointer:
		for _, set := range structFields(v) {
			if name := bsonName(set.field, set.tag); name != "" {
				keys, values = append(keys, name), append(values, set.value)
			}
		}
		return keys, values, len(keys) > 0
	}
	return nil, nil, false
}

func bsonName(field *types.Var, tag string) string {
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("bson"), ",")
	switch name {
	case "-":
		return ""
	case "":
		return strings.ToLower(field.Name())
	}
	return name
}

// filter reads the fields that a filter compares for equality. Operators other than $eq and $in are no equality; $and is looked into.
func (l mongoLibrary) filter(access *Access, filter ssa.Value) {
	keys, values, ok := pairs(filter)
	if !ok {
		access.Partial = true
		return
	}
	for i, key := range keys {
		if strings.HasPrefix(key, "$") {
			if key == "$and" {
				for _, part := range items(unboxed(values[i])) {
					l.filter(access, part)
				}
			}
			continue
		}
		if operators, _, isDocument := pairs(values[i]); isDocument && len(operators) > 0 && strings.HasPrefix(operators[0], "$") && operators[0] != "$eq" && operators[0] != "$in" {
			continue
		}
		access.Columns = append(access.Columns, strings.ToLower(key))
	}
	access.Columns = unique(access.Columns)
}

// document reads what an insert writes. A document without _id gets one from the driver.
func (mongoLibrary) document(p *Result, access *Access, document ssa.Value) {
	keys, values, ok := pairs(document)
	if row := rowType(document); row != nil && !strings.HasPrefix(packagePath(row.Obj()), mongoPath+"/bson") {
		access.Entity = entityName(row)
	}
	if !ok {
		return
	}
	minted := true
	for i, key := range keys {
		access.Columns = append(access.Columns, strings.ToLower(key))
		if key == "_id" {
			minted = values[i] != nil && p.isMint(values[i], mintDepth)
		}
	}
	access.Columns = unique(access.Columns)
	if minted {
		access.Guard |= MintedKey
	}
}

// upsert turns an update with SetUpsert(true) into an insert that is arbitrated by its filter.
func (mongoLibrary) upsert(access *Access, call ssa.CallInstruction, options ssa.Value) {
	list := items(options)
	if len(list) == 0 {
		if constant, ok := options.(*ssa.Const); !ok || constant.Value != nil {
			access.Partial = access.Partial || options != nil
		}
		return
	}
	for _, option := range list {
		built := chainOf(unboxed(option), true, func(fn *types.Func) bool { return packagePath(fn) == mongoPath+"/mongo/options" })
		for _, link := range built.links {
			if link.fn.Name() == "SetUpsert" && isTrue(at(link.arguments, 0)) {
				access.Op = Insert
			}
		}
	}
	if access.Op != Insert {
		return
	}
	access.Guard |= OnConflict
	access.Target = access.Columns
	access.Upsert = !onlyOnInsert(call)
	if memberRead(result(call, 0), "UpsertedCount", "UpsertedID", "MatchedCount", "ModifiedCount", "Decode", "Err", "Raw") {
		access.Guard |= ResultRead
	}
}

// onlyOnInsert reports whether the update of an upsert changes nothing in a document that is there: it has $setOnInsert and nothing else.
func onlyOnInsert(call ssa.CallInstruction) bool {
	keys, _, ok := pairs(argument(call, 2))
	return ok && len(keys) == 1 && keys[0] == "$setOnInsert"
}

// decoded is the type that a found document is decoded into.
func decoded(found ssa.Value) *types.Named {
	if found == nil {
		return nil
	}
	if _, isTuple := found.Type().(*types.Tuple); isTuple {
		return nil
	}
	for _, referrer := range referrersOf(found) {
		call, ok := referrer.(*ssa.Call)
		if !ok {
			continue
		}
		if fn := declared(call); fn != nil && fn.Name() == "Decode" {
			return rowType(argument(call, 0))
		}
	}
	return nil
}

func (mongoLibrary) transaction(p *Result, call ssa.CallInstruction, fn *types.Func) *event {
	if packagePath(fn) != mongoPath+"/mongo" {
		return nil
	}
	switch fn.Name() {
	case "WithTransaction":
		return &event{kind: runs, callback: argument(call, 1), callbackTx: -1}
	case "UseSession":
		return &event{kind: runs, plain: true, callback: argument(call, 1), callbackTx: -1}
	case "WithSession", "UseSessionWithOptions":
		return &event{kind: runs, plain: true, callback: argument(call, 2), callbackTx: -1}
	}
	return nil
}

func (mongoLibrary) duplicate(object types.Object) bool {
	return object.Name() == "IsDuplicateKeyError" && packagePath(object) == mongoPath+"/mongo"
}
