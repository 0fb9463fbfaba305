package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// pair is a primary with a standby that follows it, and the connection that a service makes to whichever can write.
type pair struct {
	primary, standby *pgtemp.Server
	url              string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p := &pair{}
	var err error
	p.primary, err = pgtemp.Start(ctx, pgtemp.Options{})
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(t) // skips, or fails in CI
	}
	must(t, err)
	t.Cleanup(p.primary.Stop)
	admin := pgtest.Open(t, p.primary.URL, nil)
	must(t, pgstore.Migrate(ctx, admin, ""))
	execSQL(t, admin, payments)
	execSQL(t, admin, payoutParts)
	p.standby, err = p.primary.Standby(ctx, pgtemp.Options{})
	must(t, err)
	t.Cleanup(p.standby.Stop)

	both, err := url.Parse(p.primary.URL)
	must(t, err)
	both.Host = fmt.Sprintf("127.0.0.1:%d,127.0.0.1:%d", p.primary.Port(), p.standby.Port())
	both.RawQuery += "&target_session_attrs=read-write"
	p.url = both.String()
	p.await(t)
	return p
}

// await waits until the standby has all of the primary.
func (p *pair) await(t *testing.T) {
	t.Helper()
	var at string
	must(t, query(p.primary.URL, &at, "SELECT pg_current_wal_flush_lsn()::text"))
	p.awaitStandby(t, "SELECT pg_last_wal_replay_lsn() >= '"+at+"'::pg_lsn")
}

func (p *pair) awaitStandby(t *testing.T, condition string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var met bool
		must(t, query(p.standby.URL, &met, condition))
		if met {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the standby never answered yes to %s", condition)
		}
	}
}

// cut has the standby receive nothing more, as when the network between the two is down.
func (p *pair) cut(t *testing.T) {
	t.Helper()
	must(t, query(p.standby.URL, nil, "ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'"))
	must(t, query(p.standby.URL, nil, "SELECT pg_reload_conf()"))
	p.awaitStandby(t, "SELECT count(*) FILTER (WHERE status = 'streaming') = 0 FROM pg_stat_wal_receiver")
}

// synchronous has every commit wait for the standby, as synchronous_commit = on does where a standby is named.
func (p *pair) synchronous(t *testing.T) {
	t.Helper()
	must(t, query(p.primary.URL, nil, "ALTER SYSTEM SET synchronous_standby_names = '*'"))
	must(t, query(p.primary.URL, nil, "SELECT pg_reload_conf()"))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var state string
		must(t, query(p.primary.URL, &state, "SELECT coalesce(min(sync_state), '') FROM pg_stat_replication"))
		if state == "sync" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the standby is %q", state)
		}
	}
}

func (p *pair) failOver(t *testing.T) {
	t.Helper()
	p.primary.Stop()
	must(t, query(p.standby.URL, nil, "SELECT pg_promote()"))
}

// query runs one statement on a connection of its own.
func query(url string, target any, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if target == nil {
		_, err = conn.Exec(ctx, sql)
		return err
	}
	return conn.QueryRow(ctx, sql).Scan(target)
}

func nothing(context.Context, pgx.Tx) error { return nil }

func wantAnswer(t *testing.T, what string, w *httptest.ResponseRecorder, status int, problem string, replayed bool) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), problem) || (w.Header().Get("Idempotent-Replayed") == "true") != replayed {
		t.Errorf("%s: %d %s, replayed %q; want %d %s, replayed %v", what, w.Code, w.Body, w.Header().Get("Idempotent-Replayed"), status, problem, replayed)
	}
	if status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		t.Errorf("%s: no Retry-After", what)
	}
}

