package runtime

// NewOutbound returns what a step's external call is given, for a unit test of the function that makes the call. The engine
// makes its own, with derived keys. key and further are those of the step's downstream calls, in the policy's order.
func NewOutbound(step string, key DownstreamKey, further ...DownstreamKey) *Outbound {
	return &Outbound{Step: step, keys: append([]DownstreamKey{key}, further...)}
}
