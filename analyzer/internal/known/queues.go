package known

import "go/types"

// A handler that a queue or workflow engine runs again after a failure.
type registration struct {
	system   string
	callback int
}

var registrations = map[string]registration{
	"go.temporal.io/sdk/worker.ActivityRegistry.RegisterActivity":            {"Temporal", 0},
	"go.temporal.io/sdk/worker.ActivityRegistry.RegisterActivityWithOptions": {"Temporal", 0},
	"go.temporal.io/sdk/worker.ActivityRegistry.RegisterDynamicActivity":     {"Temporal", 0},
	"go.temporal.io/sdk/workflow.ExecuteActivity":                            {"Temporal", 1},
	"go.temporal.io/sdk/workflow.ExecuteLocalActivity":                       {"Temporal", 1},

	"github.com/riverqueue/river.WorkFunc": {"River", 0},

	"github.com/hibiken/asynq.ServeMux.HandleFunc": {"asynq", 1},

	"github.com/ThreeDotsLabs/watermill/message.Router.AddHandler":            {"Watermill", 5},
	"github.com/ThreeDotsLabs/watermill/message.Router.AddConsumerHandler":    {"Watermill", 3},
	"github.com/ThreeDotsLabs/watermill/message.Router.AddNoPublisherHandler": {"Watermill", 3},

	"github.com/twmb/franz-go/pkg/kgo.Fetches.EachRecord": {"Kafka", 0},
}

// AtLeastOnceRegistration tells whether a function is given a handler that a queue or workflow engine runs again after a failure: which argument that is, and whose engine.
func AtLeastOnceRegistration(fn *types.Func) (callback int, system string, ok bool) {
	r, ok := registrations[ID(fn)]
	return r.callback, r.system, ok
}

// handlerMethods are methods that an engine calls, by their name and the type that one of their parameters has. The receiver's type says nothing: it is the user's.
var handlerMethods = map[string]struct{ system, param string }{
	"Work":         {"River", "github.com/riverqueue/river.Job"},
	"ProcessTask":  {"asynq", "github.com/hibiken/asynq.Task"},
	"ConsumeClaim": {"Kafka", "github.com/IBM/sarama.ConsumerGroupClaim"},
}

// handlerParams are types that only a handler is given one of.
var handlerParams = map[string]string{
	"github.com/riverqueue/river.Job":                    "River",
	"github.com/hibiken/asynq.Task":                      "asynq",
	"github.com/ThreeDotsLabs/watermill/message.Message": "Watermill",
}

// AtLeastOnceMethod tells whether a function is a handler of a queue's message, by its name and parameters, and whose.
func AtLeastOnceMethod(fn *types.Func) (system string, ok bool) {
	signature, isSignature := signatureOf(fn)
	if !isSignature || !returnsError(signature) {
		return "", false
	}
	method, named := handlerMethods[fn.Name()]
	for i := range signature.Params().Len() {
		id := typeID(signature.Params().At(i).Type())
		if named && signature.Recv() != nil && id == method.param {
			return method.system, true
		}
	}
	return handlerBySignature(signature)
}

// handlerBySignature knows func(context.Context, *river.Job[T]) error and the like: handlers that are handed over by name somewhere else.
func handlerBySignature(signature *types.Signature) (string, bool) {
	params := signature.Params()
	if params.Len() == 0 || params.Len() > 2 {
		return "", false
	}
	if params.Len() == 2 && typeID(params.At(0).Type()) != "context.Context" {
		return "", false
	}
	system, ok := handlerParams[typeID(params.At(params.Len()-1).Type())]
	return system, ok
}

func signatureOf(fn *types.Func) (*types.Signature, bool) {
	if fn == nil {
		return nil, false
	}
	signature, ok := fn.Type().(*types.Signature)
	return signature, ok
}

func returnsError(signature *types.Signature) bool {
	results := signature.Results()
	if results.Len() == 0 {
		return false
	}
	last, ok := types.Unalias(results.At(results.Len() - 1).Type()).(*types.Named)
	return ok && last.Obj().Pkg() == nil && last.Obj().Name() == "error"
}
