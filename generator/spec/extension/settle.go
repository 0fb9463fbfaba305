package extension

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// settle makes the layered members one whole: where a stronger layer made a choice, what weaker layers said for the other
// choice is taken back, and what depends on several members is filled in.
func (v *resolver) settle() {
	v.settleKeyPlace()
	v.settlePointers()
	v.settleStatuses()
	v.settleProblemTypes()
	v.settleSteps()
	v.settleFirstSent()
	if v.op.Policy.Mode == policy.Transaction {
		v.op.Policy.Lease = policy.Lease{}
		for _, member := range []string{"lease.duration", "lease.heartbeat"} {
			if v.level(member) == policy.LevelBuiltin {
				v.drop(member)
			}
		}
	}
}

// settleKeyPlace keeps the name of a header, query or form key and the pointer of a body key, not both.
func (v *resolver) settleKeyPlace() {
	key := &v.op.Policy.Key
	if key.In == policy.InBody {
		if v.deeper("key.in", "key.name") || v.deeper("key.pointer", "key.name") {
			key.Name = ""
			v.drop("key.name")
		}
	} else if v.deeper("key.in", "key.pointer") || v.deeper("key.name", "key.pointer") {
		key.Pointer = ""
		v.drop("key.pointer")
	}
	if key.In != policy.InHeader && !v.authoredAt("key.syntax") {
		key.Syntax = ""
		v.drop("key.syntax")
	}
}

// settleFirstSent drops the tolerance for clocks where no time of a first attempt is asked for.
func (v *resolver) settleFirstSent() {
	first := &v.op.Policy.Key.FirstSent
	if first.Header != "" {
		return
	}
	first.MaxSkew = 0
	if !v.authoredAt("key.firstSent.maxSkew") {
		v.drop("key.firstSent.maxSkew")
	}
}

// settlePointers lets the deeper one of include and exclude win.
func (v *resolver) settlePointers() {
	fingerprint := &v.op.Policy.Fingerprint
	if len(fingerprint.Include) == 0 || len(fingerprint.Exclude) == 0 {
		return
	}
	switch {
	case v.deeper("fingerprint.include", "fingerprint.exclude"):
		fingerprint.Exclude = nil
		v.drop("fingerprint.exclude")
	case v.deeper("fingerprint.exclude", "fingerprint.include"):
		fingerprint.Include = nil
		v.drop("fingerprint.include")
	}
}

// settleStatuses drops a profile's 5xx in transaction mode: a 5xx there rolls back the work and would take the record with
// it (requirement R4). What the author lists is the author's mistake and stays for the check.
func (v *resolver) settleStatuses() {
	p := &v.op.Policy
	if p.Mode != policy.Transaction || v.authoredAt("store.statuses") {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(p.Store.Statuses), is5xx)
	if len(kept) == len(p.Store.Statuses) {
		return
	}
	p.Store.Statuses = kept
	set := v.effective["store.statuses"]
	v.diags = append(v.diags, finding(ruleStore5xx.as("info"), set.pos, "state store.statuses to choose for yourself",
		"profile %s stores 5xx answers, and transaction mode cannot: a 5xx rolls its record back with the work, and a retry runs anew", p.Profile))
}

func is5xx(status string) bool { return strings.HasPrefix(status, "5") }

// settleProblemTypes takes the project's problem types back where the answers have another shape: a provider's body has
// types of the provider's own.
func (v *resolver) settleProblemTypes() {
	if v.op.Policy.Errors.Shape == "problem" {
		return
	}
	for _, answer := range answerNames {
		member := "errors." + answer.name + ".type"
		if v.level(member) == policy.LevelBuiltin {
			answer.place(&v.op.Policy).Type = ""
			v.drop(member)
		}
	}
}

// settleSteps names the step of each downstream call that has none: the only step there is or, where no step is named, one
// for each call with the call's name. What then still has no step is left for the check.
func (v *resolver) settleSteps() {
	p := &v.op.Policy
	if p.Mode != policy.LeaseMode || len(p.Steps) > 1 || len(p.Downstream) == 0 || v.unread("steps", "downstream") {
		return
	}
	named := slices.ContainsFunc(p.Downstream, func(call policy.Downstream) bool { return call.Step != "" })
	if named && len(p.Steps) == 0 {
		return
	}
	calls, steps := slices.Clone(p.Downstream), p.Steps
	for i := range calls {
		switch {
		case calls[i].Step != "":
		case len(p.Steps) == 1:
			calls[i].Step = p.Steps[0]
		case !stepName.MatchString(calls[i].Name):
			return
		default:
			calls[i].Step = calls[i].Name
			steps = append(steps, calls[i].Name)
		}
	}
	p.Downstream, p.Steps = calls, steps
}
