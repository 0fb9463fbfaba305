package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// TestChaos_I1_I2_I3 has two processes serve the same few keys at once while handlers fail in every way, commits get lost
// before and after they happen, and clients go away. Whatever happens, a key has one effect, and one answer.
func TestChaos_I1_I2_I3(t *testing.T) {
	for name, change := range map[string]func(*policy.Policy){"wait": func(*policy.Policy) {}, "conflict": conflict} {
		t.Run(name, func(t *testing.T) { chaos(t, payment(change)) })
	}
}

func chaos(t *testing.T, op *runtime.Operation) {
	t.Helper()
	const keys, clients = 30, 10
	s := newService(t, op)
	other := http.NewServeMux()
	s.serve(other, s.newEngine(runtime.WithAttempts(2)))

	var mu sync.Mutex
	effects := map[string]int{}
	s.work = func(_ context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		err := memstore.OnCommit(tx, func() {
			mu.Lock()
			defer mu.Unlock()
			effects[call.Key()]++
		})
		if err != nil {
			return runtime.Response{}, err
		}
		time.Sleep(rand.N(time.Millisecond))
		switch rand.N(10) {
		case 0:
			return runtime.Response{}, errors.New("no")
		case 1:
			return runtime.Response{Status: 404}, nil
		case 2:
			return runtime.Response{}, &pgconn.PgError{Code: "40001"}
		case 3:
			panic("x")
		case 4:
			goruntime.Goexit()
		}
		return s.pay(call)
	}
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		switch rand.N(8) {
		case 0:
			return errors.Join(w.Rollback(ctx), runtime.ErrCommitUnknown)
		case 1:
			return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
		case 2: // it is under way still
			go func() {
				time.Sleep(rand.N(time.Millisecond))
				_ = w.Commit(context.WithoutCancel(ctx), r)
			}()
			return runtime.ErrCommitUnknown
		case 3:
			return errors.Join(w.Rollback(ctx), runtime.ErrSerialization)
		case 4:
			return errors.Join(w.Rollback(ctx), errors.New("no"))
		}
		return w.Commit(ctx, r)
	}

	answers := map[string]map[string]bool{} // the different bodies of a key's 201s
	client := func(key string) {
		for range 200 {
			mux := s.mux
			if rand.N(2) == 0 {
				mux = other
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			if rand.N(4) == 0 {
				ctx, cancel = context.WithTimeout(t.Context(), rand.N(2*time.Millisecond))
			}
			got := make(chan answer, 1)
			go func() { // which the handler may end
				defer close(got)
				got <- do(mux, s.request(body, header("Idempotency-Key", key)).WithContext(ctx))
			}()
			a, answered := <-got
			cancel()
			if answered && a.status == 201 {
				mu.Lock()
				defer mu.Unlock()
				if answers[key] == nil {
					answers[key] = map[string]bool{}
				}
				answers[key][a.body] = true
				return
			}
			time.Sleep(rand.N(time.Millisecond))
		}
		t.Errorf("%s was never answered", key)
	}
	var all sync.WaitGroup
	for i := range keys {
		for range clients {
			all.Go(func() { client(fmt.Sprint("key-", i)) })
		}
	}
	all.Wait()
	for i := range keys {
		key := fmt.Sprint("key-", i)
		if effects[key] != 1 || len(answers[key]) != 1 {
			t.Errorf("%s has %d effects, and the answers %v", key, effects[key], answers[key])
		}
	}
	if records := s.store.Len(); records != keys {
		t.Errorf("%d records of %d keys", records, keys)
	}
	if open := s.store.open.Load(); open != 0 {
		t.Errorf("%d transactions are open", open)
	}
	if s.engine.Waiting() != 0 {
		t.Errorf("%d requests wait in the gate", s.engine.Waiting())
	}
}
