package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// working is a record of work in progress, as a test wants it.
type working struct {
	id        runtime.ID
	operation string
	age, left time.Duration
	epoch     int64
	owner     byte
	steps     []runtime.StepResult
	request   string
}

func newWorking(key string, age, left time.Duration) working {
	return working{
		id: runtime.ID{Scope: "p9:acct_0001o12:createPayout", Key: key}, operation: "createPayout", age: age, left: left, epoch: 2, owner: 7,
		steps: []runtime.StepResult{{Name: "reserve", Result: []byte(`{"hold":"h_1"}`)}}, request: "POST /payouts",
	}
}

func (w working) seen() pgstore.Seen {
	return pgstore.Seen{Epoch: w.epoch, Owner: [16]byte{15: w.owner}}
}

func insertWorking(tb testing.TB, pool *pgxpool.Pool, all ...working) {
	tb.Helper()
	for _, w := range all {
		seen := w.seen()
		execSQL(tb, pool, `INSERT INTO idempotency_keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers,
lease_until, epoch, request, steps) VALUES (clock_timestamp() - make_interval(secs => $1::float8), 'infinity', encode($2::bytea, 'hex')::uuid, 0, 1, 1, $3::bytea, $4::bytea, ''::bytea, $5::text, ''::bytea,
clock_timestamp() + make_interval(secs => $6::float8), $7::bigint, $8::bytea, $9::bytea)`,
			w.age.Seconds(), seen.Owner[:], []byte(w.id.Scope), pgstore.PackKey(w.id.Key), w.operation, w.left.Seconds(), w.epoch, []byte(w.request), pgstore.StoredSteps(w.steps))
	}
}

func admin(tb testing.TB, store *pgstore.Store) *pgstore.Admin {
	tb.Helper()
	a, err := pgstore.NewAdmin(store, pgstore.WithAdminTimeout(5*time.Second))
	must(tb, err)
	return a
}

// A5: the list has the work in progress and nothing else, oldest first, page by page, each once.
func TestAdmin_A5_ListsWorkInProgress(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	seeded(t, pool, "done", 50, time.Hour)
	for i := range 25 {
		w := newWorking(fmt.Sprint("key-", i), time.Duration(100-i)*time.Minute, time.Duration(i-20)*time.Minute)
		if i%5 == 0 {
			w.operation = "createRefund"
		}
		insertWorking(t, pool, w)
	}
	execSQL(t, pool, `UPDATE idempotency_keys SET created_at = '2026-01-01' WHERE status = 0 AND operation = 'createRefund'`) // the same time

	a := admin(t, store)
	for _, c := range []struct {
		name  string
		query pgstore.InProgressQuery
		want  int
	}{
		{"all", pgstore.InProgressQuery{}, 25},
		{"of an operation", pgstore.InProgressQuery{Operation: "createRefund", Limit: 2}, 5},
		{"overdue", pgstore.InProgressQuery{Overdue: true, Limit: 3}, 21},
		{"older", pgstore.InProgressQuery{OlderThan: 90*time.Minute - time.Second, Limit: 4}, 13},
		{"of none", pgstore.InProgressQuery{Operation: "createPayment"}, 0},
		{"one by one", pgstore.InProgressQuery{Limit: 1}, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := map[string]bool{}
			var last time.Time
			for pages := 0; pages < 30; pages++ {
				page, err := a.InProgress(ctx, c.query)
				must(t, err)
				for _, e := range page.Entries {
					if seen[e.Ref] || e.CreatedAt.Before(last) || !e.InProgress || e.Ref != pgstore.RefOf(e.ID) {
						t.Fatalf("entry %+v after %v", e, last)
					}
					if c.query.Overdue && !e.Overdue() || c.query.Operation != "" && e.Operation != c.query.Operation {
						t.Errorf("entry %+v was not asked for", e)
					}
					if e.Request.Content != nil || e.Steps[0].Result.Content != nil || e.Steps[0].Name != "reserve" || e.Request.Bytes != 13 {
						t.Errorf("entry %+v", e)
					}
					seen[e.Ref], last = true, e.CreatedAt
				}
				if c.query.After = page.Next; page.Next == "" {
					break
				}
			}
			if len(seen) != c.want {
				t.Errorf("%d entries, want %d", len(seen), c.want)
			}
		})
	}
	for _, query := range []pgstore.InProgressQuery{{Limit: -1}, {Limit: 1001}, {After: "x"}, {After: "-1-0123456789abcdef"}, {After: "1-0123456789abcde'"}} {
		if _, err := a.InProgress(ctx, query); err == nil {
			t.Errorf("%+v is fine", query)
		}
	}
	counts, err := a.Counts(ctx)
	must(t, err)
	if len(counts.Operations) != 2 || counts.Operations[0].Operation != "createPayout" || counts.Operations[0].InProgress != 20 || counts.Operations[1].InProgress != 5 ||
		counts.Operations[0].Overdue != 16 || counts.Operations[0].LongestOverdue < 19*time.Minute || counts.Operations[0].Oldest < 99*time.Minute || counts.Bytes < 8192 {
		t.Errorf("counts = %+v", counts)
	}
	quiet(t, pool)
}

