package extension

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkDecision has the rules about the decision itself.
func (v *resolver) checkDecision() {
	op := v.op
	switch op.Decision {
	case policy.Natural, policy.NotRepeatable:
		if op.Reason == "" {
			word := string(op.Decision)
			v.diags = append(v.diags, finding(ruleReasonMissing, op.DecidedAt, "write {"+word+": \"why\"}: the reason is published", "%s is %s without a reason", v.name(), word))
		}
	case policy.Keyed:
		if idempotentMethod(op.Method) && !op.Webhook {
			v.diags = append(v.diags, finding(ruleSafeMethod, op.DecidedAt, "keep the key where a repeat must also get the first answer",
				"%s takes a key although %s is idempotent by itself (RFC 9110, section 9.2.2)", v.name(), op.Method))
		}
	}
}

// checkPolicy has the rules that compare members of one effective policy.
func (v *resolver) checkPolicy() {
	v.checkScope()
	v.checkRetention()
	v.checkKeyPlace()
	v.checkKeyLength()
	v.checkFingerprint()
	v.checkStored()
	v.checkReplay()
	v.checkFirstSent()
	v.checkAnswers()
	v.checkMode()
}

func (v *resolver) checkScope() {
	scope := v.op.Policy.Scope
	if len(scope) == 0 || scope[0] != policy.ScopePrincipal && scope[0] != policy.ScopeAccount {
		v.report(ruleScopePrincipal, "scope", "start it with principal: [principal, operation]", "scope does not start with principal or account, so one client could read another's answers")
		return
	}
	for i, part := range scope[1:] {
		if part == policy.ScopePrincipal || part == policy.ScopeAccount || scope[0] == policy.ScopeAccount && part == policy.ScopeOperation {
			v.report(ruleScopeParts, entry("scope", i+1), "account is the principal without the operation: write [account] or [principal, operation]", "scope has %s beside %s", part, scope[0])
		}
	}
}

// entry is the member path of a list's entry, as origins have it.
func entry(list string, index int) string { return list + "." + itoa(index) }

func (v *resolver) checkRetention() {
	p := &v.op.Policy
	if p.Retention < runtime.LeastRetention {
		v.report(ruleRetentionShort, "retention", "keep records for minutes at least, and for longer than any client goes on retrying",
			"retention %s is shorter than %s, in which the service may still be finding out about a commit whose answer was lost",
			human(p.Retention), human(runtime.LeastRetention))
	}
	if p.RetryWindow == 0 || p.Retention > p.RetryWindow {
		return
	}
	at := "retryWindow"
	if v.authoredAt("retention") && !v.deeper("retryWindow", "retention") {
		at = "retention"
	}
	v.report(ruleRetentionWindow, at, "keep records longer than any client or queue goes on retrying",
		"retention %s is not longer than retryWindow %s, so a late retry would run again", human(p.Retention), human(p.RetryWindow))
}

func (v *resolver) checkKeyPlace() {
	key := &v.op.Policy.Key
	if v.unread(keyPlace...) {
		return
	}
	if key.In == policy.InBody {
		v.checkBodyKey()
		return
	}
	if v.authoredAt("key.pointer") && key.Pointer != "" {
		v.report(ruleKeyPlace, "key.pointer", "write `in: body`, or a name in place of the pointer", "key.pointer is for a key in the body, and this one is in %s %s", key.In, show(key.Name))
		return
	}
	if v.deeper("key.in", "key.name") && key.In != policy.InHeader && v.level("key.name") != policy.LevelDeclared {
		v.report(ruleKeyPlace, "key.in", "add `name:`", "key.in is %s, and no key.name says which field it is", key.In)
		return
	}
	if key.In != policy.InHeader {
		v.checkSyntaxPlace()
		return
	}
	if !policy.IsToken(key.Name) {
		v.report(ruleBadHeader, "key.name", "header names have letters, digits and hyphens", "key.name %s is not a header name", show(key.Name))
	} else if reservedHeaders[canonicalHeader(key.Name)] {
		v.report(ruleHeaderRole, "key.name", "name another header", "key.name %s has a meaning of its own in HTTP", show(key.Name))
	}
}

