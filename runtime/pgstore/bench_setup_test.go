package pgstore_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// The benchmarks compare flows with the bare transaction: the same handler SQL between BEGIN and COMMIT, with nothing to
// make a repetition safe. Flows run in alternating rounds on one server, and each ratio is taken within its round, so that
// a noisy machine disturbs both sides alike. Absolute numbers say little; ratios, round trips and WAL records say much.
var (
	rounds     = flag.Int("pgstore.rounds", 7, "alternating rounds of each benchmark")
	roundTime  = flag.Duration("pgstore.round", 250*time.Millisecond, "length of one flow's part of a round")
	benchConns = 32
)

// durable is the one server of the benchmarks, with fsync on as in production. It ends with the process.
var durable = sync.OnceValues(func() (*pgtemp.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return pgtemp.Start(ctx, pgtemp.Options{Durable: true, Settings: map[string]string{
		// What runs by itself would land in some rounds and not in others.
		"autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "8GB",
	}})
})

// bench is a database with the flows that are compared on it.
type bench struct {
	wire                *wire
	pool                *pgxpool.Pool
	store, insertsFirst *pgstore.Store
	serial              atomic.Int64
	prefix              string
	done                []runtime.ID // have a record
}

func newBench(b testing.TB) *bench {
	b.Helper()
	server, err := durable()
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(b) // skips, or fails in CI
	}
	must(b, err)
	x := &bench{wire: &wire{}}
	var random [4]byte
	_, _ = rand.Read(random[:])
	x.prefix = hex.EncodeToString(random[:])
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, server.URL)
	must(b, err)
	name := "bench_" + x.prefix
	_, err = admin.Exec(ctx, "CREATE DATABASE "+name)
	must(b, err)
	must(b, admin.Close(ctx))
	x.pool = pgtest.Open(b, strings.Replace(server.URL, "/postgres?", "/"+name+"?", 1), func(c *pgxpool.Config) {
		c.MaxConns = int32(benchConns)
		x.wire.attach(c)
	})
	must(b, pgstore.Migrate(ctx, x.pool, ""))
	execSQL(b, x.pool, `CREATE TABLE payments (id bigint PRIMARY KEY, account text NOT NULL, amount bigint NOT NULL, currency text NOT NULL)`)
	execSQL(b, x.pool, `CREATE TABLE naive_keys (account text, key text, fingerprint bytea NOT NULL, state smallint NOT NULL, status smallint, headers bytea, body bytea,
created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, PRIMARY KEY (account, key))`)
	x.store = open(b, x.pool)
	x.insertsFirst = open(b, x.pool, pgstore.WithStrategy(pgstore.InsertFirst))

	// Twice as many records as a store remembers, so that most replays are like those in another process.
	const records = 8192
	execSQL(b, x.pool, `INSERT INTO idempotency_keys SELECT clock_timestamp(), clock_timestamp() + interval '1 day', gen_random_uuid(), 201, 0, 1,
convert_to('9:acct_0001,13:createPayment', 'UTF8'), convert_to('done-' || i, 'UTF8'), sha256('x'), 'createPayment', $1, $2 FROM generate_series(1, $3::int) AS i`,
		pgstore.EncodeHeader(benchRecord().Header), benchRecord().Body, records)
	for i := range records {
		x.done = append(x.done, runtime.ID{Scope: "9:acct_0001,13:createPayment", Key: fmt.Sprint("done-", i+1)})
	}
	execSQL(b, x.pool, "VACUUM ANALYZE idempotency_keys")
	execSQL(b, x.pool, "CHECKPOINT")
	return x
}

// benchRecord has a body of 510 bytes and headers of 68, a usual answer.
func benchRecord() *runtime.Record {
	rec := recordOfBench
	return &rec
}

var recordOfBench = runtime.Record{
	Operation: "createPayment", FingerprintVersion: 1, Fingerprint: make([]byte, 32), Status: 201, Retention: 24 * time.Hour,
	Header: map[string][]string{"Content-Type": {"application/json"}, "Location": {"/payments/pay_01J8Z3V9QK4"}},
	Body:   []byte(`{"id":"pay_01J8Z3V9QK4","note":"` + strings.Repeat("x", 510-34) + `"}`),
}

// id is new at each call: a random key, the harder case for the index.
func (x *bench) id() runtime.ID {
	var random [16]byte
	_, _ = rand.Read(random[:])
	text := hex.EncodeToString(random[:])
	key := text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
	return runtime.ID{Scope: fmt.Sprintf("9:acct_%04d,13:createPayment", x.serial.Add(1)%100), Key: key}
}

func (x *bench) pay(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "INSERT INTO payments (id, account, amount, currency) VALUES ($1, $2, $3, $4)", x.serial.Add(1), "acct_0001", 1250, "EUR")
	return err
}

// bare is the transaction without protection.
func (x *bench) bare(ctx context.Context) error {
	tx, err := x.pool.Begin(ctx)
	if err != nil {
		return err
	}
	if err := x.pay(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback(ctx))
	}
	return tx.Commit(ctx)
}

