package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// I8: a session that is killed while the handler runs leaves nothing, whatever the handler makes of it.
func TestFault_I8_BackendTerminated(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool, admin := pgtest.Open(t, url, nil), pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		id := newID()
		work := claim(t, store, id)
		must(t, pay(context.Background(), work.Tx()))
		terminate(t, admin, work)
		if err := pay(context.Background(), work.Tx()); err == nil {
			t.Error("a statement on a dead session succeeded")
		}
		err := work.Commit(context.Background(), newRecord())
		if err == nil || errors.Is(err, runtime.ErrCommitUnknown) {
			t.Errorf("err = %v, want one that leaves no doubt: no commit was sent", err)
		}
		if n := count(t, admin, "payments"); n != 0 {
			t.Errorf("%d payments", n)
		}
		complete(t, store, id, newRecord())
		quiet(t, pool)
	})
}

// The session dies between the handler's last statement and the commit.
func TestFault_I8_BackendTerminatedBeforeCommit(t *testing.T) {
	url := database(t)
	pool, admin := pgtest.Open(t, url, nil), pgtest.Open(t, url, nil)
	store := open(t, pool)
	id := newID()
	work := claim(t, store, id)
	must(t, pay(context.Background(), work.Tx()))
	terminate(t, admin, work)
	if err := work.Commit(context.Background(), newRecord()); !errors.Is(err, runtime.ErrCommitUnknown) {
		t.Errorf("err = %v, want ErrCommitUnknown: the client cannot know that the server read nothing", err)
	}
	complete(t, store, id, newRecord())
	if n := count(t, admin, "payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
}

func terminate(t *testing.T, admin *pgxpool.Pool, work runtime.Work[pgx.Tx]) {
	t.Helper()
	execSQL(t, admin, "SELECT pg_terminate_backend($1, 5000)", int32(work.Tx().Conn().PgConn().PID()))
}

// A9: while the server is away a claim fails and nothing runs; when it is back the pool, whose connections are all dead,
// serves the first request.
func TestFault_A9_ServerRestarts(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(t) // skips, or fails in CI
	}
	must(t, err)
	defer server.Stop()
	config, err := pgxpool.ParseConfig(server.URL)
	must(t, err)
	config.MaxConns = 4
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // the worst case
	pool, err := pgxpool.NewWithConfig(ctx, config)
	must(t, err)
	defer pool.Close()
	must(t, pgstore.Migrate(ctx, pool, ""))
	store := open(t, pool)

	done, open := newID(), newID()
	rec := newRecord()
	must(t, claim(t, store, done).Commit(ctx, rec))
	var works []runtime.Work[pgx.Tx]
	for range 3 {
		works = append(works, claim(t, store, newID()))
	}
	interrupted := claim(t, store, open)
	for _, work := range works {
		must(t, work.Rollback(ctx)) // now they are idle in the pool
	}
	must(t, server.Restart(ctx))

	if err := interrupted.Commit(ctx, newRecord()); !errors.Is(err, runtime.ErrCommitUnknown) {
		t.Errorf("err = %v", err)
	}
	if got := replay(t, store, done); got.Attempt != rec.Attempt {
		t.Error("another record")
	}
	must(t, claim(t, store, open).Commit(ctx, newRecord()))

	server.Stop()
	if c, err := store.Claim(ctx, newID(), time.Second); err == nil {
		t.Errorf("claimed without a server: %+v", c)
	}
	if _, err := store.Begin(ctx); err == nil {
		t.Error("began without a server")
	}
}