// The list, a look by reference or key and the counts read an index, however many complete records there are.
func TestAdmin_ReadsAnIndex(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	seeded(t, pool, "done", 20000, time.Hour)
	insertWorking(t, pool, newWorking("a", time.Hour, -time.Hour))
	execSQL(t, pool, "VACUUM ANALYZE idempotency_keys")
	for name, sql := range pgstore.AdminSQL(store) {
		var plan strings.Builder
		rows, err := pool.Query(ctx, "EXPLAIN "+sql)
		must(t, err)
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			plan.WriteString(line + "\n")
		}
		must(t, rows.Err())
		if !strings.Contains(plan.String(), "Index") || strings.Contains(plan.String(), "Seq Scan") {
			t.Errorf("%s:\n%s", name, &plan)
		}
	}
}

// S1: a record is found by its reference, or by the key that the client tells, of one account or of all.
func TestAdmin_S1_Finds(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
	mine, hostile := newWorking(uuid, time.Hour, -time.Minute), newWorking("\xff\x1b[2J\x00", time.Minute, time.Minute)
	other := newWorking(uuid, time.Hour, time.Minute)
	other.id.Scope = "p10:acct_00012o12:createPayout"
	insertWorking(t, pool, mine, other, hostile)
	done := runtime.ID{Scope: "p9:acct_0001o13:createPayment", Key: uuid}
	complete(t, store, done, newRecord())
	a := admin(t, store)

	for _, c := range []struct {
		name  string
		query pgstore.FindQuery
		want  []runtime.ID
	}{
		{"reference", pgstore.FindQuery{Ref: pgstore.RefOf(mine.id)}, []runtime.ID{mine.id}},
		{"reference of a complete record", pgstore.FindQuery{Ref: pgstore.RefOf(done)}, nil},
		{"key of an account", pgstore.FindQuery{Key: uuid, Principal: "acct_0001"}, []runtime.ID{mine.id, done}},
		{"key", pgstore.FindQuery{Key: uuid}, []runtime.ID{mine.id, other.id, done}},
		{"key of any bytes", pgstore.FindQuery{Key: hostile.id.Key}, []runtime.ID{hostile.id}},
		{"key of nobody", pgstore.FindQuery{Key: "none"}, nil},
		{"key of an account of the same beginning", pgstore.FindQuery{Key: uuid, Principal: "acct_000"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := a.Find(ctx, c.query)
			must(t, err)
			var ids []runtime.ID
			for _, e := range found {
				ids = append(ids, e.ID)
				if e.Request.Content != nil || e.Body.Content != nil || e.Header != nil {
					t.Errorf("entry %+v", e)
				}
			}
			if fmt.Sprint(ids) != fmt.Sprint(c.want) {
				t.Errorf("found %q, want %q", ids, c.want)
			}
		})
	}
	for _, query := range []pgstore.FindQuery{{}, {Ref: "0123"}, {Ref: "0123456789abcdeg"}, {Key: strings.Repeat("x", 1025)}} {
		if _, err := a.Find(ctx, query); err == nil {
			t.Errorf("%+v is fine", query)
		}
	}

	found, err := a.Find(ctx, pgstore.FindQuery{Ref: pgstore.RefOf(mine.id), Reveal: true})
	must(t, err)
	if e := found[0]; string(e.Request.Content) != mine.request || string(e.Steps[0].Result.Content) != `{"hold":"h_1"}` || e.Seen != mine.seen() || !e.Overdue() || e.Left > -time.Minute {
		t.Errorf("entry %+v", e)
	}
	found, err = a.Find(ctx, pgstore.FindQuery{Key: uuid, Principal: "acct_0001", Reveal: true})
	must(t, err)
	if e := found[1]; string(e.Body.Content) != `{"id":1}` || e.Header.Get("Location") == "" || e.InProgress || e.Status != 201 || e.Expired || e.ExpiresAt.IsZero() || e.Body.Bytes != 8 {
		t.Errorf("entry %+v", e)
	}
	execSQL(t, pool, `UPDATE idempotency_keys SET request = '\x00' || convert_to('idemgen sealed', 'UTF8') || '\x010478202d32' || repeat('x', 900)::bytea WHERE status = 0`)
	found, err = a.Find(ctx, pgstore.FindQuery{Ref: pgstore.RefOf(mine.id)})
	must(t, err)
	if r := found[0].Request; !r.Sealed || r.SealedBy != "x -2" || r.Bytes != 921 || r.Content != nil || found[0].Steps[0].Result.Sealed {
		t.Errorf("sealed: %+v", found[0])
	}
	execSQL(t, pool, `UPDATE idempotency_keys SET steps = '\x05', lease_until = '-infinity' WHERE status = 0`)
	if found, err = a.Find(ctx, pgstore.FindQuery{Ref: pgstore.RefOf(mine.id)}); err != nil || !found[0].StepsDamaged {
		t.Errorf("damaged steps: %+v, %v", found, err)
	}
}