// A9, I9: a primary is lost with requests under way. Until the standby is promoted nothing runs; then what was committed
// before is found, and what was under way is done once. A5, I6: in lease mode, a worker that was under way goes on, or it was
// overtaken on the new primary and changes nothing there; recovery finishes what is left, and no step that is stored is run
// again.
func TestFailover_A5_A6_A9_I6_I9_PromotedStandbyGoesOn(t *testing.T) {
	p := newPair(t)
	pool := pgtest.Open(t, p.url, func(c *pgxpool.Config) { c.ConnConfig.ConnectTimeout = 2 * time.Second })
	store := open(t, pool)
	engine := engineOn(t, store)
	wantAnswer(t, "before", payAnd(t, engine, pool, "k1", nothing), http.StatusCreated, "", false)
	leasesWithout, leasesAfter := newOffice(t, store).beforePromotion()
	p.await(t)

	interrupted := payAnd(t, engine, pool, "k2", func(context.Context, pgx.Tx) error {
		p.primary.Stop()
		return nil
	})
	wantAnswer(t, "under way", interrupted, http.StatusServiceUnavailable, "#outcome-unknown", false)
	wantAnswer(t, "without a primary", payAnd(t, engine, pool, "k3", func(context.Context, pgx.Tx) error {
		t.Error("the handler ran")
		return nil
	}), http.StatusServiceUnavailable, "#unavailable", false)
	leasesWithout()

	must(t, query(p.standby.URL, nil, "SELECT pg_promote()"))
	wantAnswer(t, "committed before", payAnd(t, engine, pool, "k1", nothing), http.StatusCreated, "", true)
	wantAnswer(t, "was under way", payAnd(t, engine, pool, "k2", nothing), http.StatusCreated, "", false)
	wantAnswer(t, "was refused", payAnd(t, engine, pool, "k3", nothing), http.StatusCreated, "", false)
	if n := count(t, pool, "payments"); n != 3 {
		t.Errorf("%d payments of 3 keys", n)
	}
	leasesAfter(p.standby.URL)
}