// naive is the usual protected transaction: insert the key, look at it, work, update it.
func (x *bench) naive(ctx context.Context) error {
	id, rec := x.id(), benchRecord()
	tx, err := x.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "INSERT INTO naive_keys (account, key, fingerprint, state, expires_at) VALUES ($1, $2, $3, 0, now() + interval '1 day') ON CONFLICT DO NOTHING",
		id.Scope, id.Key, rec.Fingerprint); err != nil {
		return err
	}
	var state int16
	if err := tx.QueryRow(ctx, "SELECT state FROM naive_keys WHERE account = $1 AND key = $2 FOR UPDATE", id.Scope, id.Key).Scan(&state); err != nil {
		return err
	}
	if err := x.pay(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE naive_keys SET state = 1, status = $3, headers = $4, body = $5 WHERE account = $1 AND key = $2",
		id.Scope, id.Key, int16(rec.Status), pgstore.EncodeHeader(rec.Header), rec.Body); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (x *bench) first(store *pgstore.Store) func(context.Context) error {
	return x.firstOf(store, (*bench).id)
}

func (x *bench) firstOf(store *pgstore.Store, next func(*bench) runtime.ID) func(context.Context) error {
	return func(ctx context.Context) error {
		claim, err := store.Claim(ctx, next(x), 0)
		if err != nil {
			return err
		}
		if claim.Work == nil {
			return errors.New("a new id was not won")
		}
		if err := x.pay(ctx, claim.Work.Tx()); err != nil {
			return errors.Join(err, claim.Work.Rollback(ctx))
		}
		return claim.Work.Commit(ctx, benchRecord())
	}
}

// replaysOf answers from a record: of one id again and again, which the store remembers, or of many, which it does not.
func replaysOf(store *pgstore.Store, ids []runtime.ID) func(context.Context) error {
	var next atomic.Int64
	return func(ctx context.Context) error {
		claim, err := store.Claim(ctx, ids[next.Add(1)%int64(len(ids))], 0)
		if err == nil && claim.Record == nil {
			err = errors.New("no record")
		}
		return err
	}
}

type flow struct {
	name string
	run  func(context.Context) error
}

func (x *bench) flows() []flow {
	return []flow{
		{"bare", x.bare},
		{"naive", x.naive},
		{"claim", x.first(x.store)},
		{"insert-first", x.first(x.insertsFirst)},
		{"replay", replaysOf(x.store, x.done[:1])},
		{"replay-elsewhere", replaysOf(x.store, x.done)},
	}
}

// result is what one flow did in one round.
type result struct {
	perSecond float64
	p50       time.Duration
}

// measure runs f from so many clients for a while.
func measure(b testing.TB, f func(context.Context) error, clients int, length time.Duration) result {
	b.Helper()
	ctx := context.Background()
	latencies := make([][]time.Duration, clients)
	errs := make([]error, clients)
	start := time.Now()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for now := time.Now(); now.Sub(start) < length; {
				if errs[c] = f(ctx); errs[c] != nil {
					return
				}
				end := time.Now()
				latencies[c] = append(latencies[c], end.Sub(now))
				now = end
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	must(b, errors.Join(errs...))
	every := slices.Concat(latencies...)
	slices.Sort(every)
	return result{perSecond: float64(len(every)) / took.Seconds(), p50: every[len(every)/2]}
}

// compare runs the flows in alternating rounds; the first flow is the one the ratios are to.
func compare(b *testing.B, flows []flow, clients int) {
	b.Helper()
	for _, f := range flows { // prepare statements, open connections, fill caches
		measure(b, f.run, clients, 50*time.Millisecond)
	}
	p50s, rates := make([][]float64, len(flows)), make([][]float64, len(flows))
	var bareP50, bareRate []float64
	for r := range *rounds {
		results := make([]result, len(flows))
		for i := range flows {
			turn := (i + r) % len(flows)
			results[turn] = measure(b, flows[turn].run, clients, *roundTime)
		}
		bareP50 = append(bareP50, float64(results[0].p50.Microseconds()))
		bareRate = append(bareRate, results[0].perSecond)
		for i := range flows {
			p50s[i] = append(p50s[i], float64(results[i].p50)/float64(results[0].p50))
			rates[i] = append(rates[i], results[i].perSecond/results[0].perSecond)
		}
	}
	b.ReportMetric(0, "ns/op") // one op is the whole comparison
	b.ReportMetric(median(bareP50), "bare-p50-µs")
	b.ReportMetric(median(bareRate), "bare/s")
	for i, f := range flows[1:] {
		b.ReportMetric(median(p50s[i+1]), f.name+"-p50/bare")
		b.ReportMetric(median(rates[i+1]), f.name+"-rate/bare")
		b.Logf("%-18s p50 %s   rate %s", f.name, spread(p50s[i+1]), spread(rates[i+1]))
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func spread(values []float64) string {
	sorted := slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%.2f (%.2f-%.2f)", sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1])
}
