package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// C2, F4, X1: who hangs after the loss of its lease keeps nobody off in its process, and says nothing of the key any more. The work
// is finished elsewhere, and repeated from its record here too; that expires, and another request is the first then.
func TestLease_C2_F4_NothingStandsAfterALostLease(t *testing.T) {
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
			begun := time.Now()
			o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
				if time.Since(begun) < 31*time.Second {
					return errDown
				}
				return o.leases.Store.Renew(ctx, id, fence, d)
			}
			first := make(chan answer)
			go func() { first <- o.post("k", body) }()
			time.Sleep(31 * time.Second) // its lease is over
			far := o.newEngine().LeaseHandler(o.op, o.program)
			send := func(text string) answer {
				return do(far, o.request(text, header("Idempotency-Key", "k"), withPath("order", "o1")))
			}
			done := send(body)
			began := time.Now()
			wantReplay(t, done, o.post("k", body))
			o.post("k", another).wantProblem(t, 422, "key-reused")
			if took := time.Since(began); took > 0 {
				t.Errorf("here it took %v", took)
			}
			o.wantPaid()
			time.Sleep(61 * time.Second) // and so is the record's time
			if a := o.post("k", another); a.status != 201 || a.replayed() {
				t.Errorf("%d %s", a.status, a.body)
			}
			close(wake)
			a := <-first // what it finds now is another's, which says nothing of its own work
			a.wantProblem(t, 500, "outcome-unknown")
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
		var claims atomic.Int64 // the first is the other process's
		o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
			n := claims.Add(1)
			if n > 2 {
				time.Sleep(3 * time.Second) // a slow database
			}
			if n == 3 {
				return runtime.LeaseClaim{}, context.DeadlineExceeded
			}
			return o.leases.Store.ClaimLease(ctx, id, intent)
		}
		answers := make(chan answer, 3)
		go func() { answers <- do(far, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1"))) }()
		time.Sleep(time.Second)
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
