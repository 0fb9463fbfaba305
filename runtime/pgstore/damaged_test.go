package pgstore_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// A3: one record whose steps cannot be read does not keep the others from being taken over, and is itself put off.
func TestTakeOver_A3_DamagedRecordBesideOthers(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	for range 3 {
		id := newID()
		held := hold(t, store, id, newIntent())
		must(t, store.Yield(ctx, id, held.Fence, 0))
	}
	damaged := newID()
	held := hold(t, store, damaged, newIntent())
	must(t, store.Yield(ctx, damaged, held.Fence, 0))
	execSQL(t, pool, `UPDATE idempotency_keys SET steps = '\x05' WHERE attempt = $1`, held.Fence.Owner)

	taken, err := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 10)
	if err != nil || len(taken) != 4 {
		t.Fatalf("%d taken, want 4; %v", len(taken), err)
	}
	for _, held := range taken {
		if unreadable := held.Unreadable != nil; unreadable != (held.ID == damaged) || unreadable && (held.Request != nil || held.Steps != nil) {
			t.Errorf("%+v", held)
		}
		must(t, store.Yield(ctx, held.ID, held.Fence, 0))
	}
}

// neverDenied fails where an answer says that nothing was done, or something is done again, or nobody is told.
func (s *workshop) neverDenied(w *httptest.ResponseRecorder, what, want string) {
	s.Helper()
	if !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "Nothing was done") {
		s.Errorf("%s: %d %s, want %s; log %s", what, w.Code, w.Body, want, &s.log)
	}
	if s.runs != 1 {
		s.Errorf("%s: the work ran %d times", what, s.runs)
	}
	if want != "in-flight" && !strings.Contains(s.log.String(), "cannot be") {
		s.Errorf("%s: the log does not tell of it: %s", what, &s.log)
	}
}

// R4, A9: whatever is damaged of a complete record, no answer says that nothing was done.
func TestDamaged_R4_ACompleteRecord(t *testing.T) {
	for _, v := range variants {
		if v.level != pgx.ReadCommitted {
			continue
		}
		for what, change := range map[string]string{
			"headers":            `headers = '\x05'`,
			"status":             `status = 7`,
			"a great status":     `status = 1000`,
			"state of body":      `body_state = 9, body = NULL`,
			"time":               `created_at = '-infinity'`,
			"fingerprint":        `fingerprint = '\x05'`,
			"an expiry for ever": `expires_at = 'infinity', headers = '\x05'`,
		} {
			t.Run(v.name+"/"+what, func(t *testing.T) {
				t.Parallel()
				s := newWorkshop(t, policy.Transaction, v, pgtest.Open(t, database(t), nil), policy.Lease{})
				if w := s.post("k"); w.Code != http.StatusCreated {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				execSQL(t, s.pool, `UPDATE idempotency_keys SET `+change)
				for range 2 {
					s.neverDenied(s.post("k"), what, "answer-unavailable")
				}
				quiet(t, s.pool)
			})
		}
	}
}

// R4, A9: nor of one in progress, while its lease lasts and when it is over; and recovery takes others beside it, and leaves it
// alone for a while each time.
func TestDamaged_R4_ARecordInProgress(t *testing.T) {
	const live, over = `lease_until = now() + interval '1 hour'`, `lease_until = now() - interval '1 second'`
	for what, c := range map[string]struct{ change, lease, want string }{
		"steps":            {`steps = '\x05'`, live, "in-flight"},
		"steps, over":      {`steps = '\x05'`, over, "outcome-unknown"},
		"no steps":         {`steps = NULL`, live, "in-flight"},
		"no steps, over":   {`steps = NULL`, over, "outcome-unknown"},
		"request":          {`request = '\x05'`, live, "in-flight"},
		"request, over":    {`request = '\x05'`, over, "outcome-unknown"},
		"no request":       {`request = NULL`, live, "in-flight"},
		"no request, over": {`request = NULL`, over, "outcome-unknown"},
		"epoch":            {`epoch = NULL, steps = '\x05'`, live, "in-flight"},
		"epoch, over":      {`epoch = NULL, steps = '\x05'`, over, "outcome-unknown"},
		"time":             {`created_at = '-infinity', steps = '\x05'`, live, "in-flight"},
		"time, over":       {`created_at = '-infinity', steps = '\x05'`, over, "outcome-unknown"},
		"no lease":         {`steps = '\x05'`, `lease_until = NULL`, "in-flight"},
		"a lease for ever": {`steps = '\x05'`, `lease_until = 'infinity'`, "in-flight"},
		"a lease of never": {`steps = '\x05'`, `lease_until = '-infinity'`, "outcome-unknown"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newWorkshop(t, policy.LeaseMode, variants[0], pgtest.Open(t, database(t), nil), policy.Lease{Duration: time.Minute, Heartbeat: 20 * time.Second})
			if w := s.post("k"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "outcome-unknown") {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			s.log.Reset()
			damage := `UPDATE idempotency_keys SET ` + c.change + `, ` + c.lease
			execSQL(t, s.pool, damage)
			s.neverDenied(s.post("k"), what, c.want)

			s.post("another")
			execSQL(t, s.pool, `UPDATE idempotency_keys SET `+over+` WHERE key = 'another'`)
			if c.want == "in-flight" {
				c.lease = over
			}
			execSQL(t, s.pool, `UPDATE idempotency_keys SET `+c.change+`, `+c.lease+` WHERE key = 'k'`)
			recovery, err := s.engine.NewRecovery()
			must(t, err)
			if report, err := recovery.Once(context.Background()); err != nil || report.Taken != 2 {
				t.Errorf("recovery: %+v, %v, want 2 taken; log %s", report, err, &s.log)
			}
			if report, err := recovery.Once(context.Background()); err != nil || report.Taken == 2 {
				t.Errorf("recovery at once again: %+v, %v", report, err)
			}
			quiet(t, s.pool)
		})
	}
}
