package runtime

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// stepPlan is a step of an operation in lease mode. It is external where it has downstream calls.
type stepPlan struct {
	name       string
	downstream []policy.Downstream
}

func (s *stepPlan) external() bool { return len(s.downstream) > 0 }

// step is the index of the step with the given name, -1 where the policy has none.
func (p *plan) step(name string) int {
	return slices.IndexFunc(p.steps, func(s stepPlan) bool { return s.name == name })
}

// callsOut reports whether any step calls somebody else.
func (p *plan) callsOut() bool {
	return slices.ContainsFunc(p.steps, func(s stepPlan) bool { return s.external() })
}

// checkLease checks what only lease mode reads of a policy. A downstream call whose step is not listed has a step of its
// own, after those that are.
func (p *plan) checkLease(fault faultFunc) {
	pol := &p.op.Policy
	switch {
	case pol.Lease.Duration <= 0:
		fault("lease.duration is %v: it is positive in lease mode", pol.Lease.Duration)
	case pol.Lease.Heartbeat <= 0 || pol.Lease.Heartbeat > pol.Lease.Duration/2:
		fault("lease.heartbeat is %v: it is positive and at most half of lease.duration, so that one that fails does not lose the lease", pol.Lease.Heartbeat)
	case pol.Retention <= pol.Lease.Duration:
		fault("retention is %v: it is longer than lease.duration", pol.Retention)
	}
	for _, name := range pol.Steps {
		switch {
		case name == "":
			fault("steps: a name is empty")
		case p.step(name) >= 0:
			fault("steps: %q stands twice", name)
		default:
			p.steps = append(p.steps, stepPlan{name: name})
		}
	}
	type named struct{ step, name string }
	var names []named
	for _, call := range pol.Downstream {
		p.checkDownstream(&call, fault)
		if is := (named{call.Step, call.Name}); slices.Contains(names, is) {
			fault("downstream: %q stands twice in step %q", call.Name, call.Step)
		} else {
			names = append(names, is)
		}
		at := p.step(call.Step)
		if at < 0 {
			at = len(p.steps)
			p.steps = append(p.steps, stepPlan{name: call.Step})
		}
		p.steps[at].downstream = append(p.steps[at].downstream, call)
	}
	p.carry(fault)
}

func (p *plan) checkDownstream(call *policy.Downstream, fault faultFunc) {
	if call.Name == "" || call.Step == "" {
		fault("downstream: %q in step %q: both need a name", call.Name, call.Step)
	}
	if call.Header != "" && !policy.IsToken(call.Header) {
		fault("downstream: %q is not a header name", call.Header)
	}
	switch call.Format {
	case "", policy.AnyFormat, policy.UUID, policy.UUID4, policy.UUID5, policy.UUID7:
	default:
		fault("downstream: format %q is not known", call.Format)
	}
}

// credentials are the headers that a request is never stored with, whatever a policy says.
var credentials = []string{"Authorization", "Cookie", "Proxy-Authorization"}

// carry finds the headers that a request is stored with.
func (p *plan) carry(fault faultFunc) {
	names := []string{"Content-Type"}
	for _, name := range p.op.RequestHeaders {
		if !policy.IsToken(name) {
			fault("RequestHeaders: %q is not a header name", name)
		}
		names = append(names, http.CanonicalHeaderKey(name))
	}
	names = append(names, p.fingerprint...)
	for _, part := range p.op.Policy.Scope {
		if name, ok := part.Header(); ok {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	if p.keyHeader != "" {
		names = append(names, p.keyHeader)
	}
	slices.Sort(names)
	p.carried = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(credentials, name) })
}

// keepsLeases refuses an operation in lease mode over a store that cannot keep its work in progress.
func (e *Engine[TX]) keepsLeases(p *plan) error {
	if p.op.Policy.Mode != policy.LeaseMode {
		return nil
	}
	if _, ok := e.store.(LeaseStore[TX]); ok {
		return nil
	}
	return fmt.Errorf("operation %q is in lease mode, and the store, a %T, keeps no work in progress: give the engine one that is a runtime.LeaseStore", p.op.ID, e.store)
}
