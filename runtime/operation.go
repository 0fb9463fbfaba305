package runtime

import "github.com/idemgen/idemgen/runtime/policy"

// GeneratedCodeV1 is referred to by generated code, so that code and runtime of different generations do not compile
// together.
const GeneratedCodeV1 = true

// Operation is one keyed operation, as generated code describes it. It is read-only once registered.
type Operation struct {
	// ID is the operationId.
	ID string
	// Method and Route are the method in capitals and the route template, for example "/orders/{id}/payments".
	Method, Route string
	// PathParams are the names under which the values of Route's parameters are found by http.Request.PathValue, in the
	// order of the template. They differ from the template's names where those are not Go identifiers.
	PathParams []string
	// WithoutBody says that the document declares no request body. A request with one is refused: it would be taken by no
	// handler and would all the same be part of what was asked for. With true, Content-Type does not count either, since
	// clients send one with no body as well.
	WithoutBody bool
	// RequestHeaders are the headers that a request in lease mode is stored with, beside Content-Type and those that the
	// policy names, so that it can be run again without its client. Credentials are never stored.
	RequestHeaders []string
	// Policy is the effective policy.
	Policy policy.Policy
	// DocsURL, when set, is where the operation's published policy stands; problem documents link to it.
	DocsURL string
}
