package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

var (
	oldKey = bytes.Repeat([]byte{1}, 16)
	newKey = bytes.Repeat([]byte{2}, 32)
)

func sealer(t *testing.T, current string, keys map[string][]byte) *runtime.AESGCM {
	t.Helper()
	s, err := runtime.NewAESGCM(current, keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSealed_Conforms: a sealed store is a store, and keeps leases as one.
func TestSealed_Conforms(t *testing.T) {
	suite := storetest.Suite[pgx.Tx]{Open: func(t *testing.T) storetest.Instance[pgx.Tx] {
		c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		store := sealedBy(t, memstore.New(memstore.WithClock(c.Now)), sealer(t, "old", map[string][]byte{"old": oldKey}))
		var mu sync.Mutex
		effects := map[string]int{}
		return storetest.Instance[pgx.Tx]{
			Store: store, Other: store, Advance: c.Advance,
			Effect: func(_ context.Context, tx pgx.Tx, name string) error {
				return memstore.OnCommit(tx, func() {
					mu.Lock()
					defer mu.Unlock()
					effects[name]++
				})
			},
			Effects: func(_ *testing.T, name string) int {
				mu.Lock()
				defer mu.Unlock()
				return effects[name]
			},
		}
	}}
	storetest.Run(t, suite)
	storetest.RunLeases(t, suite)
}

func TestSealed_R8(t *testing.T) {
	ctx := context.Background()
	inner := memstore.New()
	one, two := runtime.ID{Scope: "s", Key: "1"}, runtime.ID{Scope: "s", Key: "2"}
	put := func(store runtime.Store[pgx.Tx], id runtime.ID, record runtime.Record) error {
		t.Helper()
		claim, err := store.Claim(ctx, id, 0)
		if err != nil || claim.Work == nil {
			t.Fatalf("%+v, %v", claim, err)
		}
		record.Retention = time.Hour
		return claim.Work.Commit(ctx, &record)
	}
	get := func(store runtime.Store[pgx.Tx], id runtime.ID) (string, error) {
		t.Helper()
		claim, err := store.Claim(ctx, id, 0)
		if err != nil {
			return "", err
		}
		if claim.Record == nil {
			t.Fatalf("%+v", claim)
		}
		if claim.Record.Unreadable != nil && claim.Record.Body != nil {
			t.Errorf("what does not open has a body: %q", claim.Record.Body)
		}
		return string(claim.Record.Body), claim.Record.Unreadable
	}
	sealed := func(current string, keys map[string][]byte) runtime.Store[pgx.Tx] {
		t.Helper()
		store, err := runtime.Sealed[pgx.Tx](inner, sealer(t, current, keys))
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	before := sealed("old", map[string][]byte{"old": oldKey})
	after := sealed("new", map[string][]byte{"old": oldKey, "new": newKey})
	if err := put(before, one, runtime.Record{Body: []byte("secret")}); err != nil {
		t.Fatal(err)
	}

	raw, err := get(inner, one)
	if err != nil || strings.Contains(raw, "secret") {
		t.Errorf("stored as %q, %v", raw, err)
	}
	for name, store := range map[string]runtime.Store[pgx.Tx]{"the same keys": before, "a newer key": after} {
		if got, err := get(store, one); err != nil || got != "secret" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := get(sealed("new", map[string][]byte{"new": newKey}), one); err == nil {
		t.Error("it opens without its key")
	}
	if _, err := get(sealed("old", map[string][]byte{"old": newKey}), one); err == nil {
		t.Error("it opens with another key of the same id")
	}

	// A body that was moved, cut or written before there was a sealer.
	if err := put(inner, two, runtime.Record{Body: []byte(raw)}); err != nil {
		t.Fatal(err)
	}
	if got, err := get(before, two); err == nil {
		t.Errorf("moved to another id it opens: %q", got)
	}
	later := memstore.New() // whose record of the same id another attempt wrote
	if err := put(later, one, runtime.Record{Body: []byte(raw), Attempt: [16]byte{1}}); err != nil {
		t.Fatal(err)
	}
	attempt, err := runtime.Sealed[pgx.Tx](later, sealer(t, "old", map[string][]byte{"old": oldKey}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(attempt, one); err == nil {
		t.Errorf("moved to another attempt's record it opens: %q", got)
	}
	for i, body := range []string{raw[:16], raw[:17], raw[:20], raw[:25], raw[:len(raw)-1]} {
		id := runtime.ID{Scope: "cut", Key: string(rune('a' + i))}
		if err := put(inner, id, runtime.Record{Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		if got, err := get(before, id); err == nil {
			t.Errorf("cut to %d bytes it opens: %q", len(body), got)
		}
	}
	plain := runtime.ID{Scope: "s", Key: "plain"}
	if err := put(inner, plain, runtime.Record{Body: []byte("plain")}); err != nil {
		t.Fatal(err)
	}
	if got, err := get(before, plain); err != nil || got != "plain" {
		t.Errorf("%q, %v", got, err)
	}

	// What cannot be sealed is not committed.
	failing, err := runtime.Sealed[pgx.Tx](inner, failingSealer{})
	if err != nil {
		t.Fatal(err)
	}
	id := runtime.ID{Scope: "s", Key: "failing"}
	if err := put(failing, id, runtime.Record{}); !errors.Is(err, errSealer) {
		t.Errorf("%v", err)
	}
	if claim, err := inner.Claim(ctx, id, 0); err != nil || claim.Work == nil {
		t.Errorf("%+v, %v", claim, err)
	}

	for _, keys := range []map[string][]byte{nil, {"old": oldKey}, {"new": {1, 2, 3}}} {
		if _, err := runtime.NewAESGCM("new", keys); err == nil {
			t.Errorf("keys %v are taken", keys)
		}
	}
	if _, err := runtime.Sealed[pgx.Tx](nil, failingSealer{}); err == nil {
		t.Error("no store is taken")
	}
	if _, err := runtime.Sealed[pgx.Tx](inner, nil); err == nil {
		t.Error("no sealer is taken")
	}
}

var errSealer = errors.New("no key")

type failingSealer struct{}

func (failingSealer) Seal(context.Context, []byte, []byte) (string, []byte, error) {
	return "", nil, errSealer
}

func (failingSealer) Open(context.Context, string, []byte, []byte) ([]byte, error) {
	return nil, errSealer
}

func TestSealed_R8_ReplaysAsBefore(t *testing.T) {
	s := newService(t, payment())
	store, err := runtime.Sealed[pgx.Tx](s.store, sealer(t, "new", map[string][]byte{"new": newKey}))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := runtime.New(store, bearer)
	if err != nil {
		t.Fatal(err)
	}
	s.mux, s.engine = http.NewServeMux(), engine
	s.serve(s.mux, engine)
	first := s.post("k", body)
	wantReplay(t, first, s.post("k", body))
	s.want(1, 1, 1)
}

// An answer that this process cannot open is not sent as it is stored, and the client is not told that nothing was done. The
// work does not run again.
func TestSealed_R8_I4_AnswerThatDoesNotOpen(t *testing.T) {
	s := newService(t, payment())
	serveOver := func(store runtime.Store[pgx.Tx]) {
		t.Helper()
		engine, err := runtime.New(store, bearer)
		if err != nil {
			t.Fatal(err)
		}
		s.mux, s.engine = http.NewServeMux(), engine
		s.serve(s.mux, engine)
	}
	sealedBy := func(key []byte) runtime.Store[pgx.Tx] {
		t.Helper()
		store, err := runtime.Sealed[pgx.Tx](s.store, sealer(t, "id", map[string][]byte{"id": key}))
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	serveOver(sealedBy(newKey))
	first := s.post("k", body)
	for name, store := range map[string]runtime.Store[pgx.Tx]{"another key": sealedBy(oldKey), "no sealer": s.store} {
		t.Run(name, func(t *testing.T) {
			serveOver(store)
			got := s.post("k", body)
			got.wantProblem(t, 503, "answer-unavailable")
			got.wantRetryAfter(t)
			s.post("k", `{"amount":1}`).wantProblem(t, 422, "key-reused")
		})
	}
	serveOver(sealedBy(newKey))
	wantReplay(t, first, s.post("k", body))
	s.want(1, 1, 1)
}
