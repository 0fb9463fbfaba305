package pgstore_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

var largeKeys = flag.Int("pgstore.keys", 10_000_000, "live records of the larger table of BenchmarkLargeTable")

// recent is how many records are replayed that the server has just read. Their pages fit into its memory many times.
const recent = 512

// Keys as a table holds them, made by SQL for the number i: UUIDs of version 4, and such as version 7 has, which begin with
// the time, here a millisecond for ten keys.
const (
	randomKey  = `'\xff'::bytea || uuid_send(gen_random_uuid())`
	orderedKey = `'\xff'::bytea || substr(int8send((extract(epoch FROM now()) * 1000)::bigint - 86400000 + i / 10), 3) || set_byte(substr(uuid_send(gen_random_uuid()), 7), 0, 112 + i % 16)`
)

// BenchmarkLargeTable prints what a first request and a replay take in a table of ten million live records, as a ratio to a
// table of ten thousand, with random and with time-ordered keys. A retry comes soon after its first request, whose pages are
// in memory then: "replay" is that. "cold" is a replay of any record of the whole table, which the server has to read from
// disk, or from the system's cache, where the table is larger than the server's own.
//
//	go test -run xxx -bench LargeTable -benchtime 1x -timeout 2h ./runtime/pgstore -pgstore.large
func BenchmarkLargeTable(b *testing.B) {
	if !*large {
		b.Skip("it takes gigabytes: -pgstore.large")
	}
	for _, keys := range []struct {
		name, sql string
		fill      int // of the index's pages, in percent, as inserts in this order leave them
		next      func(*bench) runtime.ID
	}{
		{"random", randomKey, 69, (*bench).id},
		{"ordered", orderedKey, 90, (*bench).orderedID},
	} {
		b.Run("keys="+keys.name, func(b *testing.B) {
			x := newBench(b)
			first := map[string]func(context.Context) error{}
			replays := map[string]func(context.Context) error{}
			cold := map[string]func(context.Context) error{}
			for _, table := range []struct {
				name string
				rows int
			}{{"small_keys", 10_000}, {"large_keys", *largeKeys}} {
				must(b, pgstore.Migrate(context.Background(), x.pool, table.name))
				execSQL(b, x.pool, "ALTER TABLE "+table.name+" DROP CONSTRAINT "+table.name+"_pkey")
				x.fill(b, table.name, keys.sql, table.rows, 24*time.Hour)
				execSQL(b, x.pool, fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (scope, key) WITH (fillfactor = %d)", table.name, keys.fill))
				execSQL(b, x.pool, "VACUUM ANALYZE "+table.name)
				store := open(b, x.pool, pgstore.WithTable(table.name))
				first[table.name] = x.firstOf(store, keys.next)
				ids := x.some(b, table.name, 8192)
				cold[table.name] = replaysOf(store, ids[recent:])
				replays[table.name] = replaysOf(store, ids[:recent])
				for range recent {
					must(b, replays[table.name](context.Background()))
				}
				var bytes int64
				must(b, x.pool.QueryRow(context.Background(), "SELECT pg_total_relation_size($1::text::regclass)", table.name).Scan(&bytes))
				b.Logf("%s: %d records, %d MiB", table.name, table.rows, bytes>>20)
			}
			execSQL(b, x.pool, "CHECKPOINT")
			_ = exec.Command("sync").Run() // or the system writes the tables out beside the rounds
			x.pages(b, "first", first)
			x.pages(b, "replay", replays)
			for _, clients := range []int{1, 8} {
				for _, c := range []struct {
					name string
					of   map[string]func(context.Context) error
				}{{"first", first}, {"replay", replays}, {"cold", cold}} {
					b.Run(fmt.Sprintf("%s/clients=%d", c.name, clients), func(b *testing.B) {
						compare(b, []flow{{"small", c.of["small_keys"]}, {"large", c.of["large_keys"]}}, clients)
					})
				}
			}
		})
	}
}

// pages prints how many pages of each table and its index a request reads. Unlike time it does not depend on the machine. A
// connection that is idle tells its counts after ten seconds.
func (x *bench) pages(b *testing.B, name string, flows map[string]func(context.Context) error) {
	b.Helper()
	ctx := context.Background()
	count := func(table string) (heap, index int64) {
		time.Sleep(11 * time.Second)
		must(b, x.pool.QueryRow(ctx, `SELECT heap_blks_hit + heap_blks_read, idx_blks_hit + idx_blks_read FROM pg_statio_user_tables WHERE relid = $1::text::regclass`, table).Scan(&heap, &index))
		return heap, index
	}
	const requests = 1000
	for _, table := range slices.Sorted(maps.Keys(flows)) {
		heap, index := count(table)
		for range requests {
			must(b, flows[table](ctx))
		}
		heapThen, indexThen := count(table)
		b.Logf("%s, %s: %.2f pages of the table, %.2f of the index", name, table, float64(heapThen-heap)/requests, float64(indexThen-index)/requests)
	}
}

// fill writes records of a usual size to a table, for ten thousand accounts in no order.
func (x *bench) fill(b *testing.B, table, key string, rows int, left time.Duration) {
	b.Helper()
	const chunk = 500_000
	for from := 0; from < rows; from += chunk {
		execSQL(b, x.pool, `INSERT INTO `+table+` (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers, body)
SELECT clock_timestamp(), clock_timestamp() + make_interval(secs => $1::float8), gen_random_uuid(), 201, 0, 1,
convert_to('p9:acct_' || lpad((hashint4(i) & 8191)::text, 4, '0') || 'o13:createPayment', 'UTF8'), `+key+`, sha256(int4send(i)), 'createPayment', $2::bytea, $3::bytea
FROM generate_series($4::int, $5::int) AS i`,
			left.Seconds(), pgstore.EncodeHeader(benchRecord().Header), benchRecord().Body, from+1, min(from+chunk, rows))
	}
}

// some are ids of a table, from all over it.
func (x *bench) some(b *testing.B, table string, many int) (ids []runtime.ID) {
	b.Helper()
	rows, err := x.pool.Query(context.Background(), `SELECT convert_from(scope, 'UTF8'), encode(substr(key, 2), 'hex') FROM `+table+` TABLESAMPLE BERNOULLI (least(100, 200.0 * $1 / (SELECT reltuples FROM pg_class WHERE oid = $2::text::regclass))) LIMIT $1::int`, many, table)
	must(b, err)
	var scope, digits string
	_, err = pgx.ForEachRow(rows, []any{&scope, &digits}, func() error {
		ids = append(ids, runtime.ID{Scope: scope, Key: uuidText(digits)})
		return nil
	})
	must(b, err)
	return ids
}

func uuidText(digits string) string {
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// orderedID is new at each call, and begins with the time.
func (x *bench) orderedID() runtime.ID {
	var random [10]byte
	_, _ = rand.Read(random[:])
	random[0] = 0x70 | random[0]&0x0f
	return runtime.ID{Scope: fmt.Sprintf("p9:acct_%04do13:createPayment", x.serial.Add(1)%8192), Key: uuidText(fmt.Sprintf("%012x", time.Now().UnixMilli()) + hex.EncodeToString(random[:]))}
}
