package pgstore_test

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// payments is the business table of these tests. Its check and its deferred constraint give a handler ways to fail.
const payments = `CREATE TABLE payments (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	account text NOT NULL,
	amount bigint NOT NULL CHECK (amount > 0),
	reference text,
	CONSTRAINT payments_reference_once UNIQUE (reference) DEFERRABLE INITIALLY DEFERRED)`

// database makes a database with both tables and returns its URL.
func database(tb testing.TB) string {
	tb.Helper()
	url := pgtest.URL(tb)
	pool := pgtest.Open(tb, url, nil)
	if err := pgstore.Migrate(context.Background(), pool, ""); err != nil {
		tb.Fatal(err)
	}
	execSQL(tb, pool, payments)
	return url
}

func execSQL(tb testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	tb.Helper()
	if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

func count(tb testing.TB, pool *pgxpool.Pool, table string) int {
	tb.Helper()
	var n int
	if err := pool.QueryRow(context.Background(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func open(tb testing.TB, pool *pgxpool.Pool, opts ...pgstore.Option) *pgstore.Store {
	tb.Helper()
	store, err := pgstore.New(pool, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

// variant is one way to set a store up; all of them keep the same promise.
type variant struct {
	name     string
	strategy pgstore.Strategy
	level    pgx.TxIsoLevel
}

func (v variant) options() []pgstore.Option {
	return []pgstore.Option{pgstore.WithStrategy(v.strategy), pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: v.level})}
}

var variants = func() (all []variant) {
	for _, s := range []struct {
		name     string
		strategy pgstore.Strategy
	}{{"AdvisoryLock", pgstore.AdvisoryLock}, {"InsertFirst", pgstore.InsertFirst}} {
		for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
			all = append(all, variant{name: s.name + "/" + string(level), strategy: s.strategy, level: level})
		}
	}
	return all
}()

// each runs test for every variant on a fresh database.
func each(t *testing.T, test func(t *testing.T, v variant, url string)) {
	t.Helper()
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) { test(t, v, database(t)) })
	}
}

var serial atomic.Int64

func newID() runtime.ID {
	return runtime.ID{Scope: "9:acct_0001,13:createPayment", Key: "key-" + strconv.FormatInt(serial.Add(1), 10)}
}

func newRecord() *runtime.Record {
	n := serial.Add(1)
	return &runtime.Record{
		Operation:          "createPayment",
		FingerprintVersion: 1,
		Fingerprint:        []byte("0123456789abcdef0123456789abcdef"),
		Attempt:            [16]byte{15: byte(n), 14: byte(n >> 8)},
		Status:             http.StatusCreated,
		Header:             http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/1"}},
		Body:               []byte(`{"id":1}`),
		Retention:          24 * time.Hour,
	}
}

// pay is the work of a handler.
func pay(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "INSERT INTO payments (account, amount) VALUES ($1, $2)", "acct_0001", 100)
	return err
}

// claim claims id and expects to win.
func claim(tb testing.TB, store *pgstore.Store, id runtime.ID) runtime.Work[pgx.Tx] {
	tb.Helper()
	c, err := store.Claim(context.Background(), id, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if c.Work == nil {
		tb.Fatalf("%v was not won: record %v", id, c.Record)
	}
	return c.Work
}

// complete claims id, pays and commits.
func complete(tb testing.TB, store *pgstore.Store, id runtime.ID, rec *runtime.Record) {
	tb.Helper()
	work := claim(tb, store, id)
	if err := pay(context.Background(), work.Tx()); err != nil {
		tb.Fatal(err)
	}
	if err := work.Commit(context.Background(), rec); err != nil {
		tb.Fatal(err)
	}
}

// replay looks id up and expects a record.
func replay(tb testing.TB, store *pgstore.Store, id runtime.ID) *runtime.Record {
	tb.Helper()
	c, err := store.Claim(context.Background(), id, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if c.Record == nil {
		if c.Work != nil {
			_ = c.Work.Rollback(context.Background())
		}
		tb.Fatalf("no record of %v", id)
	}
	return c.Record
}

// quiet waits until every connection is back in the pool and checks that the server holds no transaction and no lock
// for it.
func quiet(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	const sql = `SELECT count(*) FILTER (WHERE a.state LIKE 'idle in transaction%'), count(l.pid)
FROM pg_stat_activity a LEFT JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory'
WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.application_name = current_setting('application_name')`
	var transactions, locks int
	var acquired int32
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if acquired = pool.Stat().AcquiredConns(); acquired == 0 {
			if err := pool.QueryRow(context.Background(), sql).Scan(&transactions, &locks); err != nil {
				tb.Fatal(err)
			}
			if transactions == 0 && locks == 0 {
				return
			}
		}
		if time.Now().After(deadline) {
			tb.Fatalf("left behind: %d connections out of the pool, %d open transactions, %d locks", acquired, transactions, locks)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
