package compat

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleOperationAdded = compatible("operation-added",
		"There is a further operation", Clients)
	ruleOperationRemoved = breaking("operation-removed",
		"A client that repeats a request to find out what came of it finds no operation any more",
		"take the operation away when the longest retry is over, and mark it as deprecated until then", Clients, Retries)
	ruleOperationGone = editorial("operation-gone",
		"An operation is gone of whose repetition nothing was promised")
	ruleOperationMoved = breaking("operation-moved",
		"A client that repeats a request at the old address finds nothing there, and at the new one it is another request: it is refused",
		"serve the old address too, until the longest retry is over", Clients, Retries)
	ruleOperationMovedFree = editorial("operation-moved-unprotected",
		"The operation, of whose repetition nothing is promised, has another address")
	ruleRouteRenamed = needing(breaking("route-renamed",
		"Clients send the same as before, but a request sent before the change is refused when it is repeated after it: the names in the route are part of what is compared",
		"keep the names: they mean nothing to clients", Retries), needQuiet)
	ruleRouteWords = editorial("route-words",
		"The parameters of the path have other names")
	ruleOperationRenamed = needing(breaking("operation-renamed",
		"The operation's id is part of what a key counts for: a request sent before the change is carried out again when it is repeated after it",
		"keep the operationId", Retries), needQuiet)
	ruleOperationRenamedRunning = needing(breaking("operation-renamed-running",
		"Work in progress is found by the operation's id, and so are its keys for other services: it rests, and a repetition begins it anew",
		"keep the operationId", Retries, Running), needDrained, needQuiet)
	ruleOperationWords = editorial("operation-words",
		"The operation has another id, which no request shows")
	ruleDeprecated = editorial("deprecated",
		"The operation is marked as deprecated, or not any more")

	rulePromiseGiven = compatible("promise-given",
		"A request can be repeated in a way that was not promised before", Clients)
	rulePromiseLost = breaking("promise-lost",
		"A client that repeats a request, as it was promised it could, may have it carried out twice",
		"keep the promise, and make a new operation that does not give it", Clients, Retries)
	rulePromiseChanged = breaking("promise-changed",
		"A client that repeats a request by the old rules is not protected by them any more, and does not get the first answer",
		"keep the old rules working beside the new ones", Clients, Retries)
	ruleDecisionStated = editorial("decision-stated",
		"The same is said in other words")
	ruleReason = editorial("reason",
		"The reason reads otherwise")
	ruleCondition = breaking("condition",
		"A client that sends the old condition with its request is not protected by it",
		"go on taking the old condition", Clients)

	ruleRequestTypeAdded = compatible("request-type-added",
		"A request may be of a further type", Clients)
	ruleRequestTypeRemoved = breaking("request-type-removed",
		"A client that repeats its request in the type that it had is refused, and in another type it is another request",
		"go on taking the type", Clients, Retries)
	ruleKeyDeclaration = editorial("key-declaration",
		"The document declares the key's parameter, or not any more: tools that make clients from it follow, and requests are the same")
)

// operationRow is what a member of an operation means that is not part of its policy.
type operationRow struct {
	// field is the field of policy.Operation; member is what the change is reported as.
	field, member string
	value         func(*policy.Operation) string
	// keyed is true for what counts only where the operation has a key in both documents.
	keyed bool
	judge func(pair) Rule
	// at is where the member stands; nil for the operation's own place.
	at func(*policy.Operation) policy.Position
}

var operationRows = []operationRow{
	{field: "Path", member: "path", value: place, judge: judgePlace},
	{field: "ID", member: "operationId", value: operationID, judge: judgeID},
	{field: "Deprecated", member: "deprecated", value: func(op *policy.Operation) string { return strconv.FormatBool(op.Deprecated) }, judge: always(ruleDeprecated)},
	{field: "Decision", member: "decision", value: func(op *policy.Operation) string { return decisionWord(op.Decision) }, judge: judgeDecision, at: decidedAt},
	{field: "Reason", member: "reason", value: func(op *policy.Operation) string { return quoted(op.Reason) }, judge: always(ruleReason), at: decidedAt},
	{field: "Condition", member: "condition", value: func(op *policy.Operation) string { return quoted(op.Condition) }, judge: always(ruleCondition), at: decidedAt},
	{field: "Shape", member: "requestTypes", keyed: true, value: func(op *policy.Operation) string { return array(requestTypes(op)) }, judge: judgeRequestTypes, at: bodyAt},
	{field: "Shape", member: "parameters", keyed: true, value: keyDeclaration, judge: always(ruleKeyDeclaration)},
}

// operationChanges are what differs between two documents' versions of one operation.
func (p pair) operationChanges() []Change {
	if p.old.Decision == policy.Safe && p.new.Decision == policy.Safe {
		return nil // a GET that changes is no matter of repetition
	}
	bothKeyed := p.old.Decision == policy.Keyed && p.new.Decision == policy.Keyed
	var changes []Change
	for _, r := range operationRows {
		before, after := r.value(p.old), r.value(p.new)
		if before == after || r.keyed && !bothKeyed || r.ofDecision() && p.old.Decision != p.new.Decision {
			continue
		}
		change := p.change(r.judge(p), r.member, before, after)
		if r.at != nil {
			change.OldPos, change.NewPos = orPosition(r.at(p.old), p.old.Pos), orPosition(r.at(p.new), p.new.Pos)
		}
		changes = append(changes, change)
	}
	if bothKeyed {
		changes = append(changes, p.changes()...)
	}
	return changes
}

