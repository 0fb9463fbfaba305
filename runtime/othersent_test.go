package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

const another = `{"amount":2}`

// F4: in lease mode another request under a key in progress is refused at once, in this process as in any other, whether the
// policy has duplicates wait or not, and also before the first step.
func TestLease_F4_AnotherRequestInProgress(t *testing.T) {
	for name, rules := range map[string]policy.InFlight{
		"conflict": {Answer: policy.Conflict, RetryAfter: time.Second}, "wait": {Answer: policy.Wait, MaxWait: 10 * time.Second},
	} {
		for _, early := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = rules }))
					there := o.newEngine().LeaseHandler(o.op, o.program)
					o.run = o.slow(5 * time.Second)
					if early {
						o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
							time.Sleep(5 * time.Second)
							return o.pay(ctx, lease)
						}
					}
					answers := make(chan answer)
					go func() { answers <- o.post("k", body) }()
					time.Sleep(time.Second)
					began := time.Now()
					here := o.post("k", another)
					here.wantProblem(t, 422, "key-reused")
					far := do(there, o.request(another, header("Idempotency-Key", "k"), withPath("order", "o1")))
					far.wantProblem(t, 422, "key-reused")
					if here.body != far.body {
						t.Errorf("here %s, there %s", here.body, far.body)
					}
					if took := time.Since(began); took > 0 {
						t.Errorf("it took %v", took)
					}
					if a := <-answers; a.status != 201 {
						t.Errorf("%d %s", a.status, a.body)
					}
					o.wantPaid()
				})
			})
		}
	}
}

// The same while the request that leads here waits for the work of another process.
func TestLease_F4_AnotherRequestInProgressElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: 10 * time.Second} }))
		there := o.newEngine().LeaseHandler(o.op, o.program)
		o.run = o.slow(5 * time.Second)
		answers := make(chan answer)
		go func() {
			answers <- do(there, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1")))
		}()
		time.Sleep(time.Second)
		go func() { answers <- o.post("k", body) }()
		time.Sleep(time.Second)
		began := time.Now()
		o.post("k", another).wantProblem(t, 422, "key-reused")
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
		for range 2 {
			if a := <-answers; a.status != 201 {
				t.Errorf("%d %s", a.status, a.body)
			}
		}
		o.wantPaid()
	})
}

// In transaction mode nobody can tell what a request is that another process is at, and it may be rolled back: then the other
// one is valid. So it is told that a request is in progress, or waits; here as there.
func TestTransaction_F4_AnotherRequestMayBeValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, wait := range []bool{false, true} {
			s := newService(t, payment(func(p *policy.Policy) {
				p.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
				if wait {
					p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: 10 * time.Second}
				}
			}))
			s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
				if s.runs.Load() == 1 {
					time.Sleep(5 * time.Second)
					return runtime.Response{Status: 404}, nil // which is rolled back
				}
				return runtime.Response{Status: 201}, nil
			}
			first := make(chan answer)
			go func() { first <- s.post("k", body) }()
			time.Sleep(time.Second)
			if a := s.post("k", another); wait && a.status != 201 || !wait && a.status != 409 {
				t.Errorf("wait %v: %d %s", wait, a.status, a.body)
			}
			<-first
		}
	})
}
