package known

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/names"
)

// Sink is a function through which a value becomes an idempotency key, or is read back as one. Arguments count from 0, without the receiver, which is -1; -2 is none. A number at or past a variadic parameter is an element of what is given to it.
type Sink struct {
	Value  int  // argument that becomes the key; -2 for a getter
	Name   int  // argument that must be the constant name of a key ([names.IsKey]); -2 when the function's own name says it
	Target int  // argument that carries the key afterwards: the header, the parameters; -2 when only the result does
	Reads  bool // a getter: what it returns says whether a key is there already
	Absent bool // sets only what is not there yet
	Pairs  bool // names and values take turns from Name on
	Map    bool // Value is a map whose keys are the names; Name is -2
}

// sinks name the function whose argument Name says whether it is about a key.
var sinks = map[string]Sink{
	"net/http.Header.Set":          {Value: 1, Name: 0, Target: receiver},
	"net/http.Header.Add":          {Value: 1, Name: 0, Target: receiver},
	"net/http.Header.Get":          {Value: none, Name: 0, Target: receiver, Reads: true},
	"net/http.Header.Values":       {Value: none, Name: 0, Target: receiver, Reads: true},
	"net/textproto.MIMEHeader.Set": {Value: 1, Name: 0, Target: receiver},
	"net/textproto.MIMEHeader.Add": {Value: 1, Name: 0, Target: receiver},
	"net/textproto.MIMEHeader.Get": {Value: none, Name: 0, Target: receiver, Reads: true},
	"net/url.Values.Set":           {Value: 1, Name: 0, Target: receiver},
	"net/url.Values.Add":           {Value: 1, Name: 0, Target: receiver},
	"net/url.Values.Get":           {Value: none, Name: 0, Target: receiver, Reads: true},
	"net/url.Values.Has":           {Value: none, Name: 0, Target: receiver, Reads: true},

	"google.golang.org/grpc/metadata.AppendToOutgoingContext": {Value: 2, Name: 1, Target: none, Pairs: true},
	"google.golang.org/grpc/metadata.Pairs":                   {Value: 1, Name: 0, Target: none, Pairs: true},
	"google.golang.org/grpc/metadata.New":                     {Value: 0, Name: none, Target: none, Map: true},
	"google.golang.org/grpc/metadata.MD.Set":                  {Value: 1, Name: 0, Target: receiver},
	"google.golang.org/grpc/metadata.MD.Append":               {Value: 1, Name: 0, Target: receiver},
	"google.golang.org/grpc/metadata.MD.Get":                  {Value: none, Name: 0, Target: receiver, Reads: true},

	"github.com/go-resty/resty.Request.SetHeader":         {Value: 1, Name: 0, Target: receiver},
	"github.com/go-resty/resty.Request.SetHeaderVerbatim": {Value: 1, Name: 0, Target: receiver},
	"github.com/go-resty/resty.Request.SetHeaders":        {Value: 0, Name: none, Target: receiver, Map: true},
	"github.com/go-resty/resty.Request.SetQueryParam":     {Value: 1, Name: 0, Target: receiver},
	"github.com/go-resty/resty.Request.SetQueryParams":    {Value: 0, Name: none, Target: receiver, Map: true},
	"github.com/go-resty/resty.Request.SetFormData":       {Value: 0, Name: none, Target: receiver, Map: true},
	"github.com/go-resty/resty.Client.SetHeader":          {Value: 1, Name: 0, Target: receiver},
	"github.com/go-resty/resty.Client.SetHeaders":         {Value: 0, Name: none, Target: receiver, Map: true},

	"github.com/stripe/stripe-go.Params.SetIdempotencyKey": {Value: 0, Name: none, Target: receiver},
}

// SinkOf tells how a function makes a key of an argument: by the table, else by its shape. A function named for a key (SetIdempotencyKey, WithIdempotencyKey, IdempotencyKey) that takes one text is a sink, and so is one named for a header (WithHeader, SetHeader), or a setter of anything (Set, Add) that takes a name and a text.
func SinkOf(fn *types.Func) (Sink, bool) {
	if fn == nil {
		return Sink{}, false
	}
	if sink, ok := sinks[ID(fn)]; ok {
		return sink, true
	}
	return sinkByShape(fn)
}

func sinkByShape(fn *types.Func) (Sink, bool) {
	signature, ok := fn.Type().(*types.Signature)
	if !ok {
		return Sink{}, false
	}
	target := none
	if signature.Recv() != nil {
		target = receiver
	}
	verb, name := cutVerb(fn.Name())
	if names.IsKey(name) || cloudTokens[name] && signature.Recv() != nil && isCloudRequest(signature.Recv().Type()) {
		if isRowBuilder(signature) {
			return Sink{}, false
		}
		value := onlyText(signature.Params())
		if value == none || verb == "" && !isBuilder(signature) {
			return Sink{}, false
		}
		return Sink{Value: value, Name: none, Target: target}, true
	}
	params := signature.Params()
	if isHeaderSetter(verb, name, signature) && params.Len() == 2 && isText(params.At(0).Type()) && isText(params.At(1).Type()) {
		return Sink{Value: 1, Name: 0, Target: target}, true
	}
	return Sink{}, false
}

// isHeaderSetter knows what setters of a named value are called. That the name given is a key's is seen at the call.
func isHeaderSetter(verb, name string, signature *types.Signature) bool {
	switch name {
	case "Header", "RequestHeader", "HTTPHeader", "CustomHeader":
		return verb != "" || isBuilder(signature)
	case "Set", "Add":
		return signature.Recv() != nil
	}
	return false
}

