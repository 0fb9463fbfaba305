package runtime

import (
	"context"
	"log/slog"
)

// LogObserver is an observer that writes an entry for each event to logger; nil counts as slog.Default(). The level tells
// whom an event concerns, whatever the status:
//
//   - debug: all went as it should, a replay included, and a handler's own refusal
//   - info: a client did something wrong, or recovery finished what another worker had begun
//   - warn: something was not finished, was lost, or could not be done at all, and somebody may have to look
//
// Why something failed is not in it: that is what [WithLogger] and [WithErrorObserver] are for. To count events, package
// otelidem is a better choice.
func LogObserver(logger *slog.Logger) Observer {
	if logger == nil {
		logger = slog.Default()
	}
	return logObserver{logger}
}

type logObserver struct{ logger *slog.Logger }

// quiet are the outcomes of requests with which all is well, loud are those that somebody may have to look at. The others
// are the client's.
var (
	quiet = map[Outcome]bool{OutcomeFresh: true, OutcomeNotKept: true, OutcomeReplayed: true, OutcomeWaited: true, OutcomeUnprotected: true}
	loud  = map[Outcome]bool{OutcomeUnavailable: true, OutcomeUnknown: true, OutcomeFailed: true, OutcomeSuspended: true}
)

func requestLevel(outcome Outcome) slog.Level {
	switch {
	case quiet[outcome]:
		return slog.LevelDebug
	case loud[outcome]:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

func stepLevel(outcome StepOutcome) slog.Level {
	switch outcome {
	case StepDone, StepStored:
		return slog.LevelDebug
	case StepReconciled:
		return slog.LevelInfo
	default:
		return slog.LevelWarn
	}
}

// Request implements [Observer].
func (o logObserver) Request(ctx context.Context, _ string) (context.Context, func(RequestEvent)) {
	return ctx, func(event RequestEvent) {
		level := requestLevel(event.Outcome)
		if !o.logger.Enabled(ctx, level) {
			return
		}
		o.logger.LogAttrs(ctx, level, "idempotency: request",
			slog.String("operation", event.Operation),
			slog.String("outcome", string(event.Outcome)),
			slog.Int("status", event.Status),
			slog.Duration("duration", event.Duration),
			slog.Duration("waited", event.Waited),
			slog.Int("runs", event.Runs))
	}
}

// Step implements [Observer].
func (o logObserver) Step(ctx context.Context, event StepEvent) {
	o.logger.LogAttrs(ctx, stepLevel(event.Outcome), "idempotency: step",
		slog.String("operation", event.Operation),
		slog.String("step", event.Step),
		slog.Bool("external", event.External),
		slog.String("outcome", string(event.Outcome)),
		slog.Duration("duration", event.Duration))
}

// LeaseLost implements [Observer].
func (o logObserver) LeaseLost(ctx context.Context, event LeaseLostEvent) {
	attributes := []slog.Attr{slog.String("operation", event.Operation), slog.Int64("epoch", event.Epoch)}
	if event.Cause != "" {
		attributes = append(attributes, slog.String("cause", event.Cause))
	}
	o.logger.LogAttrs(ctx, slog.LevelWarn, "idempotency: lease lost", attributes...)
}

// WorkLimit implements [Observer].
func (o logObserver) WorkLimit(ctx context.Context, event WorkLimitEvent) {
	o.logger.LogAttrs(ctx, slog.LevelWarn, "idempotency: work limit reached",
		slog.String("operation", event.Operation),
		slog.Int64("epoch", event.Epoch),
		slog.Bool("left", event.Left))
}

// Recovered implements [Observer].
func (o logObserver) Recovered(ctx context.Context, event RecoveryEvent) {
	level := slog.LevelWarn
	if event.Outcome == RecoveryCompleted || event.Outcome == RecoveryReleased {
		level = slog.LevelInfo
	}
	o.logger.LogAttrs(ctx, level, "idempotency: recovered",
		slog.String("operation", event.Operation),
		slog.String("outcome", string(event.Outcome)),
		slog.Int64("epoch", event.Epoch),
		slog.Duration("age", event.Age),
		slog.Duration("duration", event.Duration))
}

// Backlog implements [Observer].
func (o logObserver) Backlog(ctx context.Context, backlog Backlog) {
	level := slog.LevelDebug
	if backlog.Overdue > 0 {
		level = slog.LevelInfo
	}
	o.logger.LogAttrs(ctx, level, "idempotency: backlog",
		slog.Int64("in_progress", backlog.InProgress),
		slog.Int64("overdue", backlog.Overdue),
		slog.Duration("oldest_overdue", backlog.OldestOverdue))
}
