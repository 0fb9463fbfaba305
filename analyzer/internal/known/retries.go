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

// firstFunc stands for the first argument that is a function.
const firstFunc = -3

// retries name the functions that call an argument again, and which.
var retries = map[string]int{
	"github.com/cenkalti/backoff.Retry":                                      firstFunc,
	"github.com/cenkalti/backoff.RetryNotify":                                firstFunc,
	"github.com/cenkalti/backoff.RetryNotifyWithTimer":                       firstFunc,
	"github.com/cenkalti/backoff.RetryWithData":                              firstFunc,
	"github.com/cenkalti/backoff.RetryNotifyWithData":                        firstFunc,
	"github.com/cenkalti/backoff.RetryNotifyWithTimerAndData":                firstFunc,
	"github.com/avast/retry-go.Do":                                           firstFunc,
	"github.com/avast/retry-go.DoWithData":                                   firstFunc,
	"github.com/avast/retry-go.Retrier.Do":                                   firstFunc,
	"github.com/avast/retry-go.RetrierWithData.Do":                           firstFunc,
	"github.com/sethvargo/go-retry.Do":                                       firstFunc,
	"github.com/sethvargo/go-retry.DoValue":                                  firstFunc,
	"github.com/sethvargo/go-retry.Constant":                                 firstFunc,
	"github.com/sethvargo/go-retry.Exponential":                              firstFunc,
	"github.com/sethvargo/go-retry.Fibonacci":                                firstFunc,
	"github.com/eapache/go-resiliency/retrier.Retrier.Run":                   firstFunc,
	"github.com/eapache/go-resiliency/retrier.Retrier.RunCtx":                firstFunc,
	"github.com/eapache/go-resiliency/retrier.Retrier.RunFn":                 firstFunc,
	"github.com/hashicorp/terraform-plugin-sdk/helper/retry.Retry":           firstFunc,
	"github.com/hashicorp/terraform-plugin-sdk/helper/retry.RetryContext":    firstFunc,
	"github.com/hashicorp/terraform-plugin-sdk/helper/resource.Retry":        firstFunc,
	"github.com/hashicorp/terraform-plugin-sdk/helper/resource.RetryContext": firstFunc,
	"k8s.io/client-go/util/retry.OnError":                                    2,
	"k8s.io/client-go/util/retry.RetryOnConflict":                            firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.ExponentialBackoff":                   firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.ExponentialBackoffWithContext":        firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.Poll":                                 firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollWithContext":                      firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollUntil":                            firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollUntilWithContext":                 firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollInfinite":                         firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollInfiniteWithContext":              firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediate":                        firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateWithContext":             firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateUntil":                   firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateUntilWithContext":        firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateInfinite":                firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollImmediateInfiniteWithContext":     firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollUntilContextCancel":               firstFunc,
	"k8s.io/apimachinery/pkg/util/wait.PollUntilContextTimeout":              firstFunc,
	"github.com/go-resty/resty.Client.AddRetryHook":                          firstFunc,
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
	callback, ok := retries[id]
	if !ok && !needsMore {
		return Retry{}, false
	}
	if ok && callback != firstFunc {
		return Retry{Callback: callback}, true
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