// ofDecision reports whether the member belongs to a decision, and comes and goes with it.
func (r *operationRow) ofDecision() bool { return r.member == "reason" || r.member == "condition" }

func place(op *policy.Operation) string { return op.Method + " " + op.Path }

func judgePlace(p pair) Rule {
	switch {
	case p.old.Method == p.new.Method && route(p.old) == route(p.new) && !(p.old.Decision == policy.Keyed && p.new.Decision == policy.Keyed):
		return ruleRouteWords
	case p.old.Method == p.new.Method && route(p.old) == route(p.new) && p.old.IDMade && p.new.IDMade && p.old.ID != p.new.ID:
		return judgeID(p) // the id follows from the path
	case p.old.Method == p.new.Method && route(p.old) == route(p.new):
		return ruleRouteRenamed
	case promiseOf(p.old) != nothing:
		return ruleOperationMoved
	default:
		return ruleOperationMovedFree
	}
}

// operationID leaves out an id that was made from method and path: it says nothing that they do not say.
func operationID(op *policy.Operation) string {
	if op.IDMade {
		return ""
	}
	return quoted(op.ID)
}

func judgeID(p pair) Rule {
	switch {
	case p.old.ID == p.new.ID || p.old.Decision != policy.Keyed || p.new.Decision != policy.Keyed:
		return ruleOperationWords
	case byLease(p.old):
		return ruleOperationRenamedRunning
	case perOperation(&p.old.Policy) && perOperation(&p.new.Policy):
		return ruleOperationRenamed
	default: // where only one scope has the operation, the scope's own change tells
		return ruleOperationWords
	}
}

func decisionWord(d policy.Decision) string {
	if d == policy.Undecided {
		return "undecided"
	}
	return string(d)
}

// promise is what a decision lets a client do.
type promise int

const (
	nothing promise = iota // a repetition may have its effect twice
	free                   // it may be repeated as it is
	conditioned
	withKey
)

func promiseOf(op *policy.Operation) promise {
	switch op.Decision {
	case policy.Keyed:
		return withKey
	case policy.Natural, policy.Safe:
		return free
	case policy.Conditional:
		return conditioned
	default:
		return nothing
	}
}

func judgeDecision(p pair) Rule {
	before, after := promiseOf(p.old), promiseOf(p.new)
	switch {
	case before == after:
		return ruleDecisionStated
	case after == withKey && p.new.Policy.Key.Required:
		return ruleKeyRequired
	case after == nothing:
		return rulePromiseLost
	// What is natural may be repeated without a key, which an optional key does not protect. What is safe by its method stays so.
	case before == nothing, p.old.Decision == policy.Safe && after == withKey, before == conditioned && after == free:
		return rulePromiseGiven
	default:
		return rulePromiseChanged
	}
}

func decidedAt(op *policy.Operation) policy.Position { return op.DecidedAt }

// requestTypes are the media types that a request may have, sorted, in one spelling: the charset tells no types apart.
func requestTypes(op *policy.Operation) []string {
	if op.Shape == nil || op.Shape.Body == nil {
		return nil
	}
	var types []string
	for _, content := range op.Shape.Body.Contents {
		kind, parameters, err := mime.ParseMediaType(content.MediaType)
		if err != nil {
			types = append(types, content.MediaType)
			continue
		}
		delete(parameters, "charset")
		types = append(types, mime.FormatMediaType(kind, parameters))
	}
	slices.Sort(types)
	return slices.Compact(types)
}

func judgeRequestTypes(p pair) Rule {
	after := requestTypes(p.new)
	_, removed := sets(requestTypes(p.old), after)
	for _, gone := range removed {
		// A range takes it still.
		if !slices.ContainsFunc(after, func(listed string) bool {
			class, ok := strings.CutSuffix(listed, "*")
			return ok && (listed == "*/*" || strings.HasSuffix(class, "/") && strings.HasPrefix(gone, class))
		}) {
			return ruleRequestTypeRemoved
		}
	}
	return ruleRequestTypeAdded
}

func bodyAt(op *policy.Operation) policy.Position {
	if op.Shape == nil || op.Shape.Body == nil {
		return policy.Position{}
	}
	return op.Shape.Body.Pos
}

// keyDeclaration is the parameter that carries the key, where the document declares it.
func keyDeclaration(op *policy.Operation) string {
	if op.Shape == nil {
		return ""
	}
	for i := range op.Shape.Parameters {
		if parameter := &op.Shape.Parameters[i]; parameter.IsKey {
			return "{in: " + quoted(parameter.In) + ", required: " + strconv.FormatBool(parameter.Required) + "}"
		}
	}
	return ""
}
