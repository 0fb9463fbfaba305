package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// seeded writes records whose keys begin with a word: so many, which expire that long from now.
func seeded(tb testing.TB, pool *pgxpool.Pool, word string, records int, left time.Duration) {
	tb.Helper()
	execSQL(tb, pool, `INSERT INTO idempotency_keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, body)
SELECT clock_timestamp() - interval '2 days', clock_timestamp() + make_interval(secs => $1::float8), gen_random_uuid(), 201, 0, 1,
	convert_to('p9:acct_0001o13:createPayment', 'UTF8'), convert_to($2 || '-' || i, 'UTF8'), sha256('x'), 'createPayment', '', convert_to(repeat('x', 400), 'UTF8')
FROM generate_series(1, $3::int) AS i`, left.Seconds(), word, records)
}

// inProgress writes records of work in progress, as lease mode has them.
func inProgress(tb testing.TB, pool *pgxpool.Pool, word string, records int) {
	tb.Helper()
	seeded(tb, pool, word, records, time.Hour)
	execSQL(tb, pool, `UPDATE idempotency_keys SET status = 0, expires_at = 'infinity', body_state = 1, body = NULL WHERE starts_with(encode(key, 'escape'), $1)`, word+"-")
}

func purger(tb testing.TB, store *pgstore.Store, opts ...pgstore.PurgeOption) *pgstore.Purger {
	tb.Helper()
	p, err := pgstore.NewPurger(store, append([]pgstore.PurgeOption{pgstore.WithPurgeRate(1e6), pgstore.WithPurgeReading(1 << 30)}, opts...)...)
	must(tb, err)
	return p
}

func countWhere(tb testing.TB, pool *pgxpool.Pool, condition string) int {
	tb.Helper()
	return count(tb, pool, "idempotency_keys WHERE "+condition)
}

var walks = []struct {
	name string
	walk pgstore.PurgeWalk
}{{"auto", pgstore.PurgeAuto}, {"by page", pgstore.PurgeByPage}, {"by key", pgstore.PurgeByKey}}

// X1: a pass deletes all that has expired, wherever it begins, and nothing that is live or in progress.
func TestPurger_X1_DeletesWhatHasExpiredAndNothingElse(t *testing.T) {
	for _, v := range walks {
		for _, from := range []float64{0, 0.3, 0.999} {
			t.Run(fmt.Sprint(v.name, " from ", from), func(t *testing.T) {
				pool := pgtest.Open(t, database(t), nil)
				store, ctx := open(t, pool), context.Background()
				for i := range 3 { // in turns, so that each page has some of each
					seeded(t, pool, fmt.Sprint("expired", i), 700, -3*time.Hour)
					seeded(t, pool, fmt.Sprint("live", i), 50, time.Hour)
					inProgress(t, pool, fmt.Sprint("working", i), 20)
				}
				p := purger(t, store, pgstore.WithPurgeWalk(v.walk), pgstore.WithPurgeBatch(100))
				pgstore.PurgeFrom(p, from)

				event, err := p.Once(ctx)
				must(t, err)
				if event.Deleted != 2100 || !event.Ended || event.Done != 1 || event.Batches < 21 {
					t.Errorf("event = %+v", event)
				}
				if event.Lag < 3*time.Hour || event.Lag > 3*time.Hour+time.Minute {
					t.Errorf("lag = %v; the oldest had expired 3 hours ago", event.Lag)
				}
				if live, working := countWhere(t, pool, "status = 201"), countWhere(t, pool, "status = 0"); live != 150 || working != 60 {
					t.Errorf("%d live and %d in progress are left", live, working)
				}
				event, err = p.Once(ctx)
				must(t, err)
				if event.Deleted != 0 || event.Lag != 0 {
					t.Errorf("a second pass: %+v", event)
				}
				quiet(t, pool)
			})
		}
	}
}