// releases are what the table of releases says, but for the time and who it was.
func releases(tb testing.TB, pool *pgxpool.Pool) []string {
	tb.Helper()
	rows, err := pool.Query(context.Background(), `SELECT format('%s epoch %s %s: %s (%s, %s)', action, epoch, operation, reason, released_by = session_user, released_at > now() - interval '1 minute') FROM idempotency_keys_releases ORDER BY released_at`)
	must(tb, err)
	var all []string
	for rows.Next() {
		var line string
		must(tb, rows.Scan(&line))
		all = append(all, line)
	}
	must(tb, rows.Err())
	return all
}

// A5, I6: handing over ends the lease and the worker's hold on it, and keeps what is done; freeing removes the record. Both
// are noted, with who, when and why.
func TestAdmin_A5_I6_Releases(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	a := admin(t, store)
	held, stuck := newWorking("held", time.Hour, time.Hour), newWorking("stuck", time.Hour, -time.Minute)
	insertWorking(t, pool, held, stuck)

	must(t, a.Release(ctx, held.id, pgstore.Release{Action: pgstore.HandOver, Seen: held.seen(), Reason: " the worker hangs "}))
	found, err := a.Find(ctx, pgstore.FindQuery{Ref: pgstore.RefOf(held.id), Reveal: true})
	must(t, err)
	if e := found[0]; !e.Overdue() || e.Seen.Epoch != 3 || e.Seen.Owner == held.seen().Owner || string(e.Request.Content) != held.request || len(e.Steps) != 1 {
		t.Errorf("handed over: %+v", e)
	}
	must(t, a.Release(ctx, stuck.id, pgstore.Release{Action: pgstore.Free, Seen: stuck.seen(), Reason: "the bank never saw it", StepsUndone: true}))
	if n := countWhere(t, pool, "status = 0"); n != 1 {
		t.Errorf("%d in progress", n)
	}
	want := []string{"handed over epoch 2 createPayout: the worker hangs (t, t)", "freed epoch 2 createPayout: the bank never saw it (t, t)"}
	if got := releases(t, pool); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("releases: %q", got)
	}
	var steps []byte
	must(t, pool.QueryRow(ctx, "SELECT steps FROM idempotency_keys_releases WHERE action = 'freed'").Scan(&steps))
	if !bytes.Equal(steps, pgstore.StoredSteps(stuck.steps)) {
		t.Error("the steps of the freed record are not kept")
	}
	quiet(t, pool)
}

