package weakkey

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// cure ends the messages on keys that do not tell operations apart.
const cure = "Derive the key from an id that is stored with the operation, or mint a random one once and store it."

// judge gives what is wrong with a key, nil when nothing is.
func judge(send *keyflow.Send, p parts) *report.Finding {
	if finding := personal(send, p); finding != nil {
		return finding
	}
	if len(p.random) > 0 || len(p.unknown) > 0 {
		return nil
	}
	switch {
	case len(p.clock) > 0:
		return ofTime(send, p)
	case len(p.named) > 0 && p.hashed && len(p.counter) == 0 && len(p.weak) == 0:
		return ofContent(send, p)
	case len(p.named) > 0:
		return nil
	case len(p.weak) > 0:
		return &report.Finding{
			Pos: at(p.weak[0], send), Category: "key-from-math-rand", Severity: report.Warning, Confidence: send.Confidence, Related: related(p.weak[0], send),
			Message: subject(send) + " is drawn from math/rand, which can be guessed and whose short numbers come twice, so one operation is answered with another's result. Mint it with crypto/rand or a random UUID, once per operation, and store it.",
		}
	case len(p.counter) > 0 && runsOnce(send.Fn) && isIndex(p.counter):
		return nil
	case len(p.counter) > 0:
		return &report.Finding{
			Pos: at(p.counter[0], send), Category: "key-from-counter", Severity: report.Error, Confidence: send.Confidence, Related: related(p.counter[0], send),
			Message: subject(send) + " is made of a counter that starts again with the process or the loop, so a later operation is answered with an earlier one's result and never done. " + cure,
		}
	case len(p.constant) > 0:
		return ofConstant(send, p)
	}
	return nil
}

// isIndex reports whether nothing but the indexes of loops counts: in a program that is run again for the same items, the same keys are meant.
func isIndex(counters []keyflow.Origin) bool {
	return !slices.ContainsFunc(counters, func(o keyflow.Origin) bool {
		_, ok := o.At.(*ssa.Phi)
		return !ok
	})
}

func ofTime(send *keyflow.Send, p parts) *report.Finding {
	if len(p.weak) > 0 || len(p.counter) > 0 || stepped(send.Value, p.clock[0].At) {
		return nil
	}
	finding := &report.Finding{Pos: at(p.clock[0], send), Confidence: send.Confidence, Related: related(p.clock[0], send)}
	if len(p.named) > 0 && !p.clock[0].Mixed {
		finding.Category, finding.Severity, finding.Confidence = "time-in-key", report.Warning, settings.Medium
		finding.Message = subject(send) + fmt.Sprintf(": the time is part of it beside %s, so the same operation has another key when its caller tries again, and is done twice. Leave the time out, or take one that is stored with the operation.", nameOf(p.named[0]))
		return finding
	}
	finding.Category, finding.Severity = "key-from-time", report.Error
	finding.Message = subject(send) + " is made of the time, so two operations in one instant have one key and the second is never done, while a retry of one has another key and is done twice. " + cure
	return finding
}

func personal(send *keyflow.Send, p parts) *report.Finding {
	if p.hashed {
		return nil
	}
	for _, origin := range slices.Concat(p.named, p.unknown) {
		name := nameOf(origin)
		if call, ok := origin.At.(*ssa.Call); ok && name == "" {
			name = calledName(call)
		}
		if !names.IsPersonal(name) || givenAs(send, origin) {
			continue
		}
		return &report.Finding{
			Pos: send.Pos(), Category: "personal-data-in-key", Severity: report.Warning, Confidence: settings.Medium,
			Message: subject(send) + fmt.Sprintf(" has %s in it, and keys are stored and written to logs by everyone who handles the request. Use an id that says nothing of the person, or an HMAC of it.", name),
		}
	}
	return nil
}

// calledName gives the name of the method that a value came from: user.GetEmail().
func calledName(call *ssa.Call) string {
	if call.Call.IsInvoke() {
		return call.Call.Method.Name()
	}
	if callee := call.Call.StaticCallee(); callee != nil {
		return callee.Name()
	}
	return ""
}

// givenAs reports whether the callee's parameter has a personal name as well: then it is told of where the callee makes a key of it.
func givenAs(send *keyflow.Send, origin keyflow.Origin) bool {
	if send.Callee == nil || send.Callee.Pkg() == nil || send.Fn.Pkg == nil || send.Callee.Pkg() != send.Fn.Pkg.Pkg {
		return false
	}
	call, ok := send.At.(ssa.CallInstruction)
	if !ok {
		return false
	}
	params := send.Callee.Type().(*types.Signature).Params()
	args := call.Common().Args
	offset := len(args) - params.Len()
	for i := range params.Len() {
		if i+offset >= 0 && i+offset < len(args) && args[i+offset] == send.Value && names.IsPersonal(params.At(i).Name()) {
			return true
		}
	}
	return false
}

// at is where the cure goes: the call that gives the value when it is in this package's text, else where the key is sent.
func at(origin keyflow.Origin, send *keyflow.Send) token.Pos {
	if _, ok := origin.At.(*ssa.Call); ok && origin.At.Pos().IsValid() {
		return origin.At.Pos()
	}
	return send.Pos()
}

func related(origin keyflow.Origin, send *keyflow.Send) []analysis.RelatedInformation {
	var notes []analysis.RelatedInformation
	if at(origin, send) != send.Pos() && send.Pos().IsValid() {
		notes = append(notes, analysis.RelatedInformation{Pos: send.Pos(), Message: "it becomes the key here"})
	}
	if len(origin.Path) > 0 {
		notes = append(notes, analysis.RelatedInformation{Pos: at(origin, send), Message: "it is made in " + strings.Join(origin.Path, ", ")})
	}
	return notes
}

// subject names the key.
func subject(send *keyflow.Send) string {
	what := send.What
	for prefix, other := range map[string]string{"the key of ": "sent by ", "the key set by ": "set by "} {
		if rest, ok := strings.CutPrefix(what, prefix); ok {
			what = other + rest
		}
	}
	return "the idempotency key (" + what + ")"
}