// X1: however many batches a pass takes, it reads the table once.
func TestPurger_X1_ReadsTheTableOnce(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	seeded(t, pool, "expired", 5000, -time.Hour)
	seeded(t, pool, "live", 5000, time.Hour)
	p := purger(t, store, pgstore.WithPurgeBatch(20))
	read, batches := 0, 0
	pgstore.PurgeBatches(p, func(_ context.Context, _ pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
		b, err := real()
		read, batches = read+b.Read, batches+1
		return b, err
	})
	_, err := p.Once(ctx)
	must(t, err)
	var size int
	must(t, pool.QueryRow(ctx, "SELECT pg_relation_size('idempotency_keys')").Scan(&size))
	// A batch that ends within a page has it read again by the next.
	if batches < 250 || read > size+batches*8192 {
		t.Errorf("%d batches read %d bytes of %d", batches, read, size)
	}

	// And the server does what the sum says: it goes to the place, and does not read up to it.
	var plan strings.Builder
	rows, err := pool.Query(ctx, "EXPLAIN "+strings.NewReplacer("$1", "'(100,0)'", "$2", "'(120,0)'", "$3", "10").Replace(pgstore.PurgePagesSQL(store)))
	must(t, err)
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	must(t, rows.Err())
	if !strings.Contains(plan.String(), "Tid Range Scan") || !strings.Contains(plan.String(), "ctid > '(100,0)'") || strings.Contains(plan.String(), "Seq Scan") {
		t.Errorf("the plan:\n%s", &plan)
	}
}

// X1: what is written while a pass goes on stays: new records, and those that replace expired ones.
func TestPurger_X1_WhileRecordsAreWritten(t *testing.T) {
	for _, v := range walks {
		t.Run(v.name, func(t *testing.T) {
			pool := pgtest.Open(t, database(t), nil)
			store, ctx := open(t, pool), context.Background()
			ids := make([]runtime.ID, 200)
			for i := range ids {
				ids[i] = newID()
				complete(t, store, ids[i], newRecord())
			}
			expireAll(t, pool)
			p := purger(t, store, pgstore.WithPurgeWalk(v.walk), pgstore.WithPurgeBatch(10))
			newest := map[runtime.ID]*runtime.Record{}
			turn := 0
			pgstore.PurgeBatches(p, func(_ context.Context, _ pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
				for _, id := range []runtime.ID{newID(), ids[len(ids)-1-turn*7%len(ids)], ids[turn*3%len(ids)]} {
					if newest[id] == nil {
						newest[id] = newRecord()
						must(t, payOnce(ctx, store, id, newest[id]))
					}
				}
				turn++
				return real()
			})
			event, err := p.Once(ctx)
			must(t, err)
			for id, rec := range newest {
				if replay(t, store, id).Attempt != rec.Attempt {
					t.Errorf("%v has another record", id)
				}
			}
			if left := count(t, pool, "idempotency_keys"); left != len(newest) || turn < 10 {
				t.Errorf("%d records are left and %d were written, in %d batches: %+v", left, len(newest), turn, event)
			}
			quiet(t, pool)
		})
	}
}

