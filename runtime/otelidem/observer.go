package otelidem

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/idemgen/idemgen/runtime"
)

// scope is the name of the instrumentation.
const scope = "github.com/idemgen/idemgen/runtime/otelidem"

// The attributes. The first two are OpenTelemetry's own.
const (
	statusKey    = attribute.Key("http.response.status_code")
	errorKey     = attribute.Key("error.type")
	operationKey = attribute.Key("idempotency.operation")
	outcomeKey   = attribute.Key("idempotency.outcome")
	stepKey      = attribute.Key("idempotency.step")
	externalKey  = attribute.Key("idempotency.step.external")
	runsKey      = attribute.Key("idempotency.runs")
	epochKey     = attribute.Key("idempotency.epoch")
	stateKey     = attribute.Key("idempotency.state")
	leftKey      = attribute.Key("idempotency.left")
)

// Observer is a [runtime.Observer] that makes spans and metrics. It is safe for concurrent use.
//
// A request has a span, within that of the server, in whose context the handler runs. A step, and a record that recovery has
// taken over, have one that is made when they have ended.
type Observer struct {
	runtime.Unobserved
	tracer trace.Tracer
	instruments
}

// Option sets one thing about an observer.
type Option func(*settings) error

type settings struct {
	traces  trace.TracerProvider
	metrics metric.MeterProvider
}

// WithTracerProvider sets where spans go. The default is OpenTelemetry's global one.
func WithTracerProvider(provider trace.TracerProvider) Option {
	return func(s *settings) error {
		if provider == nil {
			return errors.New("WithTracerProvider: the provider is nil")
		}
		s.traces = provider
		return nil
	}
}

// WithMeterProvider sets where metrics go. The default is OpenTelemetry's global one.
func WithMeterProvider(provider metric.MeterProvider) Option {
	return func(s *settings) error {
		if provider == nil {
			return errors.New("WithMeterProvider: the provider is nil")
		}
		s.metrics = provider
		return nil
	}
}

// New returns an observer.
func New(opts ...Option) (*Observer, error) {
	s := settings{traces: otel.GetTracerProvider(), metrics: otel.GetMeterProvider()}
	for _, opt := range opts {
		if err := opt(&s); err != nil {
			return nil, fmt.Errorf("otelidem.New: %w", err)
		}
	}
	made, err := newInstruments(s.metrics.Meter(scope))
	if err != nil {
		return nil, fmt.Errorf("otelidem.New: %w", err)
	}
	return &Observer{tracer: s.traces.Tracer(scope), instruments: made}, nil
}

// failed are the outcomes for which a span has the status of an error: the service's fault, and not a client's.
var failed = map[runtime.Outcome]bool{
	runtime.OutcomeUnavailable: true, runtime.OutcomeUnknown: true, runtime.OutcomeFailed: true, runtime.OutcomeSuspended: true,
}

// Request implements [runtime.Observer].
func (o *Observer) Request(ctx context.Context, operation string) (context.Context, func(runtime.RequestEvent)) {
	ctx, span := o.tracer.Start(ctx, "idempotency "+operation, trace.WithAttributes(operationKey.String(operation)))
	return ctx, func(event runtime.RequestEvent) {
		labels := metric.WithAttributes(operationKey.String(operation), outcomeKey.String(string(event.Outcome)))
		o.requests.Add(ctx, 1, labels)
		o.duration.Record(ctx, event.Duration.Seconds(), labels)
		if event.Waited > 0 {
			o.wait.Record(ctx, event.Waited.Seconds(), metric.WithAttributes(operationKey.String(operation)))
		}
		span.SetAttributes(outcomeKey.String(string(event.Outcome)), runsKey.Int(event.Runs))
		if event.Status != 0 {
			span.SetAttributes(statusKey.Int(event.Status))
		}
		if failed[event.Outcome] {
			fail(span, string(event.Outcome))
		}
		span.End()
	}
}

// fail gives span the status of an error.
func fail(span trace.Span, outcome string) {
	span.SetAttributes(errorKey.String(outcome))
	span.SetStatus(codes.Error, "")
}

