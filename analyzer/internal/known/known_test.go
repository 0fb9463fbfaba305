package known

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// libraries are the packages that the tables name, in every major version that they hold for.
var libraries = []string{
	"bytes", "context", "crypto/md5", "crypto/rand", "crypto/sha1", "crypto/sha256", "crypto/sha512", "encoding/base32", "encoding/base64", "encoding/hex", "encoding/json",
	"fmt", "hash", "hash/crc32", "io", "math/big", "math/rand", "math/rand/v2", "net/http", "net/textproto", "net/url", "strconv", "strings", "sync/atomic", "time",

	"github.com/IBM/sarama",
	"github.com/ThreeDotsLabs/watermill",
	"github.com/ThreeDotsLabs/watermill/message",
	"github.com/adyen/adyen-go-api-library/v21/src/checkout",
	"github.com/adyen/adyen-go-api-library/v21/src/common",
	"github.com/aliyun/alibaba-cloud-sdk-go/services/ecs",
	"github.com/avast/retry-go/v4",
	"github.com/avast/retry-go/v5",
	"github.com/aws/aws-sdk-go-v2/aws",
	"github.com/aws/aws-sdk-go-v2/service/dynamodb",
	"github.com/aws/aws-sdk-go-v2/service/ecs",
	"github.com/aws/aws-sdk-go-v2/service/sqs",
	"github.com/aws/smithy-go/ptr",
	"github.com/aws/smithy-go/rand",
	"github.com/cenkalti/backoff/v3",
	"github.com/cenkalti/backoff/v4",
	"github.com/cenkalti/backoff/v5",
	"github.com/cespare/xxhash/v2",
	"github.com/eapache/go-resiliency/retrier",
	"github.com/failsafe-go/failsafe-go",
	"github.com/failsafe-go/failsafe-go/retrypolicy",
	"github.com/go-resty/resty/v2",
	"github.com/gofrs/uuid/v5",
	"github.com/google/uuid",
	"github.com/hashicorp/go-retryablehttp",
	"github.com/hashicorp/go-uuid",
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/id",
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource",
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry",
	"github.com/hibiken/asynq",
	"github.com/lithammer/shortuuid/v3",
	"github.com/matoous/go-nanoid/v2",
	"github.com/oklog/ulid",
	"github.com/oklog/ulid/v2",
	"github.com/pborman/uuid",
	"github.com/riverqueue/river",
	"github.com/rs/xid",
	"github.com/segmentio/kafka-go",
	"github.com/segmentio/ksuid",
	"github.com/satori/go.uuid",
	"github.com/sethvargo/go-retry",
	"github.com/square/square-go-sdk/v3",
	"github.com/square/square-go-sdk/v3/client",
	"github.com/stripe/stripe-go/v82",
	"github.com/twmb/franz-go/pkg/kgo",
	"go.mongodb.org/mongo-driver/bson/primitive",
	"go.mongodb.org/mongo-driver/v2/bson",
	"go.temporal.io/sdk/worker",
	"go.temporal.io/sdk/workflow",
	"google.golang.org/grpc/metadata",
	"google.golang.org/protobuf/proto",
	"k8s.io/apimachinery/pkg/util/rand",
	"k8s.io/apimachinery/pkg/util/uuid",
	"k8s.io/apimachinery/pkg/util/wait",
	"k8s.io/client-go/util/retry",
	"k8s.io/utils/ptr",
}

// load type-checks the libraries in the module of the cases, once: their own version is the one that the tables are held against. It reads their
// source, for compiling them to have export data takes twenty times as long where they are not compiled yet.
var load = sync.OnceValues(func() ([]*packages.Package, error) {
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		return nil, err
	}
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off"),
	}, libraries...)
})

func loaded(t *testing.T) []*packages.Package {
	t.Helper()
	if testing.Short() {
		t.Skip("loads some fifty libraries")
	}
	pkgs, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			t.Fatal(e)
		}
	}
	return pkgs
}

// functions gives every exported function and method of the libraries by [ID], with those of every major version under one name.
func functions(t *testing.T) map[string][]*types.Func {
	t.Helper()
	all := map[string][]*types.Func{}
	add := func(fn *types.Func) { all[ID(fn)] = append(all[ID(fn)], fn) }
	for _, pkg := range loaded(t) {
		scope := pkg.Types.Scope()
		for _, name := range scope.Names() {
			switch object := scope.Lookup(name).(type) {
			case *types.Func:
				add(object)
			case *types.TypeName:
				named, ok := types.Unalias(object.Type()).(*types.Named)
				if !ok {
					continue
				}
				methods := types.NewMethodSet(types.NewPointer(named))
				if types.IsInterface(named) {
					methods = types.NewMethodSet(named)
				}
				for i := range methods.Len() {
					if fn, ok := methods.At(i).Obj().(*types.Func); ok {
						add(fn.Origin())
					}
				}
			}
		}
	}
	return all
}

func named(t *testing.T, id string) *types.Func {
	t.Helper()
	found := functions(t)[id]
	if len(found) == 0 {
		t.Fatalf("no library has %s", id)
	}
	return found[0]
}

