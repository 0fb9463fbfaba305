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

// F4, X1: who hangs after the loss of its lease says nothing of the key any more. The work is finished elsewhere, its record
// expires, and another request under the key is not told here that the first one stands.
func TestLease_F4_NothingStandsAfterALostLease(t *testing.T) {
	for name, rules := range map[string]policy.InFlight{
		"conflict": {Answer: policy.Conflict, RetryAfter: time.Second}, "wait": {Answer: policy.Wait, MaxWait: 10 * time.Second},
	} {
		bubble(t, name, func(t *testing.T) {
			o := newOffice(t, payout(func(p *policy.Policy) {
				p.InFlight, p.Retention = rules, time.Minute
			}))
			wake := make(chan struct{})
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if o.runs.Load() == 1 {
					<-wake // heeds nothing
				}
				return o.pay(ctx, lease)
			}
			o.leases.renew = func(context.Context, runtime.ID, runtime.Fence, time.Duration) error { return errDown }
			first := make(chan answer)
			go func() { first <- o.post("k", body) }()
			time.Sleep(31 * time.Second) // its lease is over
			o.leases.renew = nil
			far := o.newEngine().LeaseHandler(o.op, o.program)
			send := func(text string) answer {
				return do(far, o.request(text, header("Idempotency-Key", "k"), withPath("order", "o1")))
			}
			if a := send(body); a.status != 201 {
				t.Errorf("%d %s", a.status, a.body)
			}
			time.Sleep(61 * time.Second) // and so is the record's time
			o.post("k", another).wantProblem(t, 409, "in-flight")
			if a := send(another); a.status != 201 { // the other process knows that the key is free
				t.Errorf("%d %s", a.status, a.body)
			}
			close(wake)
			<-first
		})
	}
}

// F4: while a leader that has waited for another process looks whether it can claim what that one has given up, nothing is known
// to stand.
func TestLease_F4_NothingStandsAfterWorkThatWasGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: 20 * time.Second} }))
		far := o.newEngine().LeaseHandler(o.op, o.program)
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() == 1 {
				time.Sleep(5 * time.Second)
				return runtime.Response{Status: 404}, nil // which is not kept
			}
			return o.pay(ctx, lease)
		}
		answers := make(chan answer, 3)
		go func() { answers <- do(far, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1"))) }()
		time.Sleep(time.Second)
		claims := 0
		o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
			if claims++; claims > 1 {
				time.Sleep(3 * time.Second) // a slow database
			}
			if claims == 2 {
				return runtime.LeaseClaim{}, context.DeadlineExceeded
			}
			return o.leases.Store.ClaimLease(ctx, id, intent)
		}
		go func() { answers <- o.post("k", body) }()
		time.Sleep(6 * time.Second) // the first is released, and the second claims
		a := o.post("k", another)
		if a.status == 422 && o.look("k") == (runtime.Look{}) {
			t.Errorf("nothing is in progress, and another request is told: %s", a.body)
		}
		for range 2 {
			<-answers
		}
	})
}
