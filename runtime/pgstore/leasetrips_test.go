package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

var payouts = []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}

// finish completes held together with one payment.
func finish(tb testing.TB, store *pgstore.Store, held *runtime.Held) {
	tb.Helper()
	ctx := context.Background()
	work, err := store.BeginFenced(ctx, held.ID, held.Fence)
	must(tb, err)
	must(tb, pay(ctx, work.Tx()))
	must(tb, work.Commit(ctx, &runtime.Advance{Record: newRecord()}))
}

// protocol.md, lease mode: a claim is one round trip, a completion as many as its bare transaction, and so on.
func TestRoundTrips_LeaseMode(t *testing.T) {
	url := database(t)
	store, pool, w := counted(t, url)
	ctx := context.Background()
	admin := pgtest.Open(t, url, nil)
	var held *runtime.Held
	steps := []struct {
		name string
		want int64
		run  func()
	}{
		{"a claim", 1, func() { held = hold(t, store, newID(), newIntent()) }},
		{"a duplicate of work in progress", 1, func() {
			if claim, err := store.ClaimLease(ctx, held.ID, newIntent()); err != nil || claim.Progress == nil {
				t.Errorf("%+v, %v", claim, err)
			}
		}},
		{"a look", 1, func() { lookAt(t, store, held.ID) }},
		{"a renewal", 1, func() { must(t, store.Renew(ctx, held.ID, held.Fence, hour)) }},
		{"a step", 1, func() { must(t, store.Advance(ctx, held.ID, held.Fence, charged())) }},
		{"a step with one statement", 3, func() {
			work, err := store.BeginFenced(ctx, held.ID, held.Fence)
			must(t, err)
			must(t, pay(ctx, work.Tx()))
			must(t, work.Commit(ctx, charged("pay")))
		}},
		{"a completion with one statement", 3, func() { finish(t, store, held) }},
		{"a replay", 1, func() {
			if claim, err := store.ClaimLease(ctx, held.ID, newIntent()); err != nil || claim.Record == nil {
				t.Errorf("%+v, %v", claim, err)
			}
		}},
		{"a completion alone", 2, func() {
			held = hold(t, store, newID(), newIntent())
			must(t, store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Record: newRecord()}))
		}},
		{"a release", 2, func() {
			held = hold(t, store, newID(), newIntent())
			must(t, store.Release(ctx, held.ID, held.Fence))
		}},
		{"a batch of recovery", 1, func() {
			if _, err := store.TakeOver(ctx, payouts, 100); err != nil {
				t.Error(err)
			}
		}},
		{"the backlog", 1, func() {
			if _, err := store.Backlog(ctx, []string{"createPayout"}); err != nil {
				t.Error(err)
			}
		}},
	}
	for _, step := range steps { // once, to have the statements prepared
		step.run()
	}
	for _, step := range steps {
		if got := w.trips(step.run); got != step.want {
			t.Errorf("%s took %d round trips, want %d", step.name, got, step.want)
		}
	}
	for i := range 2 { // the first has the statement prepared
		id := newID()
		hold(t, store, id, newIntent())
		execSQL(t, admin, "UPDATE idempotency_keys SET lease_until = now() - interval '1 s' WHERE status = 0")
		if got := w.trips(func() { hold(t, store, id, newIntent()) }); got != 2 && i > 0 {
			t.Errorf("a takeover took %d round trips, want 2", got)
		}
	}
	quiet(t, pool)
}