// What asynchronous replication loses it loses whole: the record and the work that it stands for. The retry does the work
// again, and the new primary has it once. The client has two answers for one key. A3, A5: in lease mode, of a step whose result is
// gone the other side is asked; where the record is gone too, the call is made again, with the same key.
func TestFailover_A3_A5_AsynchronousReplicationLosesRecordAndWorkTogether(t *testing.T) {
	p := newPair(t)
	pool := pgtest.Open(t, p.url, nil)
	store := open(t, pool)
	engine := engineOn(t, store)
	leasesLost, leasesAfter := newOffice(t, store).beforeLoss()
	p.await(t)
	p.cut(t)
	wantAnswer(t, "first", payAnd(t, engine, pool, "k", nothing), http.StatusCreated, "", false)
	leasesLost()
	p.failOver(t)
	var kept int
	must(t, query(p.standby.URL, &kept, "SELECT (SELECT count(*) FROM payments) + (SELECT count(*) FROM idempotency_keys WHERE operation = 'createPayment')"))
	if kept != 0 {
		t.Fatalf("%d rows reached a standby that was cut off", kept)
	}
	wantAnswer(t, "retry", payAnd(t, engine, pool, "k", nothing), http.StatusCreated, "", false)
	wantAnswer(t, "second retry", payAnd(t, engine, pool, "k", nothing), http.StatusCreated, "", true)
	if n := count(t, pool, "payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
	leasesAfter(p.standby.URL)
}

// With a synchronous standby an answer that was sent is on both, and so is a step that is done.
func TestFailover_A5_SynchronousReplicationKeepsWhatWasAnswered(t *testing.T) {
	p := newPair(t)
	p.synchronous(t)
	pool := pgtest.Open(t, p.url, nil)
	store := open(t, pool)
	engine := engineOn(t, store)
	for i := range 5 {
		wantAnswer(t, "first", payAnd(t, engine, pool, fmt.Sprint("k", i), nothing), http.StatusCreated, "", false)
	}
	leasesAfter := newOffice(t, store).beforeSynchronous()
	p.failOver(t)
	must(t, query(p.standby.URL, nil, "ALTER SYSTEM SET synchronous_standby_names = ''"))
	must(t, query(p.standby.URL, nil, "SELECT pg_reload_conf()"))
	for i := range 5 {
		wantAnswer(t, "retry", payAnd(t, engine, pool, fmt.Sprint("k", i), nothing), http.StatusCreated, "", true)
	}
	if n := count(t, pool, "payments"); n != 5 {
		t.Errorf("%d payments", n)
	}
	leasesAfter(p.standby.URL)
}

// A6: a commit that waits for a standby that is away is given up after the commit timeout. It has happened on the primary
// all the same, and the runtime finds it there. docs/operations.md says what that means for a failover.
func TestFailover_A6_SynchronousStandbyAway(t *testing.T) {
	p := newPair(t)
	p.synchronous(t)
	pool := pgtest.Open(t, p.primary.URL, nil)
	engine, err := runtime.New(open(t, pool), func(*http.Request) (string, error) { return "acct_1", nil },
		runtime.WithLogger(slog.New(slog.DiscardHandler)), runtime.WithCommitTimeout(500*time.Millisecond))
	must(t, err)
	p.cut(t)
	first := payAnd(t, engine, pool, "k", nothing)
	if first.Code != http.StatusCreated && !strings.Contains(first.Body.String(), "#outcome-unknown") {
		t.Errorf("%d %s", first.Code, first.Body)
	}
	t.Logf("the answer is %d %s", first.Code, first.Body)
	wantAnswer(t, "the retry", payAnd(t, engine, pool, "k", nothing), http.StatusCreated, "", true)
	if n := count(t, pool, "payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
	p.primary.Stop() // before its other sessions wait for the standby that does not come back
}

// A read-only session, such as one on a standby, can keep no promise: Check says so, and no request runs.
func TestFailover_A9_I9_StandbyIsRefused(t *testing.T) {
	p := newPair(t)
	primary := pgtest.Open(t, p.primary.URL, nil)
	wantAnswer(t, "on the primary", payAnd(t, engineOn(t, open(t, primary)), primary, "k", nothing), http.StatusCreated, "", false)
	leftBehind := newOffice(t, open(t, primary))
	leftBehind.fails("left", stored)
	wantAnswer(t, "left on the primary", leftBehind.post("left"), http.StatusServiceUnavailable, "#outcome-unknown", false)
	wantAnswer(t, "settled on the primary", leftBehind.post("settled"), http.StatusCreated, "", false)
	must(t, overdue(p.primary.URL))
	p.await(t)
	pool := pgtest.Open(t, p.standby.URL, nil)
	for _, v := range variants {
		if v.level == pgx.Serializable {
			continue // which a standby refuses by itself
		}
		store := open(t, pool, v.options()...)
		if err := store.Check(context.Background()); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: Check: %v", v.name, err)
		}
		for _, key := range []string{"k", "new"} {
			w := payAnd(t, engineOn(t, store), pool, key, func(context.Context, pgx.Tx) error {
				t.Error("the handler ran on a standby")
				return nil
			})
			wantAnswer(t, v.name+" "+key, w, http.StatusServiceUnavailable, "#unavailable", false)
		}
		_, err := store.Claim(context.Background(), newID(), 0)
		var told runtime.Explained
		if !errors.As(err, &told) || !strings.Contains(told.LogText(), "read-only") {
			t.Errorf("%s: %v does not say what is wrong", v.name, err)
		}
		o := newOffice(t, store)
		for _, key := range []string{"left", "settled", "new"} { // not even what is settled is read from a server that may be behind
			wantAnswer(t, v.name+" in lease mode "+key, o.post(key), http.StatusServiceUnavailable, "#unavailable", false)
			o.want(key, 0, 0)
		}
		if report, err := o.recovery.Once(context.Background()); err == nil || report.Taken != 0 {
			t.Errorf("%s: recovery on a standby: %+v, %v", v.name, report, err)
		}
		o.want("left", 0, 0)
	}
	quiet(t, pool)
}
