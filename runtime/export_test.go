package runtime

// Waiting is the number of requests that wait in the engine's gate.
func (e *Engine[TX]) Waiting() int {
	e.gate.mu.Lock()
	defer e.gate.mu.Unlock()
	n := 0
	for _, f := range e.gate.flights {
		n += f.queue.Len()
	}
	return n
}