func (v *resolver) checkBodyKey() {
	key := &v.op.Policy.Key
	switch {
	case key.Name != "" && key.Pointer == "":
		v.report(ruleKeyPlace, "key.name", "write pointer: /"+safePointer(key.Name), "a key in the body has a pointer, not a name")
	case key.Name != "":
		v.report(ruleKeyPlace, "key.name", "leave the name out", "key.name is for a header, query or form key, and this one is at %s in the body", show(key.Pointer))
	case key.Pointer == "":
		v.report(ruleKeyPlace, "key.in", "add pointer: /idempotency_key", "key.in is body, and no key.pointer says where")
	}
	v.checkSyntaxPlace()
}

func (v *resolver) checkSyntaxPlace() {
	if v.authoredAt("key.syntax") && !v.deeper("key.in", "key.syntax") {
		v.report(ruleKeyPlace, "key.syntax", "leave the syntax out", "key.syntax is for a header, and this key is in %s", v.op.Policy.Key.In)
	}
}

// safePointer is a name as a reference token, if it is plain enough to be repeated in a hint.
func safePointer(name string) string {
	if stepName.MatchString(name) {
		return name
	}
	return "idempotency_key"
}

// uuidLength is the length of a UUID's text form (RFC 9562, section 4).
const uuidLength = 36

func (v *resolver) checkKeyLength() {
	key := &v.op.Policy.Key
	if key.MinLength > key.MaxLength {
		at := "key.minLength"
		if v.deeper("key.maxLength", "key.minLength") {
			at = "key.maxLength"
		}
		v.report(ruleKeyLength, at, "make minLength at most maxLength", "key.minLength %d is above key.maxLength %d, so no key is well-formed", key.MinLength, key.MaxLength)
		return
	}
	if key.Format != policy.AnyFormat {
		if key.MaxLength < uuidLength || key.MinLength > uuidLength {
			v.report(ruleKeyLength, "key.format", "a UUID has 36 characters", "key.format %s does not fit lengths from %d to %d, so no key is well-formed", key.Format, key.MinLength, key.MaxLength)
		}
		return
	}
	if bits := keyBits(*key); bits < minKeyBits {
		at := "key.maxLength"
		if key.Pattern != "" && 6*float64(key.MaxLength) >= minKeyBits {
			at = "key.pattern"
		}
		v.report(ruleLowEntropy, at, "allow 22 characters or more: 128 random bits in base64url", "a key has room for %.0f random bits at most, so two clients may draw the same", bits)
	}
}

func (v *resolver) checkFingerprint() {
	f := &v.op.Policy.Fingerprint
	if len(f.Include) > 0 && len(f.Exclude) > 0 {
		v.report(ruleIncludeExclude, "fingerprint.exclude", "keep include alone: what it does not name is left out anyway", "fingerprint has include and exclude")
	}
	if f.Body != policy.CanonicalBody {
		for _, pointers := range []struct {
			member string
			list   []string
		}{{"fingerprint.include", f.Include}, {"fingerprint.exclude", f.Exclude}} {
			if len(pointers.list) > 0 {
				v.report(ruleFingerprintBody, pointers.member, "write `body: canonical`", "%s chooses parts of a canonical body, and fingerprint.body is %s", pointers.member, f.Body)
			}
		}
	}
	for i, name := range f.Headers {
		if volatileHeaders[name] {
			v.report(ruleVolatileHeader, entry("fingerprint.headers", i), "leave it out", "header %s changes from attempt to attempt, so a retry would count as another request", name)
		}
		if key := &v.op.Policy.Key; key.In == policy.InHeader && sameHeader(name, key.Name) {
			v.report(ruleVolatileHeader, entry("fingerprint.headers", i), "leave it out", "header %s is the key itself", name)
		}
	}
}

func (v *resolver) checkStored() {
	p := &v.op.Policy
	if p.Mode != policy.Transaction || !v.authoredAt("store.statuses") {
		return
	}
	for i, status := range p.Store.Statuses {
		if is5xx(status) {
			v.report(ruleStore5xx, entry("store.statuses", i), "leave it out: the retry runs anew", "store.statuses has %s, and in transaction mode a 5xx rolls its record back with the work", status)
		}
	}
}

func (v *resolver) checkReplay() {
	p := &v.op.Policy
	for _, change := range p.Replay.Status {
		if !p.Store.Statuses.Contains(change.From) {
			v.report(ruleReplayUnstored, "replay.status."+itoa(change.From), "add it to store.statuses, or leave it out here", "replay.status changes %d, which is not stored and never replayed", change.From)
		}
	}
	if p.Replay.Header == "" {
		v.report(ruleReplayMarker, "replay.header", "name a header, such as Idempotent-Replayed", "replays carry no marker, so nobody can tell them from a first answer")
	}
	if p.InFlight.Answer == policy.Conflict && v.authoredAt("inFlight.maxWait") && !v.deeper("inFlight.answer", "inFlight.maxWait") {
		v.report(ruleWaitAnswer, "inFlight.maxWait", "leave it out, or write `answer: wait`", "inFlight.maxWait has no effect where the answer is conflict")
	}
}

