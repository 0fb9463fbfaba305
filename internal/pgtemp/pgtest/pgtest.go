package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

// ServerEnv names the environment variable that holds the URL of a server to use instead of starting one. Databases
// named idemgen_test_* are created in it and dropped; it may ask for a role that may create databases.
const ServerEnv = "IDEMGEN_TEST_DATABASE_URL"

const startTimeout = 60 * time.Second

// server starts the one server of this test binary. It is never stopped by us: it ends with the process.
var server = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(ServerEnv); given != "" {
		return given, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	started, err := pgtemp.Start(ctx, pgtemp.Options{})
	if err != nil {
		return "", err
	}
	return started.URL, nil
})

var databases, pools atomic.Int64

// URL makes an empty database for tb and returns how to connect to it as its owner.
func URL(tb testing.TB) string {
	tb.Helper()
	admin, err := server()
	if err != nil {
		giveUp(tb, err)
	}
	name := fmt.Sprintf("idemgen_test_%d_%d", os.Getpid(), databases.Add(1))
	run(tb, admin, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	tb.Cleanup(func() { run(tb, admin, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)") })
	return withDatabase(tb, admin, name)
}

// Pool makes an empty database for tb and returns a pool on it that is closed when tb ends. change, when not nil, may
// alter the pool's configuration.
func Pool(tb testing.TB, change func(*pgxpool.Config)) *pgxpool.Pool {
	tb.Helper()
	return Open(tb, URL(tb), change)
}

// Open returns a pool on a database that [URL] made, closed when tb ends. Its sessions have an application_name of their
// own, by which they can be told from those of another pool.
func Open(tb testing.TB, databaseURL string, change func(*pgxpool.Config)) *pgxpool.Pool {
	tb.Helper()
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = fmt.Sprintf("pool %d", pools.Add(1))
	if change != nil {
		change(config)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closePool(tb, pool) })
	return pool
}

// closePool does not wait for ever for connections that a failed test has left in use.
func closePool(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		tb.Errorf("%d connections were not given back to their pool", pool.Stat().AcquiredConns())
	}
}

// giveUp skips tb where PostgreSQL is simply not there, unless this is CI, and fails it for any other error.
func giveUp(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, pgtemp.ErrNotFound) && os.Getenv("CI") != "true" {
		tb.Skip(err)
	}
	tb.Fatal(err)
}

func run(tb testing.TB, databaseURL, sql string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		tb.Fatalf("connect to the test server: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

func withDatabase(tb testing.TB, server, name string) string {
	tb.Helper()
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatalf("%s has to be a URL: %v", ServerEnv, err)
	}
	u.Path = "/" + name
	return u.String()
}
