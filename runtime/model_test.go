package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
)

// TestModel_I1_I2_I3_I4_I5_I7_I13 sends random requests, with random faults, and holds every answer against a model that
// is a map.
func TestModel_I1_I2_I3_I4_I5_I7_I13(t *testing.T) {
	type entry struct {
		body    string
		answer  answer
		expires time.Time
	}
	rapid.Check(t, func(r *rapid.T) {
		s := newService(t, payment())
		model := map[[2]string]entry{}
		effects := 0
		status := 201
		s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			answer, err := s.pay(call)
			answer.Status = status
			return answer, err
		}
		draw := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(r, label) }

		// post sends one request. lost says how many commits fail, and how.
		post := func(r *rapid.T, fault error, happens bool) {
			account1, key := draw("account", "a", "b", "ab"), draw("key", "k", "l", "kl", "bk")
			text := draw("body", `{"amount":1}`, `{"amount":2}`)
			status = rapid.SampledFrom([]int{201, 402, 404, 500}).Draw(r, "status")
			id := [2]string{account1, key}
			known, ok := model[id]
			ok = ok && s.clock.Now().Before(known.expires)
			runs := s.runs.Load()
			s.store.onCommit = nil
			if fault != nil {
				s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], record *runtime.Record) error {
					s.store.onCommit = nil
					if happens {
						return errors.Join(w.Commit(ctx, record), fault)
					}
					return errors.Join(w.Rollback(ctx), fault)
				}
			}
			got := s.post(key, text, account(account1))
			ran := s.runs.Load() != runs
			switch {
			case ok && known.body != text:
				if got.status != 422 || ran {
					r.Fatalf("%v: mismatch: %d, ran %v", id, got.status, ran)
				}
			case ok:
				if !got.replayed() || got.status != known.answer.status || got.body != known.answer.body || ran {
					r.Fatalf("%v: replay %+v of %+v, ran %v", id, got, known.answer, ran)
				}
			default:
				if got.status != status || got.replayed() || !ran {
					r.Fatalf("%v: first answer %+v, want %d, ran %v", id, got, status, ran)
				}
				if status == 201 || status == 402 {
					effects++
					model[id] = entry{text, got, s.clock.Now().Add(s.op.Policy.Retention)}
				}
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"post":                         func(r *rapid.T) { post(r, nil, false) },
			"post, lost race":              func(r *rapid.T) { post(r, runtime.ErrLostRace, false) },
			"post, serialization":          func(r *rapid.T) { post(r, runtime.ErrSerialization, false) },
			"post, unknown, did happen":    func(r *rapid.T) { post(r, runtime.ErrCommitUnknown, true) },
			"post, unknown, did not":       func(r *rapid.T) { post(r, runtime.ErrCommitUnknown, false) },
			"post, unexplained, did occur": func(r *rapid.T) { post(r, errors.New("?"), true) },
			"post while the store is down": func(r *rapid.T) {
				s.store.down.Store(true)
				runs := s.runs.Load()
				if a := s.post(draw("key", "k", "l"), body); a.status != 503 || s.runs.Load() != runs {
					r.Fatalf("%+v", a)
				}
				s.store.down.Store(false)
			},
			"time passes": func(r *rapid.T) {
				s.clock.Advance(time.Duration(rapid.IntRange(1, 30).Draw(r, "hours")) * time.Hour)
			},
			"": func(r *rapid.T) {
				live := 0
				for _, e := range model {
					if s.clock.Now().Before(e.expires) {
						live++
					}
				}
				if got := fmt.Sprint(s.effects.Load(), s.store.Len(), s.store.open.Load()); got != fmt.Sprint(effects, live, 0) {
					r.Fatalf("effects, records, open transactions: %s, want %d %d 0", got, effects, live)
				}
			},
		})
	})
}
