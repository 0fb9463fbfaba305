package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// soon fails where f takes longer than any bound of the store's own.
func soon(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A claim that meets an uncommitted row of the same id waits for it within a bound, and does not make a second one.
func TestLease_C1_UncommittedRival(t *testing.T) {
	url := database(t)
	store, admin := open(t, pgtest.Open(t, url, nil)), pgtest.Open(t, url, nil)
	ctx := context.Background()
	for _, commit := range []bool{true, false} {
		id := newID()
		rival, err := admin.Begin(ctx)
		must(t, err)
		_, err = rival.Exec(ctx, `INSERT INTO idempotency_keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, lease_until, epoch, request, steps)
VALUES (now(), 'infinity', gen_random_uuid(), 0, 1, 1, $1, $2, 'f', 'createPayout', '', now() + interval '1 h', 1, '', '')`, []byte(id.Scope), pgstore.PackKey(id.Key))
		must(t, err)
		soon(t, func() {
			if claim, err := store.ClaimLease(ctx, id, newIntent()); !errors.Is(err, runtime.ErrBusy) {
				t.Errorf("while it is open: want ErrBusy, got %+v, %v", claim, err)
			}
		})
		later := make(chan runtime.LeaseClaim, 1)
		go func() {
			claim, _ := store.ClaimLease(ctx, id, newIntent())
			later <- claim
		}()
		time.Sleep(50 * time.Millisecond)
		if commit {
			must(t, rival.Commit(ctx))
		} else {
			must(t, rival.Rollback(ctx))
		}
		if claim := <-later; commit && claim.Progress == nil || !commit && claim.Held == nil {
			t.Errorf("committed %v: %+v", commit, claim)
		}
	}
}

// The placeholder of an operation in transaction mode lasts as long as its handler; a claim in lease mode does not.
func TestLease_C2_PlaceholderOfTransactionMode(t *testing.T) {
	url := database(t)
	store := open(t, pgtest.Open(t, url, nil), pgstore.WithStrategy(pgstore.InsertFirst))
	ctx := context.Background()
	id := newID()
	work := claim(t, store, id)
	soon(t, func() {
		if claim, err := store.ClaimLease(ctx, id, newIntent()); !errors.Is(err, runtime.ErrBusy) {
			t.Errorf("want ErrBusy, got %+v, %v", claim, err)
		}
	})
	bounded, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if claim, err := store.ClaimLease(bounded, id, newIntent()); err == nil {
		t.Errorf("want an error, got %+v", claim)
	}
	must(t, work.Commit(ctx, newRecord()))
	if got, err := store.ClaimLease(ctx, id, newIntent()); err != nil || got.Record == nil {
		t.Errorf("want the record, got %+v, %v", got, err)
	}
}

// While somebody has a row locked that could be taken over, its worker or another that takes over is at it: in progress.
func TestLease_C2_TakeOverWaitsWithinABound(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	store := open(t, pool)
	ctx := context.Background()
	held := hold(t, store, newID(), newIntent())
	execSQL(t, pool, "UPDATE idempotency_keys SET lease_until = now() - interval '1 s'")
	worker, err := store.BeginFenced(ctx, held.ID, held.Fence)
	must(t, err)
	_, err = worker.Tx().Exec(ctx, "SELECT FROM idempotency_keys FOR UPDATE")
	must(t, err)
	soon(t, func() {
		claim, err := store.ClaimLease(ctx, held.ID, newIntent())
		if err != nil || claim.Progress == nil || claim.Progress.Fence != held.Fence || claim.Progress.Left != 0 {
			t.Errorf("want what is in progress, got %+v, %v", claim, err)
		}
		taken, err := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 10)
		if err != nil || len(taken) != 0 {
			t.Errorf("a locked row was taken: %+v, %v", taken, err)
		}
		bounded, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		before := pool.Stat().NewConnsCount()
		if err := store.Renew(bounded, held.ID, held.Fence, hour); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("a renewal with a bound: %v", err)
		}
		must(t, pool.Ping(ctx))
		if now := pool.Stat().NewConnsCount(); now != before {
			t.Errorf("%d connections were thrown away for a wait", now-before)
		}
	})
	must(t, worker.Commit(ctx, charged()))
	if left := lookAt(t, store, held.ID).Progress.Left; left == 0 {
		t.Error("the step did not lengthen the lease")
	}
	quiet(t, pool)
}