// TestEveryRowNamesSomethingThatExists is the check that cannot be made by eye: a row whose name is misspelt, or that a library does not have, says nothing for ever.
func TestEveryRowNamesSomethingThatExists(t *testing.T) {
	all := functions(t)
	tables := map[string][]string{
		"minters":         keys(minters),
		"fillers":         keys(fillers),
		"through":         keys(through),
		"sinks":           keys(sinks),
		"retries":         keys(retries),
		"conditional":     keys(conditional),
		"failsafeRetries": failsafeRetries,
		"restyRetries":    restyRetries,
		"sleeps":          keys(sleeps),
		"registrations":   keys(registrations),
	}
	for table, ids := range tables {
		for _, id := range ids {
			if len(all[id]) == 0 {
				t.Errorf("%s: no library has %s", table, id)
			}
		}
	}
}

// TestEveryNumberOfARowIsAParameter looks at the numbers of the rows: a parameter that a function does not have would make the analysis miss it or look at another.
func TestEveryNumberOfARowIsAParameter(t *testing.T) {
	all := functions(t)
	check := func(id string, arg int) {
		for _, fn := range all[id] {
			signature := fn.Type().(*types.Signature)
			switch {
			case arg == none:
			case arg == receiver && signature.Recv() == nil:
				t.Errorf("%s has no receiver", id)
			case arg >= signature.Params().Len() && !signature.Variadic():
				t.Errorf("%s has no argument %d", id, arg)
			}
		}
	}
	for id := range minters {
		for _, fn := range all[id] {
			if fn.Type().(*types.Signature).Results().Len() == 0 {
				t.Errorf("%s gives nothing", id)
			}
		}
	}
	for id, row := range fillers {
		check(id, row.buffer)
		check(id, row.source)
	}
	for id, args := range through {
		for _, arg := range args {
			check(id, arg)
		}
	}
	for id, sink := range sinks {
		check(id, sink.Value)
		check(id, sink.Name)
		check(id, sink.Target)
	}
	for id, row := range registrations {
		check(id, row.callback)
		for _, fn := range all[id] {
			param := fn.Type().(*types.Signature).Params().At(row.callback).Type()
			if _, isFunc := param.Underlying().(*types.Signature); !isFunc && !types.IsInterface(param) {
				t.Errorf("%s: argument %d is a %s, which holds no function", id, row.callback, param)
			}
		}
	}
	for _, id := range slices.Concat(keys(retries), keys(conditional)) {
		for _, fn := range all[id] {
			if _, ok := RetryOf(fn); !ok {
				t.Errorf("%s has no argument that is a function", id)
			}
		}
	}
}

func TestRetryFields(t *testing.T) {
	for id, fields := range retryHooks {
		structure := structOf(t, id)
		for name := range fields {
			field := fieldOf(structure, name)
			if field == nil {
				t.Errorf("%s has no field %s", id, name)
				continue
			}
			if !RetryHookField(typeNamed(t, id), field) {
				t.Errorf("%s.%s is not found", id, name)
			}
		}
		if RetryHookField(typeNamed(t, id), fieldOf(structure, "CheckRetry")) {
			t.Errorf("%s.CheckRetry changes no request", id)
		}
	}
	for id := range handlerParams {
		typeNamed(t, id)
	}
	for _, row := range handlerMethods {
		typeNamed(t, row.param)
	}
}

func TestCallbackIsTheFunctionThatIsCalledAgain(t *testing.T) {
	for id, want := range map[string]int{
		"github.com/avast/retry-go.Do":                                    0,
		"github.com/avast/retry-go.RetrierWithData.Do":                    0,
		"github.com/sethvargo/go-retry.Do":                                2,
		"github.com/sethvargo/go-retry.DoValue":                           2,
		"github.com/eapache/go-resiliency/retrier.Retrier.RunCtx":         1,
		"k8s.io/client-go/util/retry.OnError":                             2, // the one before judges the error
		"k8s.io/apimachinery/pkg/util/wait.PollUntilContextTimeout":       4,
		"k8s.io/apimachinery/pkg/util/wait.ExponentialBackoffWithContext": 2,
	} {
		for _, fn := range functions(t)[id] {
			if retry, ok := RetryOf(fn); !ok || retry.Callback != want {
				t.Errorf("%s: callback %d, %v, want %d", id, retry.Callback, ok, want)
			}
		}
	}
	for _, fn := range functions(t)["github.com/cenkalti/backoff.Retry"] {
		want := 0
		if strings.HasSuffix(fn.Pkg().Path(), "/v5") {
			want = 1
		}
		if retry, ok := RetryOf(fn); !ok || retry.Callback != want {
			t.Errorf("%s: callback %d, %v, want %d", fn.FullName(), retry.Callback, ok, want)
		}
	}
	for _, id := range []string{"k8s.io/apimachinery/pkg/util/wait.Until", "k8s.io/apimachinery/pkg/util/wait.Forever", "github.com/cenkalti/backoff.Permanent", "github.com/go-resty/resty.Client.SetRetryAfter", "github.com/go-resty/resty.Client.OnAfterResponse"} {
		if _, ok := RetryOf(named(t, id)); ok {
			t.Errorf("%s retries nothing", id)
		}
	}
}

