package runtime

// NewOutbound returns what a step's external call is given, for a unit test of the function that makes the call. The engine
// makes its own, with derived keys. key and further are those of the step's downstream calls, in the policy's order.
func NewOutbound(step string, key DownstreamKey, further ...DownstreamKey) *Outbound {
	return &Outbound{Step: step, keys: append([]DownstreamKey{key}, further...)}
}

// NewInterrupted returns an interrupted step, for a unit test of a reconcile function. The engine makes its own, of the
// record that it has taken over. out has the step's name and its keys; done are the steps before it that are done, each with
// its result as JSON. The members that stand open, such as Principal, are set afterwards; Epoch is 2, that of the first worker
// that there can be anything to ask for.
func NewInterrupted(out *Outbound, done ...StepResult) *Interrupted {
	return &Interrupted{Outbound: *out, Epoch: 2, steps: done}
}