// I6, I7: a release changes nothing that is not what was seen, nothing that is complete, and frees nothing whose lease
// lives unless it is forced to.
func TestAdmin_I6_I7_RefusesWhatWasNotSeen(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	a := admin(t, store)
	live, over := newWorking("live", time.Hour, time.Hour), newWorking("over", time.Hour, -time.Hour)
	insertWorking(t, pool, live, over)
	done := newID()
	complete(t, store, done, newRecord())
	before := func() (text string) {
		must(t, pool.QueryRow(ctx, "SELECT string_agg(k::text, ' ' ORDER BY key) FROM idempotency_keys k").Scan(&text))
		return text
	}
	was := before()
	earlier, another := over.seen(), over.seen()
	earlier.Epoch--
	another.Owner[0]++ // released and claimed anew: the same epoch
	for _, c := range []struct {
		name string
		id   runtime.ID
		seen pgstore.Seen
		free bool
		want error
	}{
		{"an earlier epoch", over.id, earlier, true, pgstore.ErrMoved},
		{"an earlier epoch, handed over", over.id, earlier, false, pgstore.ErrMoved},
		{"another owner", over.id, another, true, pgstore.ErrMoved},
		{"another owner, handed over", over.id, another, false, pgstore.ErrMoved},
		{"a live lease", live.id, live.seen(), true, pgstore.ErrLeaseLive},
		{"a complete record", done, pgstore.Seen{Epoch: 1}, true, pgstore.ErrNotInProgress},
		{"a complete record, handed over", done, pgstore.Seen{}, false, pgstore.ErrNotInProgress},
		{"nothing", newID(), pgstore.Seen{Epoch: 1}, true, pgstore.ErrNotInProgress},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := pgstore.Release{Action: pgstore.HandOver, Seen: c.seen, Reason: "test"}
			if c.free {
				r.Action = pgstore.Free
			}
			if err := a.Release(ctx, c.id, r); !errors.Is(err, c.want) {
				t.Errorf("err = %v, want %v", err, c.want)
			}
		})
	}
	for name, r := range map[string]pgstore.Release{
		"no reason": {Action: pgstore.Free, Seen: over.seen(), Reason: " "}, "no action": {Seen: over.seen(), Reason: "x"},
		"a long reason": {Action: pgstore.Free, Seen: over.seen(), Reason: strings.Repeat("x", 2001)},
		"not a text":    {Action: pgstore.Free, Seen: over.seen(), Reason: "a\x00b"},
	} {
		if err := a.Release(ctx, over.id, r); err == nil {
			t.Errorf("%s is fine", name)
		}
	}
	if before() != was || len(releases(t, pool)) != 0 {
		t.Errorf("something changed:\n%s\n%s\n%q", was, before(), releases(t, pool))
	}
	must(t, a.Release(ctx, live.id, pgstore.Release{Action: pgstore.Free, Seen: live.seen(), Reason: "test", Force: true, StepsUndone: true}))
	if n := countWhere(t, pool, "status = 0"); n != 1 {
		t.Errorf("%d in progress", n)
	}
}

