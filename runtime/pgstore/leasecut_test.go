package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

const hour = time.Hour

func newIntent() *runtime.Intent {
	n := serial.Add(1)
	return &runtime.Intent{
		Operation:          "createPayout",
		FingerprintVersion: 1,
		Fingerprint:        []byte("0123456789abcdef0123456789abcdef"),
		Owner:              [16]byte{0: 1, 15: byte(n), 14: byte(n >> 8)},
		Lease:              hour,
		Request:            []byte("the request"),
	}
}

// hold claims id in lease mode and expects to hold it.
func hold(tb testing.TB, store *pgstore.Store, id runtime.ID, in *runtime.Intent) *runtime.Held {
	tb.Helper()
	claim, err := store.ClaimLease(context.Background(), id, in)
	must(tb, err)
	if claim.Held == nil {
		tb.Fatalf("%v is not held: %+v", id, claim)
	}
	return claim.Held
}

func lookAt(tb testing.TB, store *pgstore.Store, id runtime.ID) runtime.Look {
	tb.Helper()
	look, err := store.Look(context.Background(), id)
	must(tb, err)
	return look
}

func charged(more ...string) *runtime.Advance {
	to := &runtime.Advance{Lease: hour}
	for _, name := range append([]string{"charge"}, more...) {
		to.Steps = append(to.Steps, runtime.StepResult{Name: name, Result: []byte("ch_1")})
	}
	return to
}

// expire ends the lease of id, or the life of its record, now.
func expire(tb testing.TB, pool *pgxpool.Pool, id runtime.ID) {
	tb.Helper()
	execSQL(tb, pool, `UPDATE idempotency_keys SET lease_until = lease_until - interval '1 year', expires_at = expires_at - interval '1 year'
WHERE scope = $1 AND key = $2`, []byte(id.Scope), pgstore.PackKey(id.Key))
}

// cuts runs test for each way to lose a connection, on a store whose statements take one write each.
func cuts(t *testing.T, test func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(skip int))) {
	t.Helper()
	url := database(t)
	w := &wire{}
	pool := pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // nothing to prepare
		w.attach(c)
	})
	admin := pgtest.Open(t, url, nil)
	for name, kind := range map[string]int32{"before": cutBefore, "half": cutHalf, "after": cutAfter} {
		t.Run(name, func(t *testing.T) {
			execSQL(t, admin, "TRUNCATE idempotency_keys, payments")
			must(t, pool.Ping(context.Background())) // there is a connection to be cut
			test(t, open(t, pool), admin, func(skip int) { w.cutNext(kind, skip) })
			if w.cut.Swap(cutNever) != cutNever {
				t.Error("nothing was cut")
			}
			quiet(t, pool)
		})
	}
}

// A6: whatever becomes of the first try, the claim is held once, by who made it, and by nobody else.
func TestLeaseCut_A6_Claim(t *testing.T) {
	cuts(t, func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(int)) {
		id, in := newID(), newIntent()
		cut(0)
		held := hold(t, store, id, in)
		if held.Fence != (runtime.Fence{Epoch: 1, Owner: in.Owner}) || string(held.Request) != "the request" {
			t.Errorf("held as %+v", held)
		}
		if claim, err := store.ClaimLease(context.Background(), id, newIntent()); err != nil || claim.Progress == nil || claim.Progress.Fence != held.Fence {
			t.Errorf("another: %+v, %v", claim, err)
		}
		must(t, store.Advance(context.Background(), id, held.Fence, charged()))
	})
}

// R4: a claim that no answer came to may stand, and the error says so, also where the next try finds no server at all.
func TestLeaseCut_A6_R4_ClaimThatMayStand(t *testing.T) {
	w, down := &wire{}, atomic.Bool{}
	pool := pgtest.Open(t, database(t), func(c *pgxpool.Config) {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // nothing to prepare
		w.attach(c)
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			if down.Load() {
				return nil, errors.New("no server")
			}
			return dial(ctx, network, address)
		}
	})
	must(t, pool.Ping(context.Background()))
	store, id, in := open(t, pool), newID(), newIntent()
	down.Store(true)
	w.cutNext(cutAfter, 0)
	if claim, err := store.ClaimLease(context.Background(), id, in); !errors.Is(err, runtime.ErrCommitUnknown) {
		t.Errorf("cut after it was sent: %+v, %v", claim, err)
	}
	if claim, err := store.ClaimLease(context.Background(), newID(), newIntent()); err == nil || errors.Is(err, runtime.ErrCommitUnknown) {
		t.Errorf("without a server: %+v, %v", claim, err)
	}
	down.Store(false)
	if held := hold(t, store, id, in); held.Fence.Owner != in.Owner {
		t.Errorf("held as %+v", held)
	}
}

// A6: work is taken over once, whichever of the two writes is lost.
func TestLeaseCut_A6_TakeOver(t *testing.T) {
	for skip := range 2 {
		t.Run(fmt.Sprintf("write %d", skip+1), func(t *testing.T) {
			cuts(t, func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(int)) {
				id := newID()
				first := hold(t, store, id, newIntent())
				must(t, store.Advance(context.Background(), id, first.Fence, charged()))
				expire(t, admin, id)
				execSQL(t, admin, "UPDATE idempotency_keys SET expires_at = 'infinity'")
				next := newIntent()
				next.Request = []byte("another encoding")
				cut(skip)
				held := hold(t, store, id, next)
				if held.Fence != (runtime.Fence{Epoch: 2, Owner: next.Owner}) || string(held.Request) != "the request" || len(held.Steps) != 1 {
					t.Errorf("held as %+v", held)
				}
				if err := store.Advance(context.Background(), id, first.Fence, charged("stale")); !errors.Is(err, runtime.ErrLeaseLost) {
					t.Errorf("the first worker: %v", err)
				}
			})
		})
	}
}

