package otelidem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/otelidem"
	"github.com/idemgen/idemgen/runtime/policy"
)

// probe is an observer whose spans and metrics are kept.
type probe struct {
	*testing.T
	*otelidem.Observer
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
}

func newProbe(t *testing.T) *probe {
	t.Helper()
	p := &probe{T: t, spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	observer, err := otelidem.New(
		otelidem.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p.spans))),
		otelidem.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(p.reader))))
	if err != nil {
		t.Fatal(err)
	}
	p.Observer = observer
	return p
}

// metrics are all points, one a line: name, unit, labels and value; of histograms the count, the sum where it is exact, and
// the number of bounds.
func (p *probe) metrics() string {
	p.Helper()
	var all metricdata.ResourceMetrics
	if err := p.reader.Collect(context.Background(), &all); err != nil {
		p.Fatal(err)
	}
	var lines []string
	add := func(m metricdata.Metrics, labels attribute.Set, value string) {
		lines = append(lines, fmt.Sprintf("%s %s {%s} %s", m.Name, m.Unit, labels.Encoded(attribute.DefaultEncoder()), value))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Description == "" {
				p.Errorf("%s has no description", m.Name)
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, point := range data.DataPoints {
					add(m, point.Attributes, fmt.Sprint(point.Value))
				}
			case metricdata.Gauge[int64]:
				for _, point := range data.DataPoints {
					add(m, point.Attributes, fmt.Sprint(point.Value))
				}
			case metricdata.Gauge[float64]:
				for _, point := range data.DataPoints {
					add(m, point.Attributes, fmt.Sprint(point.Value))
				}
			case metricdata.Histogram[float64]:
				for _, point := range data.DataPoints {
					add(m, point.Attributes, fmt.Sprintf("%d of %v in %d", point.Count, point.Sum, len(point.Bounds)))
				}
			default:
				p.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// traced are all ended spans, one a line: name, status and attributes, how long it took, and its events.
func (p *probe) traced() string {
	var lines []string
	for _, span := range p.spans.Ended() {
		set := attribute.NewSet(span.Attributes()...)
		line := fmt.Sprintf("%s %v {%s}", span.Name(), span.Status().Code, set.Encoded(attribute.DefaultEncoder()))
		for _, event := range span.Events() {
			set := attribute.NewSet(event.Attributes...)
			line += fmt.Sprintf(" %s{%s}", event.Name, set.Encoded(attribute.DefaultEncoder()))
		}
		if span.SpanKind() != trace.SpanKindInternal {
			line += " " + span.SpanKind().String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestObserver_EveryEvent(t *testing.T) {
	p := newProbe(t)
	ctx, end := p.Request(context.Background(), "pay")
	p.Step(ctx, runtime.StepEvent{Operation: "pay", Step: "charge", External: true, Outcome: runtime.StepDone, Duration: 2 * time.Second})
	p.Step(ctx, runtime.StepEvent{Operation: "pay", Step: "book", Outcome: runtime.StepFailed, Duration: time.Second})
	p.LeaseLost(ctx, runtime.LeaseLostEvent{Operation: "pay", Epoch: 1})
	p.WorkLimit(ctx, runtime.WorkLimitEvent{Operation: "pay", Epoch: 1, Left: true})
	end(runtime.RequestEvent{Operation: "pay", Outcome: runtime.OutcomeSuspended, Status: 503, Duration: 4 * time.Second, Waited: time.Second, Runs: 1})
	_, end = p.Request(context.Background(), "pay")
	end(runtime.RequestEvent{Operation: "pay", Outcome: runtime.OutcomeReplayed, Status: 201, Duration: 500 * time.Millisecond})
	_, end = p.Request(context.Background(), "pay")
	end(runtime.RequestEvent{Operation: "pay", Outcome: runtime.OutcomeFailed}) // no answer was sent
	p.Recovered(context.Background(), runtime.RecoveryEvent{Operation: "pay", Outcome: "completed", Epoch: 2, Age: time.Hour, Duration: 3 * time.Second})
	p.Recovered(context.Background(), runtime.RecoveryEvent{Operation: "pay", Outcome: "yielded", Epoch: 3, Age: time.Hour})
	p.Backlog(context.Background(), runtime.Backlog{InProgress: 5, Overdue: 2, OldestOverdue: 90 * time.Second})

	same(t, p.traced(), `
idempotency step charge Unset {idempotency.operation=pay,idempotency.outcome=done,idempotency.step=charge,idempotency.step.external=true}
idempotency step book Error {error.type=failed,idempotency.operation=pay,idempotency.outcome=failed,idempotency.step=book,idempotency.step.external=false}
idempotency pay Error {error.type=suspended,http.response.status_code=503,idempotency.operation=pay,idempotency.outcome=suspended,idempotency.runs=1} idempotency.lease_lost{idempotency.epoch=1,idempotency.operation=pay} idempotency.work_limit{idempotency.epoch=1,idempotency.left=true,idempotency.operation=pay}
idempotency pay Unset {http.response.status_code=201,idempotency.operation=pay,idempotency.outcome=replayed,idempotency.runs=0}
idempotency pay Error {error.type=failed,idempotency.operation=pay,idempotency.outcome=failed,idempotency.runs=0}
idempotency recovery pay Unset {idempotency.epoch=2,idempotency.operation=pay,idempotency.outcome=completed}
idempotency recovery pay Error {error.type=yielded,idempotency.epoch=3,idempotency.operation=pay,idempotency.outcome=yielded}`)
	same(t, p.metrics(), `
idempotency.backlog {record} {idempotency.state=held} 3
idempotency.backlog {record} {idempotency.state=overdue} 2
idempotency.backlog.age s {} 90
idempotency.leases.lost {lease} {idempotency.operation=pay} 1
idempotency.recovery.age s {idempotency.operation=pay} 2 of 7200 in 11
idempotency.recovery.records {record} {idempotency.operation=pay,idempotency.outcome=completed} 1
idempotency.recovery.records {record} {idempotency.operation=pay,idempotency.outcome=yielded} 1
idempotency.request.duration s {idempotency.operation=pay,idempotency.outcome=failed} 1 of 0 in 15
idempotency.request.duration s {idempotency.operation=pay,idempotency.outcome=replayed} 1 of 0.5 in 15
idempotency.request.duration s {idempotency.operation=pay,idempotency.outcome=suspended} 1 of 4 in 15
idempotency.request.wait s {idempotency.operation=pay} 1 of 1 in 15
idempotency.requests {request} {idempotency.operation=pay,idempotency.outcome=failed} 1
idempotency.requests {request} {idempotency.operation=pay,idempotency.outcome=replayed} 1
idempotency.requests {request} {idempotency.operation=pay,idempotency.outcome=suspended} 1
idempotency.step.duration s {idempotency.operation=pay,idempotency.outcome=done,idempotency.step=charge} 1 of 2 in 15
idempotency.step.duration s {idempotency.operation=pay,idempotency.outcome=failed,idempotency.step=book} 1 of 1 in 15
idempotency.work.limited {worker} {idempotency.left=true,idempotency.operation=pay} 1`)

	ended := p.spans.Ended()
	if took := ended[0].EndTime().Sub(ended[0].StartTime()); took != 2*time.Second {
		t.Errorf("the step's span took %v", took)
	}
	if ended[0].Parent().SpanID() != ended[2].SpanContext().SpanID() {
		t.Error("the step's span is not within the request's")
	}
}

// What a purger says of a pass is a running total: a record is counted once.
func TestObserver_X1_Purge(t *testing.T) {
	p := newProbe(t)
	one, two := p.Purge(), p.Purge()
	one(10, time.Minute, false, nil)
	two(7, time.Second, true, nil)
	one(25, time.Minute, false, nil)
	one(25, time.Minute, true, errors.New("connection refused"))
	one(5, 2*time.Minute, true, nil)
	two(2, 2*time.Minute, true, fmt.Errorf("pgstore: purge: %w", context.Canceled)) // the service stops
	one(0, 2*time.Minute, true, fmt.Errorf("pgstore: purge: %w", context.DeadlineExceeded))
	same(t, p.metrics(), `
idempotency.purge.failures {pass} {} 2
idempotency.purge.lag s {} 120
idempotency.purge.records {record} {} 39`)
}

// However many keys, accounts and bodies there are, they are in no name, label or attribute, and add no label.
func TestObserver_NothingOfARequestIsToldAndLabelsAreBounded(t *testing.T) {
	const secret = "s3cr3t"
	p := newProbe(t)
	op := &runtime.Operation{ID: "pay", Method: "POST", Route: "/payments", Policy: policy.Policy{
		Mode:  policy.Transaction,
		Key:   policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, MaxLength: 64, Syntax: policy.Either},
		Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX"}, MaxBody: 1 << 20},
		InFlight:    policy.InFlight{Answer: policy.Conflict},
	}}
	account := func(r *http.Request) (string, error) { return r.Header.Get("Account"), nil }
	engine, err := runtime.New[pgx.Tx](memstore.New(), account, runtime.WithObserver(p))
	if err != nil {
		t.Fatal(err)
	}
	handler := engine.Handler(op, func(ctx context.Context, w http.ResponseWriter, r *http.Request, _ pgx.Tx) error {
		if !trace.SpanFromContext(ctx).IsRecording() || trace.SpanFromContext(r.Context()) != trace.SpanFromContext(ctx) {
			t.Error("the handler does not run within the request's span")
		}
		if r.Header.Get("Fail") != "" {
			return errors.New(secret)
		}
		_, err := fmt.Fprint(w, secret)
		return err
	})
	for i := range 200 {
		for _, body := range []string{"1", "1", "2", "{"} {
			r := httptest.NewRequest("POST", "/payments?q="+secret, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", fmt.Sprint(secret, i))
			r.Header.Set("Account", fmt.Sprint(secret, "-", i))
			if i == 0 {
				r.Header.Set("Fail", "1")
			}
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	told := p.metrics() + p.traced()
	if strings.Contains(told, secret) {
		t.Errorf("the secret is out: %s", told[:min(len(told), 2000)])
	}
	if points := strings.Count(p.metrics(), "\n") + 1; points != 10 { // five outcomes, a counter and a histogram of each
		t.Errorf("%d points:\n%s", points, p.metrics())
	}
	if spans := p.spans.Ended(); len(spans) != 800 || spans[0].Status().Code != codes.Error {
		t.Errorf("%d spans", len(spans))
	}
}

func TestNew_Options(t *testing.T) {
	if _, err := otelidem.New(); err != nil { // over the global providers, which do nothing until they are set
		t.Error(err)
	}
	for _, opt := range []otelidem.Option{otelidem.WithTracerProvider(nil), otelidem.WithMeterProvider(nil)} {
		if _, err := otelidem.New(opt); err == nil {
			t.Error("no provider is taken")
		}
	}
}