// The session's own default is not what the store's transactions run at: there nothing has to be run again.
func TestLease_A7_OwnTransactionsAreReadCommitted(t *testing.T) {
	pool := pgtest.Open(t, database(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_isolation"] = "serializable"
	})
	store := open(t, pool)
	ctx := context.Background()
	held := hold(t, store, newID(), newIntent())
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() { errs <- store.Renew(ctx, held.ID, held.Fence, hour) }()
	}
	for range cap(errs) {
		must(t, <-errs)
	}
	if got := lookAt(t, store, held.ID); got.Progress == nil {
		t.Errorf("%+v", got)
	}
}

// A7: a stronger level has the database ask for the worker's transaction again where the lease was renewed meanwhile; run
// again, it counts once. Under READ COMMITTED it counts at once.
func TestLease_A7_RenewedWhileATransactionIsOpen(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		ctx := context.Background()
		held := hold(t, store, newID(), newIntent())
		try := func(renew bool) error {
			work, err := store.BeginFenced(ctx, held.ID, held.Fence)
			must(t, err)
			must(t, pay(ctx, work.Tx()))
			if renew {
				must(t, store.Renew(ctx, held.ID, held.Fence, hour))
			}
			return work.Commit(ctx, charged())
		}
		err := try(true)
		if v.level == pgx.ReadCommitted {
			must(t, err)
		} else if !errors.Is(err, runtime.ErrSerialization) {
			t.Errorf("want ErrSerialization, got %v", err)
		} else {
			must(t, try(false))
		}
		if n := count(t, pool, "payments"); n != 1 {
			t.Errorf("%d payments", n)
		}
		quiet(t, pool)
	})
}

// A write that a trigger keeps from the table is told apart from a lease that is lost, and takes the work with it.
func TestLease_I2_TriggerTakesNoRecord(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	held := hold(t, store, newID(), newIntent())
	execSQL(t, pool, `CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER swallow BEFORE UPDATE OR DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION swallow()`)
	writes := map[string]error{
		"Renew":             store.Renew(ctx, held.ID, held.Fence, hour),
		"Release":           store.Release(ctx, held.ID, held.Fence),
		"Advance":           store.Advance(ctx, held.ID, held.Fence, charged()),
		"Advance, complete": store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Record: newRecord()}),
	}
	work, err := store.BeginFenced(ctx, held.ID, held.Fence)
	must(t, err)
	must(t, pay(ctx, work.Tx()))
	writes["Commit"] = work.Commit(ctx, charged())
	for name, err := range writes {
		var told runtime.Explained
		if !errors.Is(err, runtime.ErrUnrecorded) || errors.Is(err, runtime.ErrLeaseLost) || !errors.As(err, &told) || !strings.Contains(told.LogText(), "trigger") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := count(t, pool, "payments"); n != 0 {
		t.Errorf("%d payments", n)
	}
	execSQL(t, pool, "DROP TRIGGER swallow ON idempotency_keys")
	stranger := held.Fence
	stranger.Epoch++
	if err := store.Renew(ctx, held.ID, stranger, hour); !errors.Is(err, runtime.ErrLeaseLost) || errors.Is(err, runtime.ErrUnrecorded) {
		t.Errorf("a lost lease: %v", err)
	}
	quiet(t, pool)
}

// I6: a statement of a lost connection that the server gets to late takes no step back, and says so to whoever made it.
func TestLease_I6_LateStepsChangeNothing(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	held := hold(t, store, newID(), newIntent())
	must(t, store.Advance(ctx, held.ID, held.Fence, charged("notify")))
	late := charged()
	other := charged("notify")
	other.Steps[0].Result = []byte("another")
	for name, to := range map[string]*runtime.Advance{"fewer": late, "none": {Lease: hour}, "others": other} {
		if err := store.Advance(ctx, held.ID, held.Fence, to); err == nil || errors.Is(err, runtime.ErrLeaseLost) || !strings.Contains(err.Error(), "steps do not go on") {
			t.Errorf("%s: %v", name, err)
		}
		work, err := store.BeginFenced(ctx, held.ID, held.Fence)
		must(t, err)
		must(t, pay(ctx, work.Tx()))
		if err := work.Commit(ctx, to); err == nil || !strings.Contains(err.Error(), "steps do not go on") {
			t.Errorf("%s, joined: %v", name, err)
		}
	}
	if got := lookAt(t, store, held.ID).Progress; len(got.Steps) != 2 || string(got.Steps[0].Result) != "ch_1" {
		t.Errorf("the steps are %+v", got.Steps)
	}
	if n := count(t, pool, "payments"); n != 0 {
		t.Errorf("%d payments", n)
	}
}

