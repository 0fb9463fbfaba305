package extension

import "github.com/idemgen/idemgen/runtime/policy"

// checkFirstSent has the rules about the time of a request's first attempt (requirement X3).
func (v *resolver) checkFirstSent() {
	key := &v.op.Policy.Key
	if key.FirstSent.Header == "" {
		v.checkWithoutFirstSent()
		return
	}
	switch {
	case key.In == policy.InHeader && sameHeader(key.Name, key.FirstSent.Header):
		v.report(ruleHeaderRole, "key.firstSent.header", "name another header", "key.firstSent.header %s is the key's own header", show(key.FirstSent.Header))
	case v.scopeHas(key.FirstSent.Header):
		v.report(ruleHeaderRole, "key.firstSent.header", "leave it out of the scope", "key.firstSent.header %s is part of the scope too", show(key.FirstSent.Header))
	}
	if key.FirstSent.MaxSkew >= v.op.Policy.Retention {
		at := "key.firstSent.maxSkew"
		if v.deeper("retention", at) {
			at = "retention"
		}
		v.report(ruleFirstSentSkew, at, "allow for clocks that differ by minutes, and keep records for longer",
			"key.firstSent.maxSkew %s is not shorter than the retention %s, so the time says nothing about a key that is forgotten",
			human(key.FirstSent.MaxSkew), human(v.op.Policy.Retention))
	}
}

// checkWithoutFirstSent finds what means something only beside the header that carries the time.
func (v *resolver) checkWithoutFirstSent() {
	if v.unread("key.firstSent.header") {
		return
	}
	for _, member := range []string{"key.firstSent.maxSkew", "errors.expired.status", "errors.expired.type", "errors.expired.title", "errors.expired.code", "errors.expired.headers"} {
		if v.authoredAt(member) && !v.deeper("key.firstSent.header", member) {
			v.report(ruleFirstSentMembers, member, "add `key: {firstSent: {header: Repeatability-First-Sent}}`, or leave it out", "%s has no effect: no header says when a request was sent first", member)
		}
	}
}

func (v *resolver) scopeHas(header string) bool {
	for _, part := range v.op.Policy.Scope {
		if name, ok := part.Header(); ok && sameHeader(name, header) {
			return true
		}
	}
	return false
}

// checkAnswers has the rules about the headers of answers to requests with an accepted key.
func (v *resolver) checkAnswers() {
	p := &v.op.Policy
	for _, header := range p.Answers.Headers {
		if p.Replay.Header != "" && sameHeader(header.Name, p.Replay.Header) {
			v.report(ruleReplayMarker, "answers.headers", "name another header", "answers.headers has %s, which marks a replay: first answers would carry it too", show(header.Name))
		}
	}
}