// X1: several purgers at once delete each record once.
func TestPurger_X1_SeveralAtOnce(t *testing.T) {
	for _, v := range walks {
		t.Run(v.name, func(t *testing.T) {
			pool := pgtest.Open(t, database(t), nil)
			store, ctx := open(t, pool), context.Background()
			const records = 4000
			seeded(t, pool, "expired", records, -time.Hour)
			seeded(t, pool, "live", 100, time.Hour)
			var all sync.WaitGroup
			var deleted atomic.Int64
			for range 4 {
				p := purger(t, store, pgstore.WithPurgeWalk(v.walk), pgstore.WithPurgeBatch(50))
				all.Go(func() {
					event, err := p.Once(ctx)
					deleted.Add(event.Deleted)
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			event, err := purger(t, store, pgstore.WithPurgeWalk(v.walk)).Once(ctx) // what two of them had skipped
			must(t, err)
			if n := deleted.Load() + event.Deleted; n != records || count(t, pool, "idempotency_keys") != 100 {
				t.Errorf("%d deleted of %d, %d left", n, records, count(t, pool, "idempotency_keys"))
			}
		})
	}
}

// X1: a record that a claim is replacing at the moment is passed over, and the claim is not waited for.
func TestPurger_X1_PassesOverWhatAClaimHolds(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool, pgstore.WithStrategy(pgstore.InsertFirst)), context.Background()
	id := newID()
	complete(t, store, id, newRecord())
	expireAll(t, pool)
	seeded(t, pool, "expired", 50, -time.Hour)
	work := claim(t, store, id) // it has deleted the expired record, and not committed
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	event, err := purger(t, store, pgstore.WithPurgeWalk(pgstore.PurgeByPage)).Once(bounded)
	if err != nil || event.Deleted != 50 || event.Skipped != 0 {
		t.Errorf("event = %+v, %v", event, err)
	}
	// By key it waits a second and gives the batch up.
	seeded(t, pool, "again", 50, -time.Hour)
	event, err = purger(t, store, pgstore.WithPurgeWalk(pgstore.PurgeByKey)).Once(ctx)
	if err != nil || event.Skipped > 1 {
		t.Errorf("event = %+v, %v", event, err)
	}
	rec := newRecord()
	must(t, pay(ctx, work.Tx()))
	must(t, work.Commit(ctx, rec))
	if replay(t, store, id).Attempt != rec.Attempt {
		t.Error("another record")
	}
	quiet(t, pool)
}

// X1: while purgers run, requests with other ids are served, and an expired id is new to each of them.
func TestPurger_X1_ClaimsGoOn(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	seeded(t, pool, "expired", 3000, -time.Hour)
	var passes atomic.Int64
	var purgers sync.WaitGroup
	for range 2 {
		p := purger(t, store, pgstore.WithPurgeBatch(25), pgstore.WithPurgeInterval(time.Millisecond), pgstore.WithPurgeObserver(func(e pgstore.PurgeEvent) {
			if e.Err != nil && ctx.Err() == nil {
				t.Error(e.Err)
			}
			if e.Ended {
				passes.Add(1)
			}
		}))
		purgers.Go(func() { must(t, p.Run(ctx)) })
	}
	for i := 0; i < 300 || passes.Load() < 4; i++ {
		id := newID()
		if i < 3000 && i%2 == 0 {
			id = runtime.ID{Scope: "p9:acct_0001o13:createPayment", Key: fmt.Sprint("expired-", 3000-i)}
		}
		rec := newRecord()
		if err := payOnce(ctx, store, id, rec); err != nil {
			t.Fatal(err)
		}
		if replay(t, store, id).Attempt != rec.Attempt {
			t.Fatalf("%v has another record", id)
		}
	}
	stop()
	purgers.Wait()
	if n := countWhere(t, pool, "expires_at <= clock_timestamp()"); n != 0 {
		t.Errorf("%d expired records are left", n)
	}
	quiet(t, pool)
}

// X1: without any purge, what has expired is absent.
func TestPurger_X1_IsNotNeeded(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	seeded(t, pool, "expired", 1, -time.Millisecond)
	work := claim(t, store, runtime.ID{Scope: "p9:acct_0001o13:createPayment", Key: "expired-1"})
	must(t, work.Rollback(context.Background()))
}

// Bodies that PostgreSQL keeps in a table beside (TOAST) go with their records.
func TestPurger_LargeBodies(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	seeded(t, pool, "expired", 60, -time.Hour)
	execSQL(t, pool, `UPDATE idempotency_keys SET body = (SELECT string_agg(sha256(key || int4send(i)), '') FROM generate_series(1, 2000) AS i)`)
	event, err := purger(t, store).Once(ctx)
	if err != nil || event.Deleted != 60 {
		t.Errorf("event = %+v, %v", event, err)
	}
	var chunks int
	var toast string
	must(t, pool.QueryRow(ctx, "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'idempotency_keys'::regclass").Scan(&toast))
	must(t, pool.QueryRow(ctx, "SELECT count(*) FROM "+toast).Scan(&chunks))
	if chunks != 0 {
		t.Errorf("%d pieces of bodies are left", chunks)
	}
}

// A table in partitions has no order of pages; one of another name and a session of another isolation level work.
func TestPurger_PartitionsAndIsolation(t *testing.T) {
	pool := pgtest.Open(t, database(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_isolation"] = "serializable"
	})
	ctx := context.Background()
	execSQL(t, pool, `CREATE SCHEMA "Billing TABLE"`)
	execSQL(t, pool, `CREATE TABLE "Billing TABLE"."Keys TABLE" (LIKE idempotency_keys, PRIMARY KEY (scope, key)) PARTITION BY HASH (scope)`)
	for i := range 3 {
		execSQL(t, pool, fmt.Sprintf(`CREATE TABLE part_%d PARTITION OF "Billing TABLE"."Keys TABLE" FOR VALUES WITH (MODULUS 3, REMAINDER %d)`, i, i))
	}
	seeded(t, pool, "expired", 300, -time.Hour)
	seeded(t, pool, "live", 30, time.Hour)
	execSQL(t, pool, `INSERT INTO "Billing TABLE"."Keys TABLE" SELECT * FROM idempotency_keys`)
	execSQL(t, pool, `UPDATE "Billing TABLE"."Keys TABLE" SET scope = scope || substr(key, 1, 9)`)
	event, err := purger(t, open(t, pool, pgstore.WithTable("Billing TABLE.Keys TABLE"))).Once(ctx)
	if err != nil || event.Deleted != 300 {
		t.Errorf("event = %+v, %v", event, err)
	}
	if event, err = purger(t, open(t, pool)).Once(ctx); err != nil || event.Deleted != 300 {
		t.Errorf("event = %+v, %v", event, err)
	}
	if _, err = purger(t, open(t, pool, pgstore.WithTable("no such"))).Once(ctx); err == nil {
		t.Error("a table that is not there is purged")
	}
}

// virtual is a clock that moves by sleeping, and by what batches are said to take.
type virtual struct{ now time.Time }

func (v *virtual) sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		v.now = v.now.Add(d)
	}
	return ctx.Err()
}