// I6: work with done steps is freed only where these were undone, since the next request runs them again on top of what they
// left. The refusal names them, and they stay with the release.
func TestAdmin_I6_FreesNoDoneSteps(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	a := admin(t, store)
	none, some := newWorking("none", time.Hour, -time.Hour), newWorking("some", time.Hour, -time.Hour)
	live, damaged := newWorking("live", time.Hour, time.Hour), newWorking("damaged", time.Hour, -time.Hour)
	none.steps = nil
	some.steps = append(some.steps, runtime.StepResult{Name: "\x1b[31mcharge\u202e", Result: []byte("s3cr3t")})
	insertWorking(t, pool, none, some, live, damaged)
	execSQL(t, pool, `UPDATE idempotency_keys SET steps = '\x05' WHERE key = 'damaged'`)
	free := func(w working, change func(*pgstore.Release)) error {
		r := pgstore.Release{Action: pgstore.Free, Seen: w.seen(), Reason: "test"}
		change(&r)
		return a.Release(ctx, w.id, r)
	}
	plainly := func(*pgstore.Release) {}
	force := func(r *pgstore.Release) { r.Force = true }
	undone := func(r *pgstore.Release) { r.StepsUndone = true }

	const mend = ": undo what was done and say so by Release.StepsUndone, or hand the work over"
	for _, c := range []struct {
		name   string
		w      working
		change func(*pgstore.Release)
		steps  int // that the refusal has
		want   string
	}{
		{"two steps", some, plainly, 2, `pgstore: the next request would run again what is done, the steps "reserve" and "\x1b[31mcharge\u202e"` + mend},
		{"one step, forced", live, force, 1, `pgstore: the next request would run again what is done, the step "reserve"` + mend},
		{"damaged", damaged, plainly, 0, `pgstore: the next request would run again what is done, steps that cannot be read` + mend},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fault *pgstore.StepsDoneError
			err := free(c.w, c.change)
			if !errors.As(err, &fault) || len(fault.Steps) != c.steps || err.Error() != c.want {
				t.Errorf("err = %v, want %s", err, c.want)
			}
		})
	}
	if err := free(live, undone); !errors.Is(err, pgstore.ErrLeaseLive) {
		t.Errorf("err = %v", err)
	}
	moved := some
	moved.epoch++
	if err := free(moved, plainly); !errors.Is(err, pgstore.ErrMoved) {
		t.Errorf("err = %v", err)
	}
	if n := countWhere(t, pool, "status = 0"); n != 4 || len(releases(t, pool)) != 0 {
		t.Errorf("%d in progress, released %q", n, releases(t, pool))
	}

	must(t, free(none, plainly))
	must(t, free(some, undone))
	must(t, free(damaged, undone))
	if n := countWhere(t, pool, "status = 0"); n != 1 {
		t.Errorf("%d in progress", n)
	}
	var steps []byte
	must(t, pool.QueryRow(ctx, "SELECT steps FROM idempotency_keys_releases WHERE key = 'some' AND action = 'freed' AND reason = 'test'").Scan(&steps))
	if !bytes.Equal(steps, pgstore.StoredSteps(some.steps)) {
		t.Error("the steps of the freed record are not kept")
	}
}

