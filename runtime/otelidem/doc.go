// Package otelidem tells OpenTelemetry what becomes of requests with idempotency keys.
//
// In: the events of a [runtime.Observer], and of a purger. Out: spans and metrics, by the API of OpenTelemetry alone: which
// SDK takes them, if any, is the service's choice. It must never know a key, an account or a body, and so cannot tell any;
// its labels are operations, steps and outcomes, which are as many as the service's code has.
//
//	telemetry, err := otelidem.New()
//	engine, err := runtime.New(store, accountOf, runtime.WithObserver(telemetry))
//
//	purged := telemetry.Purge()
//	purger, err := pgstore.NewPurger(store, pgstore.WithPurgeObserver(func(e pgstore.PurgeEvent) {
//		purged(e.Deleted, e.Lag, e.Ended, e.Err)
//	}))
//
// OpenTelemetry's semantic conventions have nothing on idempotency; what they do have, http.response.status_code and
// error.type, is used. The rest is in a namespace of its own:
//
//	idempotency.requests                counter    requests, by operation and outcome
//	idempotency.request.duration        histogram  seconds, by operation and outcome
//	idempotency.request.wait            histogram  seconds spent in waiting for another request with the key, of those that waited
//	idempotency.step.duration           histogram  seconds, by operation, step and outcome; its count is that of the steps
//	idempotency.leases.lost             counter    workers that found that they hold their record no more, by operation
//	idempotency.work.limited            counter    workers that came to the limit of how long one may go on, by operation; left: the handler did not return
//	idempotency.recovery.records        counter    records taken over by recovery, by operation and outcome
//	idempotency.recovery.age            histogram  seconds, how old such a record was
//	idempotency.backlog                 gauge      records in progress, by state: held, or overdue, which nobody works on
//	idempotency.backlog.age             gauge      seconds since the lease ended that ended first
//	idempotency.purge.records           counter    expired records that were deleted
//	idempotency.purge.lag               gauge      seconds, how long before its deletion the oldest had expired
//	idempotency.purge.failures          counter    passes that ended before their time, but not with their service
//
// Each process that runs a recovery tells the backlog of the whole table: take the greatest of a point in time, and not the sum.
package otelidem