// X1: the budget of records and the budget of reading hold over any stretch of time, whatever a batch takes.
func TestPurger_X1_KeepsWithinItsBudget(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	seeded(t, pool, "live", 1000, time.Hour)
	for _, c := range []struct {
		name          string
		rate, reading int
		takes         time.Duration
	}{
		{"records", 200, 1 << 30, 0},
		{"reading", 1e6, 100 << 10, 0},
		{"slow batches", 200, 100 << 10, 40 * time.Millisecond},
		{"a small rate", 3, 1 << 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := purger(t, store, pgstore.WithPurgeRate(c.rate), pgstore.WithPurgeReading(c.reading), pgstore.WithPurgeBatch(500))
			clock := &virtual{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			began := clock.now
			pgstore.PurgeClock(p, func() time.Time { return clock.now }, clock.sleep)
			var deleted, read, batches int
			most, widest := 0, 0
			pgstore.PurgeBatches(p, func(_ context.Context, allowed pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
				seconds := clock.now.Sub(began).Seconds()
				if float64(deleted) > seconds*float64(c.rate)+1 || float64(read) > seconds*float64(c.reading)+1 {
					t.Errorf("%d deleted and %d bytes read within %.2f s", deleted, read, seconds)
				}
				b, err := real()
				b.Deleted = int64(allowed.Records) // as if all had expired
				deleted, read, batches = deleted+allowed.Records, read+b.Read, batches+1
				most, widest = max(most, allowed.Records), max(widest, allowed.Bytes)
				clock.now = clock.now.Add(c.takes)
				return b, err
			})
			event, err := p.Once(context.Background())
			must(t, err)
			if most > max(10, c.rate/10) && most > c.rate || widest > max(8192, c.reading/10) {
				t.Errorf("a batch was allowed %d records and %d bytes", most, widest)
			}
			if event.Elapsed != clock.now.Sub(began) || event.Batches != batches || event.Deleted != int64(deleted) {
				t.Errorf("event = %+v", event)
			}
		})
	}
}

// A batch that takes long is followed by a smaller one, and a quick one by a larger.
func TestPurger_BatchesFollowTheirTime(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	seeded(t, pool, "live", 4000, time.Hour)
	p := purger(t, store)
	clock := &virtual{now: time.Now()}
	pgstore.PurgeClock(p, func() time.Time { return clock.now }, clock.sleep)
	var sizes []int
	pgstore.PurgeBatches(p, func(_ context.Context, allowed pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
		sizes = append(sizes, allowed.Records)
		if len(sizes) < 4 {
			clock.now = clock.now.Add(80 * time.Millisecond)
		}
		_, err := real()
		return pgstore.PurgeBatch{Read: 8192}, err
	})
	_, err := p.Once(context.Background())
	must(t, err)
	if len(sizes) < 5 || sizes[1] != sizes[0]/2 || sizes[3] >= sizes[2] || sizes[4] != 2*sizes[3] {
		t.Errorf("batches of %v records", sizes)
	}
}