// A request in lease mode is two commits, its claim's and its completion's; what finds it in progress or done writes nothing.
func TestRoundTrips_LeaseMode_WrittenLog(t *testing.T) {
	url := database(t)
	store, pool, _ := counted(t, url)
	admin := pgtest.Open(t, url, nil)
	ctx := context.Background()
	if _, err := admin.Exec(ctx, "CREATE EXTENSION pg_walinspect"); err != nil {
		t.Skipf("the log cannot be read here: %v", err)
	}
	position := func() (at string) {
		t.Helper()
		execSQL(t, admin, "SELECT pg_switch_wal()") // flushes, so that all can be read
		must(t, admin.QueryRow(ctx, "SELECT pg_current_wal_flush_lsn()::text").Scan(&at))
		return at
	}
	// written counts the records of our own table and business table, and the commits, while f runs.
	written := func(f func()) (records, commits int) {
		t.Helper()
		from := position()
		f()
		quiet(t, pool)
		to := position()
		if to == from {
			return 0, 0
		}
		must(t, admin.QueryRow(ctx, `SELECT count(*) FILTER (WHERE resource_manager IN ('Heap', 'Heap2', 'Btree')),
count(*) FILTER (WHERE resource_manager = 'Transaction' AND record_type LIKE 'COMMIT%')
FROM pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)`, from, to).Scan(&records, &commits))
		return records, commits
	}
	const requests = 20
	for range 3 {
		finish(t, store, hold(t, store, newID(), newIntent()))
	}
	records, commits := written(func() {
		for range requests {
			finish(t, store, hold(t, store, newID(), newIntent()))
		}
	})
	if commits < 2*requests || commits > 2*requests+3 { // the server itself may commit something
		t.Errorf("%d requests were %d commits", requests, commits)
	}
	t.Logf("of one request: %.1f records of tables and indexes, %.1f commits", float64(records)/requests, float64(commits)/requests)

	done, held := hold(t, store, newID(), newIntent()), hold(t, store, newID(), newIntent())
	finish(t, store, done)
	_, commits = written(func() {
		for range requests {
			for _, id := range []runtime.ID{done.ID, held.ID} {
				if claim, err := store.ClaimLease(ctx, id, newIntent()); err != nil || claim.Held != nil {
					t.Errorf("%+v, %v", claim, err)
				}
				lookAt(t, store, id)
			}
		}
	})
	if commits > 3 {
		t.Errorf("%d duplicates committed %d times", 2*requests, commits)
	}
}

// Recovery finds its work by the index of the work in progress, however many complete records there are, whether the plan is
// made for the parameters or once for all.
func TestLease_X1_RecoveryUsesItsIndex(t *testing.T) {
	ctx := context.Background()
	url := database(t)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["plan_cache_mode"] = mode })
		store := open(t, pool)
		if mode == "force_custom_plan" {
			execSQL(t, pool, `INSERT INTO idempotency_keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, lease_until, epoch, request, steps)
SELECT now(), CASE WHEN n % 200 = 0 THEN timestamptz 'infinity' ELSE now() + interval '1 day' END, gen_random_uuid(), CASE WHEN n % 200 = 0 THEN 0 ELSE 201 END, 1, 1,
's', convert_to(n::text, 'UTF8'), 'f', 'createPayout', '', CASE WHEN n % 200 = 0 THEN now() + (n % 400 - 100) * interval '1 s' END,
CASE WHEN n % 200 = 0 THEN 1 END, CASE WHEN n % 200 = 0 THEN ''::bytea END, CASE WHEN n % 200 = 0 THEN ''::bytea END FROM generate_series(1, 100000) AS n`)
			execSQL(t, pool, "VACUUM ANALYZE idempotency_keys")
		}
		for name, question := range map[string]struct {
			sql       string
			arguments []any
		}{
			"take over": {pgstore.TakeOverSQL(store), []any{[]string{"createPayout"}, []int64{1000}, 50, [16]byte{}}},
			"backlog":   {pgstore.BacklogSQL(store), []any{[]string{"createPayout"}}},
		} {
			rows, err := pool.Query(ctx, "EXPLAIN "+question.sql, question.arguments...)
			must(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			must(t, err)
			plan := strings.Join(lines, "\n")
			if strings.Contains(plan, "Seq Scan on idempotency_keys") || !strings.Contains(plan, "idempotency_keys_in_progress") {
				t.Errorf("%s, %s:\n%s", mode, name, plan)
			}
		}
		backlog, err := store.Backlog(ctx, []string{"createPayout"})
		if err != nil || backlog.InProgress == 0 || backlog.Overdue == 0 || backlog.Overdue == backlog.InProgress {
			t.Errorf("%+v, %v", backlog, err)
		}
	}
	store := open(t, pgtest.Open(t, url, nil))
	taken, err := store.TakeOver(ctx, payouts, 50)
	if err != nil || len(taken) != 50 {
		t.Errorf("took %d: %v", len(taken), errors.Join(err))
	}
}
