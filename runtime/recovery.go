package runtime

import (
	"context"
	"time"
)

// Recovery takes up the work of lease mode that nobody does any more: its worker died, lost its connection, or gave it up.
// Any number of processes may run one; each record is taken over by one of them.
type Recovery[TX any] struct{ engine *Engine[TX] }

// RecoveryOption sets one thing about a recovery.
type RecoveryOption func(*recoverySettings) error

type recoverySettings struct {
	interval time.Duration
	batch    int
	drain    time.Duration
}

// RecoveryReport is what one round of recovery came to.
type RecoveryReport struct {
	// Taken is the sum of the others: records that were Completed, Yielded (left in progress, to be looked at again),
	// Released (they had had no effect), Lost (to another worker meanwhile) or Failed.
	Taken, Completed, Yielded, Released, Lost, Failed int
}

// NewRecovery returns a recovery of the operations that e serves in lease mode.
func (e *Engine[TX]) NewRecovery(opts ...RecoveryOption) (*Recovery[TX], error) {
	panic("not built yet")
}

// Run takes up work until ctx ends, then finishes what it holds, within a bound. It returns nil then.
func (r *Recovery[TX]) Run(ctx context.Context) error { panic("not built yet") }

// Once takes up one batch, and returns when its work has ended.
func (r *Recovery[TX]) Once(ctx context.Context) (RecoveryReport, error) { panic("not built yet") }
