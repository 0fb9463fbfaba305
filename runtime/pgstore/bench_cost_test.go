package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkCost prints what one request of each flow takes of everything that can be counted: round trips on the socket,
// commits, records and bytes of write-ahead log, allocations of this process, and processor time of both sides (Linux).
// Unlike latency these hardly depend on how busy the machine is.
//
//	go test -run xxx -bench Cost -benchtime 1x ./runtime/pgstore
func BenchmarkCost(b *testing.B) {
	x := newBench(b)
	execSQL(b, x.pool, "CREATE EXTENSION IF NOT EXISTS pg_walinspect")
	for _, f := range x.flows() {
		b.Run(f.name, func(b *testing.B) { x.reportCost(b, f.run) })
	}
}

// reportCost reports what one run takes, as the mean of many, one after the other.
func (x *bench) reportCost(b *testing.B, run func(context.Context) error) {
	b.Helper()
	const requests = 3000
	ctx := context.Background()
	for range 200 {
		must(b, run(ctx))
	}
	quiet(b, x.pool)
	from, transactions := x.walPosition(b), x.transactions(b)
	server, writes := x.serverTime(b), x.wire.writes.Load()
	allocations, client := mallocs(), processorTime("self")
	for range requests {
		must(b, run(ctx))
	}
	client = processorTime("self") - client
	allocations = mallocs() - allocations
	writes = x.wire.writes.Load() - writes
	quiet(b, x.pool)
	server = x.serverTime(b) - server
	wal := x.wal(b, from)
	n := float64(requests)
	b.ReportMetric(0, "ns/op") // see BenchmarkTransaction
	b.ReportMetric(float64(allocations)/n, "mallocs/op")
	b.ReportMetric(float64(writes)/n, "writes/op")
	b.ReportMetric((x.transactions(b)-transactions-5)/n, "transactions/op") // five questions of ours
	b.ReportMetric(wal.commits/n, "commits/op")
	b.ReportMetric(wal.records/n, "wal-records/op")
	b.ReportMetric(wal.bytes/n, "wal-B/op")
	if client > 0 {
		b.ReportMetric(float64(client.Microseconds())/n, "client-cpu-µs/op")
		b.ReportMetric(float64(server.Microseconds())/n, "server-cpu-µs/op")
	}
}

func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}

func (x *bench) walPosition(b *testing.B) (lsn string) {
	b.Helper()
	must(b, x.pool.QueryRow(context.Background(), "SELECT pg_current_wal_flush_lsn()::text").Scan(&lsn))
	return lsn
}

// written is what was written ahead.
type written struct {
	commits float64 // of transactions that wrote something
	records float64
	bytes   float64
}

// wal counts since from, without images of whole pages, which depend on when the last checkpoint was.
func (x *bench) wal(b *testing.B, from string) (w written) {
	b.Helper()
	execSQL(b, x.pool, "SELECT pg_switch_wal()") // flushes, so that all can be read
	if x.walPosition(b) == from {
		return w
	}
	must(b, x.pool.QueryRow(context.Background(),
		`SELECT coalesce(sum(count) FILTER (WHERE "resource_manager/record_type" LIKE 'Transaction/COMMIT%'), 0)::float8, coalesce(sum(count), 0)::float8, coalesce(sum(record_size), 0)::float8
FROM pg_get_wal_stats($1::pg_lsn, pg_current_wal_flush_lsn(), true) WHERE "resource_manager/record_type" NOT SIMILAR TO '(XLOG|Standby)/%'`,
		from).Scan(&w.commits, &w.records, &w.bytes))
	return w
}

// transactions counts those that have ended well, those that only read included.
func (x *bench) transactions(b *testing.B) (n float64) {
	b.Helper()
	time.Sleep(1100 * time.Millisecond) // sessions report their statistics once a second
	for range 2 {
		must(b, x.pool.QueryRow(context.Background(), "SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
	}
	return n
}

// serverTime is the processor time of this pool's sessions.
func (x *bench) serverTime(b *testing.B) (total time.Duration) {
	b.Helper()
	rows, err := x.pool.Query(context.Background(), "SELECT pid FROM pg_stat_activity WHERE application_name = current_setting('application_name')")
	must(b, err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		must(b, rows.Scan(&pid))
		total += processorTime(strconv.Itoa(pid))
	}
	must(b, rows.Err())
	return total
}

// processorTime sums the run time of a process's threads, in nanoseconds as the scheduler counts it; 0 where the system
// does not say.
func processorTime(pid string) (total time.Duration) {
	if runtime.GOOS != "linux" {
		return 0
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%s/task", pid))
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%s/task/%s/schedstat", pid, task.Name()))
		if err != nil {
			continue
		}
		ns, _ := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		total += time.Duration(ns)
	}
	return total
}