func TestKeyFieldsOfSDKs(t *testing.T) {
	for id, want := range map[string]string{
		"github.com/stripe/stripe-go.Params":                                    "IdempotencyKey",
		"github.com/square/square-go-sdk.CreatePaymentRequest":                  "IdempotencyKey",
		"github.com/square/square-go-sdk.RefundPaymentRequest":                  "IdempotencyKey",
		"github.com/aws/aws-sdk-go-v2/service/ecs.RunTaskInput":                 "ClientToken",
		"github.com/aws/aws-sdk-go-v2/service/ecs.CreateServiceInput":           "ClientToken",
		"github.com/aws/aws-sdk-go-v2/service/dynamodb.TransactWriteItemsInput": "ClientRequestToken",
		"github.com/aws/aws-sdk-go-v2/service/sqs.SendMessageInput":             "MessageDeduplicationId",
		"github.com/aliyun/alibaba-cloud-sdk-go/services/ecs.CreateDiskRequest": "ClientToken",
	} {
		field := fieldOf(structOf(t, id), want)
		if field == nil {
			t.Errorf("%s has no field %s", id, want)
			continue
		}
		for i := range structOf(t, id).NumFields() {
			candidate := structOf(t, id).Field(i)
			if got := KeyField(typeNamed(t, id), candidate); got != (candidate == field) {
				t.Errorf("KeyField(%s.%s) = %v", id, candidate.Name(), got)
			}
		}
	}
}

func TestSinksOfSDKs(t *testing.T) {
	for id, want := range map[string]Sink{
		"github.com/stripe/stripe-go.Params.SetIdempotencyKey":                                       {Value: 0, Name: none, Target: receiver},
		"github.com/square/square-go-sdk.CreatePaymentRequest.SetIdempotencyKey":                     {Value: 0, Name: none, Target: receiver},
		"github.com/adyen/adyen-go-api-library/src/checkout.PaymentsApiPaymentsInput.IdempotencyKey": {Value: 0, Name: none, Target: receiver},
		"github.com/adyen/adyen-go-api-library/src/common.WithIdempotencyKey":                        {Value: 1, Name: none, Target: none},
		"github.com/go-resty/resty.Request.SetHeader":                                                {Value: 1, Name: 0, Target: receiver},
	} {
		if got, ok := SinkOf(named(t, id)); !ok || got != want {
			t.Errorf("SinkOf(%s) = %+v, %v, want %+v", id, got, ok, want)
		}
	}
	for _, id := range []string{"github.com/stripe/stripe-go.Params.SetStripeAccount", "github.com/stripe/stripe-go.NewIdempotencyKey", "github.com/go-resty/resty.Client.SetRetryCount", "github.com/go-resty/resty.Request.SetBody"} {
		if got, ok := SinkOf(named(t, id)); ok {
			t.Errorf("SinkOf(%s) = %+v, want none", id, got)
		}
	}
}

func TestRelevantCoversTheTables(t *testing.T) {
	for _, pkg := range loaded(t) {
		path := pkg.PkgPath
		want := true
		switch Path(path) {
		case "bytes", "context", "encoding/base32", "encoding/base64", "encoding/hex", "encoding/json", "fmt", "hash", "io", "math/big", "strconv", "strings", "sync/atomic", "time",
			"github.com/aws/aws-sdk-go-v2/aws", "github.com/aws/smithy-go/ptr", "github.com/failsafe-go/failsafe-go/retrypolicy", "google.golang.org/protobuf/proto", "k8s.io/utils/ptr":
			want = false // they mint, send and retry nothing by themselves, or everything imports them
		}
		if got := Relevant(path); got != want {
			t.Errorf("Relevant(%q) = %v, want %v", path, got, want)
		}
	}
	for _, path := range []string{"os", "log", "database/sql", "github.com/jackc/pgx/v5", "example.com/app", "github.com/google/go-cmp/cmp", ""} {
		if Relevant(path) {
			t.Errorf("Relevant(%q) = true", path)
		}
	}
}

func structOf(t *testing.T, id string) *types.Struct {
	t.Helper()
	structure, ok := typeNamed(t, id).Underlying().(*types.Struct)
	if !ok {
		t.Fatalf("%s is no struct", id)
	}
	return structure
}

func typeNamed(t *testing.T, id string) types.Type {
	t.Helper()
	for _, pkg := range loaded(t) {
		rest, ok := strings.CutPrefix(id, Path(pkg.PkgPath)+".")
		if !ok {
			continue
		}
		if object := pkg.Types.Scope().Lookup(rest); object != nil {
			return object.Type()
		}
	}
	t.Fatalf("no library has the type %s", id)
	return nil
}

func fieldOf(structure *types.Struct, name string) *types.Var {
	for i := range structure.NumFields() {
		if structure.Field(i).Name() == name {
			return structure.Field(i)
		}
	}
	return nil
}

func keys[V any](m map[string]V) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}
