package keytx

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// keyErrorLost is the category of a key whose error nobody is told of.
const keyErrorLost = "key-error-lost"

// keepers start the names of functions that keep a key, claimers those that claim one before.
var (
	keepers  = []string{"save", "store", "set", "put", "create", "record", "insert", "add", "persist", "write"}
	claimers = []string{"reserve", "claim", "acquire", "begin", "start", "lock", "trylock", "try"}
)

// judgeLost looks for a key that is kept after the work by a call of whatever body, and whose error does not leave the function: when it
// fails, the work stands without its key, in a transaction or not.
func (c *checker) judgeLost(f *function) {
	calls := callsIn(f.fn)
	for _, call := range calls {
		if isKeyCall(call, claimers) {
			return
		}
	}
	for _, call := range calls {
		if call.Value() == nil || !isKeyCall(call, keepers) || c.onFailure(call) {
			continue
		}
		results := call.Common().Signature().Results()
		if results.Len() == 0 || !isError(results.At(results.Len()-1).Type()) {
			continue
		}
		if out, known := leaves(call); out || !known {
			continue
		}
		site, deferred := siteIn(f.fn, call)
		if site == nil || deferred {
			continue
		}
		for _, work := range f.works {
			if work.Call == call || work.failure || work.deferred || !dominates(work.site, site) {
				continue
			}
			c.reporter.Report(report.Finding{
				Pos: call.Pos(), Category: keyErrorLost, Severity: report.Error, Confidence: settings.Medium,
				Message: fmt.Sprintf("%s, which by its name keeps the key, comes after %s is written, and its error does not leave the function: when it fails the work stands without its key, and a retry does the work again. Keep both in one transaction, and return the error.",
					calleeName(call.Common()), work.thing()),
				Related: []analysis.RelatedInformation{related{work.Pos, work.thing() + " is written here"}.information()},
			})
			return
		}
	}
}

// isKeyCall reports whether a call is by its name, or by that of its receiver's type, one of a store of keys, and starts with one of verbs.
func isKeyCall(call ssa.CallInstruction, verbs []string) bool {
	name := strings.ToLower(calleeName(call.Common()))
	if !slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(name, verb) }) {
		return false
	}
	return isOfKeys(name) || isOfKeys(strings.ToLower(receiverType(call.Common())))
}

func isOfKeys(name string) bool { return strings.Contains(name, "idempoten") }

// receiverType is the type that a method is called on, as it is written; empty for a function.
func receiverType(common *ssa.CallCommon) string {
	if common.IsInvoke() {
		return common.Value.Type().String()
	}
	if callee := common.StaticCallee(); callee != nil && callee.Signature.Recv() != nil {
		return callee.Signature.Recv().Type().String()
	}
	return ""
}
