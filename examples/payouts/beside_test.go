package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// logged has what is logged during a test kept.
func logged(t *testing.T) *buffer {
	t.Helper()
	out, before := &buffer{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return out
}

type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// X1: the service purges expired keys beside its server, and stops with it.
func TestBeside_X1_Purges(t *testing.T) {
	s := onPostgres(t)
	t.Cleanup(s.close)
	if s.purger == nil {
		t.Fatal("the service has no purger")
	}
	var err error
	if s.purger, err = pgstore.NewPurger(s.store.(*pgstore.Store), pgstore.WithPurgeInterval(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := &drill{client: http.DefaultClient}
	if err := d.start(ctx, s, http.DefaultTransport); err != nil {
		t.Fatal(err)
	}
	if r := d.pay(ctx, newKey(), order); r.status != http.StatusCreated {
		t.Fatalf("%d %s %v", r.status, r.body, r.err)
	}
	pool := s.ledger.(sqlLedger).pool
	if n := keys(ctx, t, pool); n != 1 {
		t.Fatalf("%d keys", n)
	}
	if _, err := pool.Exec(ctx, "UPDATE idempotency_keys SET expires_at = now() - interval '1 s'"); err != nil {
		t.Fatal(err)
	}
	for keys(ctx, t, pool) > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

func keys(ctx context.Context, t *testing.T, pool *pgxpool.Pool) (n int) {
	t.Helper()
	if err := pool.QueryRow(ctx, "SELECT count(*) FROM idempotency_keys").Scan(&n); err != nil {
		t.Fatal(err) // after a minute, too
	}
	return n
}

// What a purge that the end of the service ended came to is no warning.
func TestTellPurge_X1(t *testing.T) {
	log := logged(t)
	for _, e := range []pgstore.PurgeEvent{
		{Deleted: 1},
		{Ended: true, Err: fmt.Errorf("purge: %w", context.Canceled)},
		{Ended: true, Deleted: 7},
		{Ended: true, Err: errors.New("connection refused")},
	} {
		tellPurge(e)
	}
	if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "level=INFO msg=\"purge of expired keys\" deleted=7") || !strings.Contains(text, "level=WARN") {
		t.Errorf("log:\n%s", text)
	}
}

// What becomes of requests and steps is in the service's log, with no key.
func TestServe_LogsWhatBecomesOfRequests(t *testing.T) {
	log := logged(t)
	s := openMemory()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := &drill{client: http.DefaultClient}
	if err := d.start(ctx, s, http.DefaultTransport); err != nil {
		t.Fatal(err)
	}
	key := newKey()
	d.pay(ctx, key, order)
	text := log.String()
	for _, want := range []string{"operation=createPayout outcome=fresh status=201", "operation=createPayout step=transfer external=true outcome=done"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the log:\n%s", want, text)
		}
	}
	if strings.Contains(text, key) {
		t.Error("the key is in the log")
	}
}
