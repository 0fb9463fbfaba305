package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// A5: a hundred old works that fail again and again, each of which takes ten seconds to, keep a young one waiting for no more than
// one turn each; and one clock that is wrong by a day, either way, changes nothing about that.
func TestRecovery_A5_OldWorkDoesNotStarveYoung(t *testing.T) {
	for _, off := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} {
		bubble(t, fmt.Sprint(off), func(t *testing.T) {
			o := newOfficeAt(t, payout(), func() time.Time { return time.Now().Add(off) })
			const old, places = 100, 4
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if _, err := o.reserve(ctx, lease); err != nil {
					return runtime.Response{}, err
				}
				return runtime.Response{}, errors.New("its worker dies")
			}
			for i := range old {
				o.post(fmt.Sprint("old", i), body)
			}
			program := func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
				work, err := o.program(call)
				work.Run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if strings.HasPrefix(call.Key(), "old") {
						time.Sleep(10 * time.Second)
						return runtime.Response{}, errors.New("poison")
					}
					return o.pay(ctx, lease)
				}
				return work, err
			}
			engine := o.newEngine()
			engine.LeaseHandler(o.op, program)
			recovery, err := engine.NewRecovery(runtime.WithRecoveryConcurrency(places), runtime.WithRecoveryInterval(time.Second))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			var all sync.WaitGroup
			all.Go(func() { _ = recovery.Run(ctx) })
			time.Sleep(30 * time.Minute)
			o.post("k", body)
			o.overdue("k")
			began := time.Now()
			for o.look("k").Record == nil && time.Since(began) < time.Hour {
				time.Sleep(time.Second)
			}
			if took := time.Since(began); took > (old/places+2)*10*time.Second {
				t.Errorf("it was finished after %v", took)
			}
			stop()
			all.Wait()
		})
	}
}