func (v *resolver) checkMode() {
	if v.op.Policy.Mode == policy.Transaction {
		v.checkTransactionMode()
		return
	}
	v.checkLeaseMode()
}

func (v *resolver) checkTransactionMode() {
	if len(v.op.Policy.Downstream) > 0 {
		v.report(ruleDownstreamMode, "downstream", "write `mode: lease`", "an operation in transaction mode has downstream calls, which no rollback takes back")
	}
	for _, member := range []string{"steps", "lease.duration", "lease.heartbeat"} {
		if v.authoredAt(member) && !v.deeper("mode", member) {
			v.report(ruleLeaseMembers, member, "leave it out, or write `mode: lease`", "%s has no effect in transaction mode", member)
		}
	}
}

func (v *resolver) checkLeaseMode() {
	p := &v.op.Policy
	at := "lease.heartbeat"
	if v.deeper("lease.duration", "lease.heartbeat") {
		at = "lease.duration"
	}
	if p.Lease.Heartbeat*2 > p.Lease.Duration {
		v.report(ruleLeaseHeartbeat, at, "let it beat at least twice within the lease", "heartbeat %s is not well under the lease of %s, so a single late one loses the lease", human(p.Lease.Heartbeat), human(p.Lease.Duration))
	}
	if p.Retention <= p.Lease.Duration {
		v.report(ruleRetentionLease, "retention", "keep records for hours, and leases for seconds", "retention %s is not longer than the lease of %s", human(p.Retention), human(p.Lease.Duration))
	}
	if !p.Key.Required {
		v.report(ruleLeaseOptional, "key.required", "write required: true", "without a key there is no record of the work, so nobody takes it up again after a crash, and its external calls carry no key that a retry would repeat")
	}
	if v.unread("steps", "downstream") {
		return
	}
	if len(p.Steps) == 0 && len(p.Downstream) == 0 {
		v.report(ruleLeaseSteps, "mode", "name the steps and the downstream calls, or use transaction mode", "lease mode without steps or downstream calls has nothing to recover")
	}
	v.checkSteps()
	v.checkDownstream()
}

// checkSteps finds steps that would be one name in code.
func (v *resolver) checkSteps() {
	plain := strings.NewReplacer("-", "", "_", "")
	first := map[string]string{}
	for i, step := range v.op.Policy.Steps {
		folded := strings.ToLower(plain.Replace(step))
		if other, taken := first[folded]; taken {
			v.report(ruleStepsAlike, entry("steps", i), "give each a name of its own", "steps %s and %s differ in case, hyphens or underscores only, and code has one name for both", show(other), show(step))
			continue
		}
		first[folded] = step
	}
}

func (v *resolver) checkDownstream() {
	p := &v.op.Policy
	for i, call := range p.Downstream {
		if call.Format == policy.UUID7 {
			v.report(ruleDownstreamForm, entry("downstream", i), "write uuid5, or uuid4 where the other side insists on one that looks random", "downstream call %s asks for a UUID of version 7, which begins with a time, and a derived key, the same at every attempt, holds none", show(call.Name))
		}
		switch {
		case slices.Contains(p.Steps, call.Step):
		case call.Step == "" && len(p.Steps) == 0:
			v.report(ruleDownstreamStep, entry("downstream", i), "write steps: and name its step", "downstream call %s has no step, and its name cannot be a step's", show(call.Name))
		case call.Step == "":
			v.report(ruleDownstreamStep, entry("downstream", i), "name its step: "+alternatives(p.Steps), "downstream call %s has no step, and there are %d", show(call.Name), len(p.Steps))
		default:
			v.report(ruleDownstreamStep, entry("downstream", i), stepHint(call.Step, p.Steps), "downstream call %s has the step %s, which is not among steps", show(call.Name), show(call.Step))
		}
	}
}

// human prints a duration without its empty units: 24h, not 24h0m0s.
func human(d policy.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

func stepHint(step string, steps []string) string {
	if hint := didYouMean(step, steps); hint != "" {
		return hint
	}
	if len(steps) == 0 {
		return "write steps: [" + step + "]"
	}
	return "steps are " + alternatives(steps)
}
