package policydoc

import (
	"strconv"
	"time"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Parameters are the values in a promise's sentence, for machines: who has them and the sentence's id can test it against
// a running server. docs/drill.md lists the members of each.
type Parameters map[string]any

// untestable says of the promises that nobody can test from outside why that is so. An id that is not here can be tested.
var untestable = map[string]string{
	PromiseRetryWindow:    "it is advice to clients",
	PromiseFinished:       "the server would have to fail in the middle of its work",
	PromiseCalls:          "what the server sends to other services cannot be seen from outside",
	PromiseUnavailable:    "the server's store would have to fail",
	PromiseOutcomeUnknown: "the server would have to lose its connection to the store at one moment",
	PromiseBusinessRule:   "what may be done only once is this API's own rule, which a policy does not describe",
	PromiseRetry:          "it is advice to clients",
	PromiseUndocumented:   "it says where rules come from",
}

// refusalExpired is how the type of the refusal of a late first attempt ends.
const refusalExpired = "expired"

// parameters are the values in op's sentence id; nil when there are none.
func parameters(op *policy.Operation, id string) Parameters {
	p := &op.Policy
	switch id {
	case PromiseKeyPlace:
		place := Parameters{"in": string(p.Key.In), "required": p.Key.Required}
		place.set("name", p.Key.Name)
		place.set("pointer", p.Key.Pointer)
		return place
	case PromiseKeyRequired:
		return refusal(p, p.Errors.Missing, refusalMissing)
	case PromiseKeyLength:
		low, high, unit := keyLengths(p.Key)
		return with(refusal(p, p.Errors.Malformed, refusalMalformed), Parameters{"min": low, "max": high, "unit": string(unit)})
	case PromiseKeyFormat:
		return with(refusal(p, p.Errors.Malformed, refusalMalformed), Parameters{"format": string(p.Key.Format)})
	case PromiseKeyPattern:
		return with(refusal(p, p.Errors.Malformed, refusalMalformed), Parameters{"pattern": p.Key.Pattern})
	case PromiseKeySyntax:
		return with(refusal(p, p.Errors.Malformed, refusalMalformed), Parameters{"syntax": string(p.Key.Syntax)})
	case PromiseKeyMalformed, PromiseKeyPersonalData:
		return refusal(p, p.Errors.Malformed, refusalMalformed)
	case PromiseFirstSent:
		return with(refusal(p, p.Errors.Malformed, refusalMalformed), Parameters{"header": p.Key.FirstSent.Header})
	case PromiseFirstSentExpired:
		return with(refusal(p, p.Errors.Expired, refusalExpired), Parameters{
			"header": p.Key.FirstSent.Header, "retention": isoDuration(p.Retention), "maxSkew": isoDuration(p.Key.FirstSent.MaxSkew),
		})
	case PromiseScope:
		parts := make([]string, len(p.Scope))
		for i, part := range p.Scope {
			parts[i] = string(part)
		}
		return Parameters{"parts": parts, "mismatch": refusal(p, p.Errors.Mismatch, refusalMismatch)}
	case PromiseRetention:
		return Parameters{"retention": isoDuration(p.Retention), "mode": string(p.Mode)}
	case PromiseRetentionEnd:
		return retentionEndParameters(p)
	case PromiseRetryWindow:
		return Parameters{"retryWindow": isoDuration(p.RetryWindow)}
	case PromiseSameRequest:
		return with(refusal(p, p.Errors.Mismatch, refusalMismatch), sameRequestParameters(op))
	case PromiseBodyCompared:
		return bodyParameters(op)
	case PromiseKept, PromiseNotKept:
		return Parameters{"statuses": append([]string{}, p.Store.Statuses...), "mode": string(p.Mode)}
	case PromiseReplay:
		return Parameters{"as": orElse(string(p.Replay.As), string(policy.Stored)), "body": !p.Store.OmitBody}
	case PromiseReplayHeaders:
		return Parameters{"headers": keptHeaders(p)}
	case PromiseReplayStatus:
		changes := map[string]int{}
		for _, change := range p.Replay.Status {
			changes[strconv.Itoa(change.From)] = change.To
		}
		return Parameters{"statuses": changes}
	case PromiseReplayMarker:
		if p.Replay.Header == "" {
			return nil
		}
		return Parameters{"header": p.Replay.Header, "value": p.Replay.Value}
	case PromiseReplayLimit:
		return with(refusal(p, p.Errors.TooLarge, refusalTooLarge), Parameters{"maxBody": p.Store.MaxBody})
	case PromiseAnswerHeaders:
		headers := map[string]string{}
		for _, header := range p.Answers.Headers {
			headers[header.Name] = header.Value
		}
		return Parameters{"headers": headers}
	case PromiseInFlight:
		return inFlightParameters(p)
	case PromiseMismatch:
		return refusal(p, p.Errors.Mismatch, refusalMismatch)
	case PromiseBusinessRule:
		return Parameters{"status": 409}
	default:
		return nil
	}
}

func (p Parameters) set(name, value string) {
	if value != "" {
		p[name] = value
	}
}

func with(all, more Parameters) Parameters {
	for name, value := range more {
		all[name] = value
	}
	return all
}

// refusal is how an answer that says no can be told from others. A type that only says where this project's own types are
// documented is given by its end, which a server keeps wherever it has its types.
func refusal(p *policy.Policy, answer policy.ErrorAnswer, name string) Parameters {
	shape := orElse(p.Errors.Shape, "problem")
	r := Parameters{"status": answer.Status, "shape": shape}
	r.set("code", answer.Code)
	switch {
	case answer.Type != "" && !ownType(answer.Type, name):
		r["type"] = answer.Type
	case shape == "problem":
		r["typeEnd"] = name
	}
	if len(answer.Headers) > 0 {
		headers := map[string]string{}
		for _, header := range answer.Headers {
			headers[header.Name] = header.Value
		}
		r["headers"] = headers
	}
	return r
}

func ownType(kind, name string) bool { return kind == runtime.DefaultProblemBase+name }

func retentionEndParameters(p *policy.Policy) Parameters {
	end := Parameters{"retention": isoDuration(p.Retention), "then": "new"}
	switch {
	case p.Key.FirstSent.Header != "":
		end = with(refusal(p, p.Errors.Expired, refusalExpired), Parameters{"retention": isoDuration(p.Retention), "then": "expired"})
	case len(p.Guards) > 0:
		end["then"], end["status"] = "new-or-refused", 409
	}
	return end
}

func sameRequestParameters(op *policy.Operation) Parameters {
	f := &op.Policy.Fingerprint
	hasBody := op.Shape == nil || op.Shape.Body != nil
	same := Parameters{"query": f.Query, "contentType": hasBody, "body": hasBody && f.Body != policy.NoBody}
	if len(f.Headers) > 0 {
		same["headers"] = f.Headers
	}
	return same
}

// bodyParameters name the way in which bodyCompared says that a body is compared.
func bodyParameters(op *policy.Operation) Parameters {
	f := &op.Policy.Fingerprint
	if op.Shape != nil && op.Shape.Body == nil {
		return Parameters{"body": "refused", "status": 400}
	}
	mismatch := refusal(&op.Policy, op.Policy.Errors.Mismatch, refusalMismatch)
	rule := "bytes"
	switch {
	case f.Body == policy.NoBody:
		rule = "none"
	case f.Body == policy.RawBody:
	case len(f.Include) > 0:
		return Parameters{"body": "json", "include": f.Include, "mismatch": mismatch}
	case len(f.Exclude) > 0:
		return Parameters{"body": "json", "exclude": f.Exclude, "mismatch": mismatch}
	case hasMediaType(op, media.IsJSON):
		rule = "json"
	case hasMediaType(op, isMultipart):
		rule = "multipart"
	}
	return Parameters{"body": rule, "mismatch": mismatch}
}

func inFlightParameters(p *policy.Policy) Parameters {
	r := with(refusal(p, p.Errors.InFlight, refusalInFlight), Parameters{"answer": string(p.InFlight.Answer)})
	if p.InFlight.Answer == policy.Wait {
		r["maxWait"] = isoDuration(p.InFlight.MaxWait)
	}
	if p.Mode != policy.LeaseMode { // there it follows the work
		r["retryAfter"] = isoDuration(time.Duration(retryAfter(p)) * time.Second)
	}
	return r
}