// I6: of many that release the same record, and a worker that writes meanwhile, one has its way.
func TestAdmin_I6_OneOfManyReleases(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	a := admin(t, store)
	w := newWorking("key", time.Hour, -time.Minute)
	insertWorking(t, pool, w)
	var all sync.WaitGroup
	var done atomic.Int64
	for i := range 8 {
		all.Go(func() {
			r := pgstore.Release{Action: pgstore.HandOver, Seen: w.seen(), Reason: "test"}
			if i%2 == 0 {
				r.Action, r.StepsUndone = pgstore.Free, true
			}
			switch err := a.Release(ctx, w.id, r); {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, pgstore.ErrMoved) && !errors.Is(err, pgstore.ErrNotInProgress):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || len(releases(t, pool)) != 1 {
		t.Errorf("%d releases, noted %q", done.Load(), releases(t, pool))
	}
}

// Reading works in a session that must not write; a release says so. A statement that takes too long is ended, and a table
// of an older version is named.
func TestAdmin_ServersThatCannot(t *testing.T) {
	url := database(t)
	pool, ctx := pgtest.Open(t, url, nil), context.Background()
	w := newWorking("key", time.Hour, -time.Minute)
	insertWorking(t, pool, w)
	readOnly := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on" })
	a := admin(t, open(t, readOnly))
	if page, err := a.InProgress(ctx, pgstore.InProgressQuery{}); err != nil || len(page.Entries) != 1 {
		t.Errorf("%+v, %v", page, err)
	}

	holder, err := pool.Begin(ctx)
	must(t, err)
	_, err = holder.Exec(ctx, "SELECT FROM idempotency_keys FOR UPDATE")
	must(t, err)
	hasty, err := pgstore.NewAdmin(open(t, pool), pgstore.WithAdminTimeout(100*time.Millisecond))
	must(t, err)
	if err := hasty.Release(ctx, w.id, pgstore.Release{Action: pgstore.Free, Seen: w.seen(), Reason: "test", StepsUndone: true}); !errors.Is(err, pgstore.ErrSlow) {
		t.Errorf("err = %v", err)
	}
	must(t, holder.Rollback(ctx))

	execSQL(t, pool, pgstore.SchemaSteps("old")[0].Up)
	var fault *pgstore.SchemaError
	if _, err := admin(t, open(t, pool, pgstore.WithTable("old"))).Counts(ctx); !errors.As(err, &fault) || fault.Version != 2 {
		t.Errorf("err = %v", err)
	}
	name := pool.Config().ConnConfig.Database
	if fault.Fault != fmt.Sprintf("in the database %q lacks columns", name) {
		t.Errorf("fault = %s", fault.Fault)
	}
	_, err = admin(t, open(t, pool, pgstore.WithTable("elsewhere.keys"))).InProgress(ctx, pgstore.InProgressQuery{})
	if !errors.As(err, &fault) || fault.Table != "elsewhere.keys" || !strings.HasPrefix(fault.Fault, fmt.Sprintf("is not in the database %q (search_path ", name)) {
		t.Errorf("err = %v", err)
	}
	execSQL(t, pool, "DROP TABLE idempotency_keys_releases")
	err = hasty.Release(ctx, w.id, pgstore.Release{Action: pgstore.HandOver, Seen: w.seen(), Reason: "test"})
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Fault, fmt.Sprintf("or its table of releases is not in the database %q", name)) {
		t.Errorf("err = %v", err)
	}
	if _, err := pgstore.NewAdmin(nil); err == nil {
		t.Error("no store is fine")
	}
	for _, d := range []time.Duration{0, -1} {
		if _, err := pgstore.NewAdmin(open(t, pool), pgstore.WithAdminTimeout(d)); err == nil {
			t.Errorf("a limit of %v is fine", d)
		}
	}
}

// A table of another name has its releases beside it.
func TestAdmin_AnotherTable(t *testing.T) {
	pool, ctx := pgtest.Open(t, database(t), nil), context.Background()
	execSQL(t, pool, `CREATE SCHEMA "Billing TABLE RELEASES"`)
	const table = "Billing TABLE RELEASES.Keys TABLE RELEASES"
	must(t, pgstore.Migrate(ctx, pool, table))
	w := newWorking("key", time.Hour, -time.Minute)
	insertWorking(t, pool, w)
	execSQL(t, pool, `INSERT INTO "Billing TABLE RELEASES"."Keys TABLE RELEASES" SELECT * FROM idempotency_keys`)
	a := admin(t, open(t, pool, pgstore.WithTable(table)))
	must(t, a.Release(ctx, w.id, pgstore.Release{Action: pgstore.Free, Seen: w.seen(), Reason: "test", StepsUndone: true}))
	if n := count(t, pool, `"Billing TABLE RELEASES"."Keys TABLE RELEASES_releases"`); n != 1 || countWhere(t, pool, "status = 0") != 1 {
		t.Errorf("%d releases", n)
	}
}

// On a standby one can look; a release says where to go.
func TestAdmin_OnAStandby(t *testing.T) {
	p := newPair(t)
	ctx, w := context.Background(), newWorking("key", time.Hour, -time.Minute)
	insertWorking(t, pgtest.Open(t, p.primary.URL, nil), w)
	p.await(t)
	a := admin(t, open(t, pgtest.Open(t, p.standby.URL, nil)))
	page, err := a.InProgress(ctx, pgstore.InProgressQuery{Overdue: true})
	if err != nil || len(page.Entries) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
	if found, err := a.Find(ctx, pgstore.FindQuery{Key: "key"}); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if counts, err := a.Counts(ctx); err != nil || len(counts.Operations) != 1 {
		t.Errorf("%+v, %v", counts, err)
	}
	if err := a.Release(ctx, w.id, pgstore.Release{Action: pgstore.HandOver, Seen: w.seen(), Reason: "test"}); !errors.Is(err, pgstore.ErrStandby) {
		t.Errorf("err = %v", err)
	}
}
