package known

import (
	"go/types"
	"strings"
)

// Retry is a function that calls a function again until it succeeds.
type Retry struct {
	Callback int    // argument that is called again; -1 is the receiver
	Field    string // the callback is this field of the argument; empty when it is the argument itself
	// Needs: one of these functions, named as [ID] does, has to be called in the same package; empty when the call alone says it. A hook of a client is called again only by a client that retries.
	Needs []string
}

// retries name the functions whose first function-typed argument is called again.
var retries = map[string]struct{}{
	"github.com/cenkalti/backoff.Retry":                                  {},
	"github.com/cenkalti/backoff.RetryNotify":                            {},
	"github.com/cenkalti/backoff.RetryNotifyWithTimer":                   {},
	"github.com/cenkalti/backoff.RetryWithData":                          {},
	"github.com/cenkalti/backoff.RetryNotifyWithData":                    {},
	"github.com/cenkalti/backoff.RetryNotifyWithTimerAndData":            {},
	"github.com/avast/retry-go.Do":                                       {},
	"github.com/avast/retry-go.DoWithData":                               {},
	"github.com/avast/retry-go.Retrier.Do":                               {},
	"github.com/avast/retry-go.RetrierWithData.Do":                       {},
	"github.com/sethvargo/go-retry.Do":                                   {},
	"github.com/sethvargo/go-retry.DoValue":                              {},
	"github.com/sethvargo/go-retry.Constant":                             {},
	"github.com/sethvargo/go-retry.Exponential":                          {},
	"github.com/sethvargo/go-retry.Fibonacci":                            {},
	"github.com/eapache/go-resiliency/retrier.Retrier.Run":               {},
	"github.com/eapache/go-resiliency/retrier.Retrier.RunCtx":            {},
	"github.com/eapache/go-resiliency/retrier.Retrier.RunFn":             {},
	"k8s.io/client-go/util/retry.OnError":                                {},
	"k8s.io/client-go/util/retry.RetryOnConflict":                        {},
	"k8s.io/apimachinery/pkg/util/wait.ExponentialBackoff":               {},
	"k8s.io/apimachinery/pkg/util/wait.ExponentialBackoffWithContext":    {},
	"k8s.io/apimachinery/pkg/util/wait.Poll":                             {},
	"k8s.io/apimachinery/pkg/util/wait.PollWithContext":                  {},
	"k8s.io/apimachinery/pkg/util/wait.PollUntil":                        {},
	"k8s.io/apimachinery/pkg/util/wait.PollUntilWithContext":             {},
	"k8s.io/apimachinery/pkg/util/wait.PollInfinite":                     {},
	"k8s.io/apimachinery/pkg/util/wait.PollInfiniteWithContext":          {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediate":                    {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateWithContext":         {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateUntil":               {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateUntilWithContext":    {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateInfinite":            {},
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateInfiniteWithContext": {},
	"k8s.io/apimachinery/pkg/util/wait.PollUntilContextCancel":           {},
	"k8s.io/apimachinery/pkg/util/wait.PollUntilContextTimeout":          {},
	"github.com/go-resty/resty.Client.AddRetryHook":                      {},
}

// conditional are those that retry only when the package asks for it elsewhere.
var conditional = map[string][]string{
	"github.com/failsafe-go/failsafe-go.Executor.Run":                   failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.RunWithExecution":      failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.RunAsync":              failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.RunAsyncWithExecution": failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.Get":                   failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.GetWithExecution":      failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.GetAsync":              failsafeRetries,
	"github.com/failsafe-go/failsafe-go.Executor.GetAsyncWithExecution": failsafeRetries,
	"github.com/go-resty/resty.Client.OnBeforeRequest":                  restyRetries,
	"github.com/go-resty/resty.Client.SetPreRequestHook":                restyRetries,
}

var (
	failsafeRetries = []string{"github.com/failsafe-go/failsafe-go/retrypolicy.NewBuilder", "github.com/failsafe-go/failsafe-go/retrypolicy.NewWithDefaults"}
	restyRetries    = []string{"github.com/go-resty/resty.Client.SetRetryCount", "github.com/go-resty/resty.Client.AddRetryCondition"}
)

// RetryOf tells whether a function calls one of its arguments again until it succeeds, and which. Functions that call a function for ever at an interval (wait.Until) are none: each turn is a task of its own.
func RetryOf(fn *types.Func) (Retry, bool) {
	id := ID(fn)
	if id == "" {
		return Retry{}, false
	}
	needs, needsMore := conditional[id]
	if _, ok := retries[id]; !ok && !needsMore {
		return Retry{}, false
	}
	params := fn.Type().(*types.Signature).Params()
	for i := range params.Len() {
		if _, ok := params.At(i).Type().Underlying().(*types.Signature); ok {
			return Retry{Callback: i, Needs: needs}, true
		}
	}
	return Retry{}, false
}

// retryHooks are fields that hold a function which is called before each try.
var retryHooks = map[string]map[string]bool{
	"github.com/hashicorp/go-retryablehttp.Client": {"RequestLogHook": true, "PrepareRetry": true},
}

// RetryHookField reports whether a function stored in this field of a struct is called before each try of a client that retries.
func RetryHookField(owner types.Type, field *types.Var) bool {
	return field != nil && retryHooks[typeID(owner)][field.Name()]
}

// sleeps wait, or give how long to wait before the next try.
var sleeps = map[string]bool{
	"time.Sleep": true, "time.After": true, "time.NewTimer": true, "time.AfterFunc": true, "time.Timer.Reset": true,
	"github.com/cenkalti/backoff.BackOff.NextBackOff":            true,
	"github.com/cenkalti/backoff.ExponentialBackOff.NextBackOff": true,
	"github.com/cenkalti/backoff.ConstantBackOff.NextBackOff":    true,
	"github.com/sethvargo/go-retry.Backoff.Next":                 true,
	"github.com/hashicorp/go-retryablehttp.DefaultBackoff":       true,
	"github.com/hashicorp/go-retryablehttp.LinearJitterBackoff":  true,
	"k8s.io/apimachinery/pkg/util/wait.Backoff.Step":             true,
	"k8s.io/apimachinery/pkg/util/wait.Jitter":                   true,
	"go.temporal.io/sdk/workflow.Sleep":                          true,
}

// Sleeps reports whether a function waits or tells how long to: evidence that a loop around it retries. Functions of any package that are called Sleep, with whatever follows, count.
func Sleeps(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	return sleeps[ID(fn)] || strings.HasPrefix(fn.Name(), "Sleep") || strings.HasPrefix(fn.Name(), "sleep")
}
