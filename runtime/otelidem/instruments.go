package otelidem

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// The bounds of the histograms, in seconds. Those of OpenTelemetry's HTTP conventions end at 10; work under a lease goes on for
// longer, and what recovery finds may be days old.
var (
	requestBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
	ageBounds     = []float64{1, 5, 15, 30, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600}
)

type instruments struct {
	requests, lost, limited, recovered, purged, purgeFailures metric.Int64Counter
	duration, wait, step, age                                 metric.Float64Histogram
	backlog                                                   metric.Int64Gauge
	backlogAge, lag                                           metric.Float64Gauge
}

func newInstruments(m metric.Meter) (made instruments, err error) {
	var faults []error
	keep := func(err error) { faults = append(faults, err) }
	counter := func(name, unit, what string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		keep(err)
		return c
	}
	histogram := func(name, what string, bounds []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(bounds...))
		keep(err)
		return h
	}
	seconds := func(name, what string) metric.Float64Gauge {
		g, err := m.Float64Gauge(name, metric.WithUnit("s"), metric.WithDescription(what))
		keep(err)
		return g
	}
	backlog, err := m.Int64Gauge("idempotency.backlog", metric.WithUnit("{record}"), metric.WithDescription("Records in progress."))
	keep(err)
	made = instruments{
		requests:      counter("idempotency.requests", "{request}", "Requests of keyed operations."),
		duration:      histogram("idempotency.request.duration", "From the arrival of a request to its answer.", requestBounds),
		wait:          histogram("idempotency.request.wait", "Time that a request waited for another one with its key.", requestBounds),
		step:          histogram("idempotency.step.duration", "Duration of a step in lease mode.", requestBounds),
		lost:          counter("idempotency.leases.lost", "{lease}", "Leases that their workers found lost."),
		limited:       counter("idempotency.work.limited", "{worker}", "Workers that came to the limit of how long one may go on."),
		recovered:     counter("idempotency.recovery.records", "{record}", "Records that recovery has taken over."),
		age:           histogram("idempotency.recovery.age", "Age of a record that recovery has taken over.", ageBounds),
		backlog:       backlog,
		backlogAge:    seconds("idempotency.backlog.age", "Time since the lease ended that ended first."),
		purged:        counter("idempotency.purge.records", "{record}", "Expired records that were deleted."),
		lag:           seconds("idempotency.purge.lag", "How long before its deletion the oldest record had expired."),
		purgeFailures: counter("idempotency.purge.failures", "{pass}", "Passes of a purger that ended before their time."),
	}
	return made, errors.Join(faults...)
}