// isRowBuilder sees the builders that ent generates for rows: client.Payment.Create().SetIdempotencyKey(k) stores a key and sends none.
func isRowBuilder(signature *types.Signature) bool {
	if signature.Recv() == nil {
		return false
	}
	named := namedOf(signature.Recv().Type())
	if named == nil {
		return false
	}
	for _, suffix := range []string{"Create", "Update", "UpdateOne", "Upsert", "UpsertOne", "UpsertBulk", "Mutation"} {
		if strings.HasSuffix(named.Obj().Name(), suffix) {
			return true
		}
	}
	return false
}

// cutVerb takes the verb that sets off a function's name.
func cutVerb(name string) (verb, rest string) {
	for _, verb := range []string{"Set", "With", "Add", "Use", "set", "with", "add"} {
		if rest, ok := strings.CutPrefix(name, verb); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return verb, rest
		}
	}
	return "", name
}

// isBuilder sees the methods of request builders, which return what they were called on: input.IdempotencyKey("k").
func isBuilder(signature *types.Signature) bool {
	if signature.Recv() == nil || signature.Results().Len() != 1 {
		return false
	}
	built := namedOf(signature.Results().At(0).Type())
	return built != nil && built == namedOf(signature.Recv().Type())
}

// onlyText gives the one parameter that is a text, besides a context; none when there are others.
func onlyText(params *types.Tuple) int {
	found := none
	for i := range params.Len() {
		t := params.At(i).Type()
		if typeID(t) == "context.Context" {
			continue
		}
		if found != none || !isText(t) {
			return none
		}
		found = i
	}
	return found
}

// isText reports whether a type can hold a key: a string or bytes of any name, a pointer to one, an identifier type such as uuid.UUID.
func isText(t types.Type) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Array:
		return isByte(u.Elem())
	case *types.Slice:
		return isByte(u.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.Byte
}

// awsTokens are the members that the SDK for AWS sends as idempotency tokens. Outside of it these names are used for other things.
var awsTokens = map[string]bool{"ClientToken": true, "ClientRequestToken": true, "MessageDeduplicationId": true, "IdempotencyToken": true}

// cloudTokens are the members that the SDKs of other clouds send as idempotency tokens: Alibaba Cloud, Tencent Cloud, Volcengine and Baidu, and OpcRetryToken of Oracle.
var cloudTokens = map[string]bool{"ClientToken": true, "OpcRetryToken": true}

// clouds are the SDKs of [cloudTokens].
var clouds = []string{
	"github.com/aliyun/alibaba-cloud-sdk-go/services/",
	"github.com/alibabacloud-go/",
	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/",
	"github.com/volcengine/volcengine-go-sdk/service/",
	"github.com/baidubce/bce-sdk-go/services/",
	"github.com/oracle/oci-go-sdk/",
}

func isCloudRequest(owner types.Type) bool {
	named := namedOf(owner)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	name, path := named.Obj().Name(), named.Obj().Pkg().Path()
	if !strings.HasSuffix(name, "Request") && !strings.HasSuffix(name, "Input") && !strings.HasSuffix(name, "Args") {
		return false
	}
	return slices.ContainsFunc(clouds, func(root string) bool { return strings.HasPrefix(path, root) })
}

// TokenEntry reports whether an entry of a map that a program sends is an idempotency token by its name alone: the parameters of a cloud's call that has no type of its own. Fields and variables of that name are left out, since others call the token of a login so.
func TokenEntry(name string) bool { return name == "ClientToken" || name == "clientToken" }

// KeyField reports whether a field of a struct holds an idempotency key that is sent: a text, or a text that may be left out, named for a key in a struct that is not a row, or a token of a cloud's SDK. owner is the struct or its named type.
func KeyField(owner types.Type, field *types.Var) bool {
	if field == nil || !isText(field.Type()) && !isOptional(field.Type()) {
		return false
	}
	if isAWSInput(owner) {
		return awsTokens[field.Name()]
	}
	if cloudTokens[field.Name()] && isCloudRequest(owner) {
		return true
	}
	return names.IsKey(field.Name()) && !RowType(owner)
}

func isAWSInput(owner types.Type) bool {
	named := namedOf(owner)
	return named != nil && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), "github.com/aws/aws-sdk-go") && strings.HasSuffix(named.Obj().Name(), "Input")
}

// rowTags are the tags by which the database libraries map a struct to a row.
var rowTags = []string{"db", "gorm", "bun", "bson", "dynamodbav", "ch", "pg", "xorm", "boil"}

// RowType reports whether a struct is the image of a stored row, by its tags or by its name: what is put into its key member is stored, not sent.
func RowType(t types.Type) bool {
	if named := namedOf(t); named != nil {
		name := named.Obj().Name()
		for _, suffix := range []string{"Row", "Record", "Model", "Entity", "Entry"} {
			if strings.HasSuffix(name, suffix) {
				return true
			}
		}
		t = named
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range structure.NumFields() {
		tag := reflect.StructTag(structure.Tag(i))
		for _, key := range rowTags {
			if _, ok := tag.Lookup(key); ok {
				return true
			}
		}
	}
	return false
}

// KeyParam reports whether a parameter is an idempotency key by its name and its type. It is weak evidence where the body of the function is not in view.
func KeyParam(param *types.Var) bool {
	return param != nil && names.IsKey(param.Name()) && isText(param.Type())
}
