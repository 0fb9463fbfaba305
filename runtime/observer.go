package runtime

import (
	"context"
	"time"
)

// Observer is told what becomes of requests, of leases and of recovery. It is called from many goroutines, on the way of
// a request, so it is quick. Nothing that it is told holds a key, an account or a body. Embed [Unobserved] to implement
// only a part, and to go on compiling when a method is added.
type Observer interface {
	// Request is told that a request of an operation has arrived. The context that it returns is the rest of the request's,
	// and end is called once, when the answer is about to be sent.
	Request(ctx context.Context, operation string) (_ context.Context, end func(RequestEvent))
	// Step is told of each step of lease mode when it has ended.
	Step(ctx context.Context, event StepEvent)
	// LeaseLost is told when a worker finds that it holds its record no more.
	LeaseLost(ctx context.Context, event LeaseLostEvent)
	// WorkLimit is told when a worker has come to the limit of [WithWorkLimit]: once its handler has returned, or is left
	// behind.
	WorkLimit(ctx context.Context, event WorkLimitEvent)
	// Recovered is told of each record that recovery has taken over, when its work has ended.
	Recovered(ctx context.Context, event RecoveryEvent)
	// Backlog is told how much work there is, about once an interval of recovery (see [WithRecoveryInterval]) in each process
	// that runs one. It is that of all processes.
	Backlog(ctx context.Context, backlog Backlog)
}

// RequestEvent is what became of a request.
type RequestEvent struct {
	Operation string
	Outcome   Outcome
	// Status is the answer's; 0 where none was sent, since something panicked that is not the engine's to catch.
	Status int
	// Duration is from the arrival to the answer, Waited what of it was spent in waiting for another request with the same
	// key: in this process, and in lease mode in any. It is 0 for one that found none.
	Duration, Waited time.Duration
	// Runs is how often the work was run; 0 for a replay and a refusal.
	Runs int
}

// Outcome is what became of a request, in one word. The words are published as a label of metrics and do not change.
type Outcome string

// The outcomes.
const (
	OutcomeFresh           Outcome = "fresh"            // the work ran and its answer is kept
	OutcomeNotKept         Outcome = "not-kept"         // the work ran, was rolled back or released, and its answer is for this request only
	OutcomeReplayed        Outcome = "replayed"         // answered from the record
	OutcomeWaited          Outcome = "waited"           // answered from the record of a request that was under way when this one came
	OutcomeInProgress      Outcome = "in-progress"      // refused, since another request with the key is under way
	OutcomeMismatch        Outcome = "mismatch"         // refused, since the key was used for another request
	OutcomeMissingKey      Outcome = "missing-key"      // refused
	OutcomeMalformedKey    Outcome = "malformed-key"    // refused
	OutcomeInvalid         Outcome = "invalid"          // refused before any work, for another reason
	OutcomeUnauthenticated Outcome = "unauthenticated"  // refused
	OutcomeTooLarge        Outcome = "answer-not-kept"  // the record is a tombstone
	OutcomeDuplicateEffect Outcome = "duplicate-effect" // a guard of the policy was violated
	OutcomeUnavailable     Outcome = "unavailable"      // nothing was done by this request; another one may do it
	OutcomeUnknown         Outcome = "unknown"          // it may have been done; the client asks again
	OutcomeFailed          Outcome = "failed"           // the handler failed or panicked, and nothing was done
	OutcomeUnprotected     Outcome = "unprotected"      // the work ran without a key, where it is optional
	OutcomeSuspended       Outcome = "suspended"        // lease mode: the work is not finished and will be taken up again
)

// StepEvent is what became of a step.
type StepEvent struct {
	Operation, Step string
	External        bool
	Outcome         StepOutcome
	Duration        time.Duration
}

// StepOutcome is what became of a step, in one word.
type StepOutcome string

// The outcomes of steps.
const (
	StepDone       StepOutcome = "done"       // it ran, and its result is stored
	StepStored     StepOutcome = "stored"     // an earlier worker had done it
	StepReconciled StepOutcome = "reconciled" // the other side knew that it was done
	StepUnknown    StepOutcome = "unknown"    // nobody knows yet
	StepFailed     StepOutcome = "failed"     // it certainly had no effect, or its transaction was rolled back
)

// LeaseLostEvent is a worker that holds its record no more.
type LeaseLostEvent struct {
	Operation string
	// Epoch counts the workers that have held the record, this one included.
	Epoch int64
	// Cause is why the last renewal failed, if that is why the lease was lost: the types of the error, its SQLSTATE, and what
	// [Explained] errors in it say. It is empty where renewals did not fail.
	Cause string
}

// WorkLimitEvent is a worker that has come to the limit of [WithWorkLimit].
type WorkLimitEvent struct {
	Operation string
	// Epoch counts the workers that have held the record, this one included.
	Epoch int64
	// Left: the handler did not return, and is left behind in its goroutine.
	Left bool
}

// RecoveryEvent is what became of a record that recovery took over.
type RecoveryEvent struct {
	Operation string
	Outcome   RecoveryOutcome
	// Epoch counts the workers that have held the record, this one included.
	Epoch int64
	// Age is how long ago the first of them claimed it, Duration how long this one's work took.
	Age, Duration time.Duration
}

// RecoveryOutcome is what became of a record that recovery took over, in one word.
type RecoveryOutcome string

// The outcomes of recovery.
const (
	RecoveryCompleted RecoveryOutcome = "completed" // its answer is kept
	RecoveryYielded   RecoveryOutcome = "yielded"   // left in progress, to be looked at again
	RecoveryReleased  RecoveryOutcome = "released"  // it had had no effect, and is gone
	RecoveryLost      RecoveryOutcome = "lost"      // another worker has it
	RecoveryFailed    RecoveryOutcome = "failed"    // left in progress: it cannot be read here, or what became of the last write is not known
)

// Unobserved is an [Observer] that does nothing.
type Unobserved struct{}

// Request implements [Observer].
func (Unobserved) Request(ctx context.Context, _ string) (context.Context, func(RequestEvent)) {
	return ctx, func(RequestEvent) {}
}

// Step implements [Observer].
func (Unobserved) Step(context.Context, StepEvent) {}

// LeaseLost implements [Observer].
func (Unobserved) LeaseLost(context.Context, LeaseLostEvent) {}

// WorkLimit implements [Observer].
func (Unobserved) WorkLimit(context.Context, WorkLimitEvent) {}

// Recovered implements [Observer].
func (Unobserved) Recovered(context.Context, RecoveryEvent) {}

// Backlog implements [Observer].
func (Unobserved) Backlog(context.Context, Backlog) {}