// A6: an expired record is replaced once, whichever of the two writes is lost.
func TestLeaseCut_A6_ReplacesExpired(t *testing.T) {
	for skip := range 2 {
		t.Run(fmt.Sprintf("write %d", skip+1), func(t *testing.T) {
			cuts(t, func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(int)) {
				id, in := newID(), newIntent()
				complete(t, store, id, newRecord())
				expire(t, admin, id)
				cut(skip)
				if held := hold(t, store, id, in); held.Fence != (runtime.Fence{Epoch: 1, Owner: in.Owner}) || string(held.Request) != "the request" {
					t.Errorf("held as %+v", held)
				}
			})
		})
	}
}

// A6: recovery's own lost commit does not keep it from what it took.
func TestLeaseCut_A6_Recovery(t *testing.T) {
	cuts(t, func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(int)) {
		id := newID()
		hold(t, store, id, newIntent())
		execSQL(t, admin, "UPDATE idempotency_keys SET lease_until = now() - interval '1 s'")
		cut(0)
		taken, err := store.TakeOver(context.Background(), []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 10)
		if err != nil || len(taken) != 1 || taken[0].ID != id {
			t.Fatalf("%+v, %v", taken, err)
		}
		if got := lookAt(t, store, id).Progress; got.Fence != taken[0].Fence {
			t.Errorf("taken under %+v, held under %+v", taken[0].Fence, got.Fence)
		}
	})
}

// A6: a write of the store's own that loses its connection has happened when it returns.
func TestLeaseCut_A6_OwnWrites(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		write func(store *pgstore.Store, held *runtime.Held) error
		done  func(look runtime.Look) bool
	}{
		"Renew": {func(store *pgstore.Store, held *runtime.Held) error {
			return store.Renew(ctx, held.ID, held.Fence, 3*hour)
		},
			func(look runtime.Look) bool { return look.Progress != nil && look.Progress.Left > 2*hour }},
		"Yield": {func(store *pgstore.Store, held *runtime.Held) error { return store.Yield(ctx, held.ID, held.Fence, 0) },
			func(look runtime.Look) bool { return look.Progress != nil && look.Progress.Left == 0 }},
		"Release": {func(store *pgstore.Store, held *runtime.Held) error { return store.Release(ctx, held.ID, held.Fence) },
			func(look runtime.Look) bool { return look.Progress == nil && look.Record == nil }},
		"Advance": {func(store *pgstore.Store, held *runtime.Held) error {
			return store.Advance(ctx, held.ID, held.Fence, charged())
		},
			func(look runtime.Look) bool { return look.Progress != nil && len(look.Progress.Steps) == 1 }},
		"Advance, complete": {func(store *pgstore.Store, held *runtime.Held) error {
			return store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Record: newRecord()})
		}, func(look runtime.Look) bool { return look.Record != nil && look.Record.Status == 201 }},
	} {
		t.Run(name, func(t *testing.T) {
			cuts(t, func(t *testing.T, store *pgstore.Store, _ *pgxpool.Pool, cut func(int)) {
				held := hold(t, store, newID(), newIntent())
				cut(0)
				must(t, c.write(store, held))
				if look := lookAt(t, store, held.ID); !c.done(look) {
					t.Errorf("%+v", look)
				}
			})
		})
	}
}

// A6, I1: a worker's commit that loses its connection is of unknown outcome; renewing waits for it, and looking tells. Work
// and record agree.
func TestLeaseCut_A6_I1_FencedCommit(t *testing.T) {
	ctx := context.Background()
	for name, completes := range map[string]bool{"a step": false, "the answer": true} {
		t.Run(name, func(t *testing.T) {
			cuts(t, func(t *testing.T, store *pgstore.Store, admin *pgxpool.Pool, cut func(int)) {
				held := hold(t, store, newID(), newIntent())
				work, err := store.BeginFenced(ctx, held.ID, held.Fence)
				must(t, err)
				must(t, pay(ctx, work.Tx()))
				to := charged()
				if completes {
					to = &runtime.Advance{Record: newRecord()}
				}
				cut(0)
				if err := work.Commit(ctx, to); !errors.Is(err, runtime.ErrCommitUnknown) {
					t.Errorf("err = %v", err)
				}
				must(t, work.Rollback(ctx))

				renewed := store.Renew(ctx, held.ID, held.Fence, hour)
				look := lookAt(t, store, held.ID)
				happened := look.Record != nil || look.Progress != nil && len(look.Progress.Steps) == 1
				if (renewed != nil) != (completes && happened) || renewed != nil && !errors.Is(renewed, runtime.ErrLeaseLost) {
					t.Errorf("happened %v, and the renewal: %v", happened, renewed)
				}
				if paid := count(t, admin, "payments"); (paid == 1) != happened {
					t.Errorf("%d payments, and the record says %+v", paid, look)
				}
				if look.Record != nil && look.Record.Attempt != held.Fence.Owner {
					t.Error("the record is not known as the worker's own")
				}
			})
		})
	}
}