// The handler's mistakes have the names that they have in transaction mode, and nothing of them stands.
func TestLease_I2_HandlerMistakes(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	for name, c := range map[string]struct {
		sql  string
		want error
	}{
		"a failed statement swallowed": {"INSERT INTO payments (account, amount) VALUES ('a', -1)", runtime.ErrAborted},
		"ROLLBACK as SQL":              {"ROLLBACK", runtime.ErrUnrecorded},
		"COMMIT as SQL":                {"COMMIT", runtime.ErrUnrecorded},
	} {
		held := hold(t, store, newID(), newIntent())
		work, err := store.BeginFenced(ctx, held.ID, held.Fence)
		must(t, err)
		if err := work.Tx().Commit(ctx); !errors.Is(err, pgstore.ErrManaged) {
			t.Errorf("the handler commits: %v", err)
		}
		_, _ = work.Tx().Exec(ctx, c.sql)
		if err := work.Commit(ctx, &runtime.Advance{Record: newRecord()}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if look := lookAt(t, store, held.ID); look.Progress == nil || len(look.Progress.Steps) != 0 {
			t.Errorf("%s: %+v", name, look)
		}
		quiet(t, pool)
	}
	held := hold(t, store, newID(), newIntent())
	work, err := store.BeginFenced(ctx, held.ID, held.Fence)
	must(t, err)
	_, err = work.Tx().Exec(ctx, "INSERT INTO payments (account, amount, reference) VALUES ('a', 1, 'r'), ('a', 1, 'r')")
	must(t, err)
	err = work.Commit(ctx, charged())
	if name, ok := store.Violation(err); !ok || name != "payments_reference_once" {
		t.Errorf("a deferred constraint: %v", err)
	}
}

// A9: a server that cannot write is not asked, and neither is what it may not have seen yet.
func TestLease_A9_ReadOnly(t *testing.T) {
	url := database(t)
	store := open(t, pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	}))
	ctx := context.Background()
	id := newID()
	_, claimed := store.ClaimLease(ctx, id, newIntent())
	_, looked := store.Look(ctx, id)
	_, taken := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 1)
	_, counted := store.Backlog(ctx, []string{"createPayout"})
	renewed := store.Renew(ctx, id, runtime.Fence{Epoch: 1}, hour)
	for name, err := range map[string]error{"ClaimLease": claimed, "Look": looked, "TakeOver": taken, "Backlog": counted, "Renew": renewed} {
		if err == nil || !strings.Contains(err.Error(), "read-only") || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := open(t, pgtest.Pool(t, nil))
	_, err := empty.ClaimLease(ctx, id, newIntent())
	var told runtime.Explained
	if !errors.As(err, &told) || !strings.Contains(told.LogText(), "Store.Check") {
		t.Errorf("without a table: %v", err)
	}
}

// What the table cannot hold is refused before anything is sent.
func TestLease_RefusesWhatItCannotHold(t *testing.T) {
	store := open(t, pgtest.Open(t, database(t), nil))
	ctx := context.Background()
	id := newID()
	long := runtime.ID{Scope: "s", Key: strings.Repeat("k", pgstore.MaxKey+1)}
	for name, change := range map[string]func(*runtime.Intent){
		"no lease":          func(in *runtime.Intent) { in.Lease = 0 },
		"too large version": func(in *runtime.Intent) { in.FingerprintVersion = 1 << 20 },
	} {
		in := newIntent()
		change(in)
		if claim, err := store.ClaimLease(ctx, id, in); err == nil {
			t.Errorf("%s: %+v", name, claim)
		}
	}
	var limit *pgstore.LimitError
	_, claimed := store.ClaimLease(ctx, long, newIntent())
	_, looked := store.Look(ctx, long)
	_, begun := store.BeginFenced(ctx, long, runtime.Fence{})
	for _, err := range []error{claimed, looked, begun, store.Renew(ctx, long, runtime.Fence{}, hour)} {
		if !errors.As(err, &limit) {
			t.Errorf("a long key: %v", err)
		}
	}
	held := hold(t, store, id, newIntent())
	bad := newRecord()
	bad.Status = 0 // which would leave it in progress
	for name, to := range map[string]*runtime.Advance{"nothing": nil, "no lease": {}, "no status": {Record: bad}} {
		if err := store.Advance(ctx, id, held.Fence, to); err == nil || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