// Step implements [runtime.Observer].
func (o *Observer) Step(ctx context.Context, event runtime.StepEvent) {
	outcome := string(event.Outcome)
	o.step.Record(ctx, event.Duration.Seconds(), metric.WithAttributes(
		operationKey.String(event.Operation), stepKey.String(event.Step), outcomeKey.String(outcome)))
	span, end := o.ended(ctx, "idempotency step "+event.Step, event.Duration,
		operationKey.String(event.Operation), stepKey.String(event.Step), externalKey.Bool(event.External), outcomeKey.String(outcome))
	if event.Outcome == runtime.StepUnknown || event.Outcome == runtime.StepFailed {
		fail(span, outcome)
	}
	span.End(end)
}

// LeaseLost implements [runtime.Observer].
func (o *Observer) LeaseLost(ctx context.Context, event runtime.LeaseLostEvent) {
	o.lost.Add(ctx, 1, metric.WithAttributes(operationKey.String(event.Operation)))
	trace.SpanFromContext(ctx).AddEvent("idempotency.lease_lost", trace.WithAttributes(
		operationKey.String(event.Operation), epochKey.Int64(event.Epoch)))
}

// WorkLimit implements [runtime.Observer].
func (o *Observer) WorkLimit(ctx context.Context, event runtime.WorkLimitEvent) {
	o.limited.Add(ctx, 1, metric.WithAttributes(operationKey.String(event.Operation), leftKey.Bool(event.Left)))
	trace.SpanFromContext(ctx).AddEvent("idempotency.work_limit", trace.WithAttributes(
		operationKey.String(event.Operation), epochKey.Int64(event.Epoch), leftKey.Bool(event.Left)))
}

// Recovered implements [runtime.Observer].
func (o *Observer) Recovered(ctx context.Context, event runtime.RecoveryEvent) {
	outcome := string(event.Outcome)
	labels := metric.WithAttributes(operationKey.String(event.Operation), outcomeKey.String(outcome))
	o.recovered.Add(ctx, 1, labels)
	o.age.Record(ctx, event.Age.Seconds(), metric.WithAttributes(operationKey.String(event.Operation)))
	span, end := o.ended(ctx, "idempotency recovery "+event.Operation, event.Duration,
		operationKey.String(event.Operation), outcomeKey.String(outcome), epochKey.Int64(event.Epoch))
	if event.Outcome != runtime.RecoveryCompleted && event.Outcome != runtime.RecoveryReleased {
		fail(span, outcome)
	}
	span.End(end)
}

// Backlog implements [runtime.Observer].
func (o *Observer) Backlog(ctx context.Context, backlog runtime.Backlog) {
	o.backlog.Record(ctx, max(backlog.InProgress-backlog.Overdue, 0), metric.WithAttributes(stateKey.String("held")))
	o.backlog.Record(ctx, backlog.Overdue, metric.WithAttributes(stateKey.String("overdue")))
	o.backlogAge.Record(ctx, backlog.OldestOverdue.Seconds())
}

// Purge returns what the observer of one purger calls for each event: with how many records the pass has deleted so far, the
// pass's lag, whether this is its last event, and what ended it before its time. A pass that ended with the context of the
// purger, as at the end of a service, has not failed. It is called by one goroutine.
func (o *Observer) Purge() func(deleted int64, lag time.Duration, ended bool, err error) {
	var before int64 // of this pass
	return func(deleted int64, lag time.Duration, ended bool, err error) {
		ctx := context.Background()
		o.purged.Add(ctx, max(deleted-before, 0))
		o.lag.Record(ctx, lag.Seconds())
		before = deleted
		if !ended {
			return
		}
		before = 0
		if err != nil && !errors.Is(err, context.Canceled) {
			o.purgeFailures.Add(ctx, 1)
		}
	}
}

// ended is a span of something that has taken d and ends now.
func (o *Observer) ended(ctx context.Context, name string, d time.Duration, attributes ...attribute.KeyValue) (trace.Span, trace.SpanEndOption) {
	now := time.Now()
	_, span := o.tracer.Start(ctx, name, trace.WithTimestamp(now.Add(-d)), trace.WithAttributes(attributes...))
	return span, trace.WithTimestamp(now)
}
