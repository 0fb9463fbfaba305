package pgstore_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Bounds that PostgreSQL's own timeouts do not hold, which end after some 24 days, are the longest that they do: none is refused,
// and none is taken for a moment.
func TestTimeouts_LongerThanPostgreSQLs(t *testing.T) {
	const month = 31 * 24 * time.Hour
	for name, long := range map[string]time.Duration{"a month": month, "for ever": math.MaxInt64} {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			pool := pgtest.Open(t, url, nil)
			ctx, cancel := context.WithTimeout(context.Background(), month)
			defer cancel()
			a, err := pgstore.NewAdmin(open(t, pool), pgstore.WithAdminTimeout(long))
			must(t, err)
			if _, err := a.Counts(ctx); err != nil {
				t.Errorf("an admin's limit of %v: %v", long, err)
			}
			store := open(t, pool)
			held := hold(t, store, newID(), newIntent())
			for what, write := range map[string]func() error{
				"renew":   func() error { return store.Renew(ctx, held.ID, held.Fence, hour) },
				"yield":   func() error { return store.Yield(ctx, held.ID, held.Fence, hour) },
				"advance": func() error { return store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Lease: hour}) },
			} {
				if err := write(); err != nil {
					t.Errorf("%s within %v: %v", what, month, err)
				}
			}
			for _, v := range variants {
				store, id := open(t, pool, v.options()...), newID()
				first, err := store.Claim(ctx, id, 0)
				must(t, err)
				var second runtime.Claim[pgx.Tx]
				done := make(chan error, 1)
				go func() {
					var err error
					second, err = store.Claim(ctx, id, long)
					done <- err
				}()
				select {
				case err := <-done:
					t.Errorf("%s: a claim that waits for %v has ended while another holds the id: %+v, %v", v.name, long, second, err)
					if second.Work != nil {
						must(t, second.Work.Rollback(ctx))
					}
					must(t, first.Work.Rollback(ctx))
					continue
				case <-time.After(200 * time.Millisecond):
				}
				must(t, first.Work.Rollback(ctx))
				select {
				case err := <-done:
					if err != nil || second.Work == nil {
						t.Fatalf("%s: %+v, %v", v.name, second, err)
					}
					must(t, second.Work.Rollback(ctx))
				case <-time.After(10 * time.Second):
					t.Fatalf("%s: the claim waits on when the id is free", v.name)
				}
			}
		})
	}
}