// The end of the context lets a batch finish, ends the pass, and Run without an error.
func TestPurger_EndsWithTheContext(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	seeded(t, pool, "expired", 500, -time.Hour)
	ctx, cancel := context.WithCancel(context.Background())
	var last pgstore.PurgeEvent
	p := purger(t, store, pgstore.WithPurgeBatch(20), pgstore.WithPurgeInterval(time.Nanosecond), pgstore.WithPurgeObserver(func(e pgstore.PurgeEvent) { last = e }))
	pgstore.PurgeBatches(p, func(_ context.Context, _ pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
		cancel()
		return real()
	})
	if err := p.Run(ctx); err != nil {
		t.Error(err)
	}
	if last.Deleted != 20 || last.Batches != 1 || !last.Ended || !errors.Is(last.Err, context.Canceled) {
		t.Errorf("the last event is %+v", last)
	}
	if _, err := p.Once(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if n := count(t, pool, "idempotency_keys"); n != 480 {
		t.Errorf("%d records", n)
	}
	quiet(t, pool)
}

// A batch that meets another transaction is left for the next pass; a database that is down ends the pass, and not Run.
func TestPurger_Errors(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	seeded(t, pool, "expired", 300, -time.Hour)
	down := errors.New("no connection")
	for _, c := range []struct {
		name    string
		fails   func(batch int) error
		skipped int
		err     error
	}{
		{"a serialization failure", func(batch int) error {
			if batch == 2 {
				return &pgconn.PgError{Code: "40001"}
			}
			return nil
		}, 1, nil},
		{"a deadline each time", func(int) error { return context.DeadlineExceeded }, 3, context.DeadlineExceeded},
		{"no connection", func(int) error { return down }, 0, down},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := purger(t, store, pgstore.WithPurgeBatch(10), pgstore.WithPurgeReading(81920))
			clock := &virtual{now: time.Now()}
			pgstore.PurgeClock(p, func() time.Time { return clock.now }, clock.sleep)
			batch := 0
			pgstore.PurgeBatches(p, func(_ context.Context, _ pgstore.PurgeBatch, real func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
				batch++
				if err := c.fails(batch); err != nil {
					return pgstore.PurgeBatch{}, err
				}
				return real()
			})
			event, err := p.Once(ctx)
			if !errors.Is(err, c.err) || event.Skipped != c.skipped || event.Err != err {
				t.Errorf("event = %+v, %v", event, err)
			}
		})
	}
	passes, stopped := 0, errors.New("stopped")
	p := purger(t, store, pgstore.WithPurgeObserver(func(pgstore.PurgeEvent) { passes++ }))
	pgstore.PurgeBatches(p, func(context.Context, pgstore.PurgeBatch, func() (pgstore.PurgeBatch, error)) (pgstore.PurgeBatch, error) {
		return pgstore.PurgeBatch{}, down
	})
	pgstore.PurgeClock(p, time.Now, func(context.Context, time.Duration) error {
		if passes == 3 {
			return stopped
		}
		return nil
	})
	if err := p.Run(ctx); err != nil || passes != 3 {
		t.Errorf("%d passes, %v", passes, err)
	}
}

func TestNewPurger_Options(t *testing.T) {
	store := open(t, pgtest.Open(t, database(t), nil))
	for name, opt := range map[string]pgstore.PurgeOption{
		"no pause": pgstore.WithPurgeInterval(0), "no rate": pgstore.WithPurgeRate(0), "no reading": pgstore.WithPurgeReading(0),
		"no batch": pgstore.WithPurgeBatch(0), "no observer": pgstore.WithPurgeObserver(nil), "no walk": pgstore.WithPurgeWalk(7),
	} {
		if _, err := pgstore.NewPurger(store, opt); err == nil || !strings.Contains(err.Error(), "WithPurge") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pgstore.NewPurger(nil); err == nil {
		t.Error("no store is fine")
	}
}
