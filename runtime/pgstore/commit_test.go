package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A6: the connection is lost with the commit on its way. Whether it arrived or not, the error says that nobody knows, the
// pool stays usable, and the next claim finds out: a record with our attempt, or an id that is free.
func TestCommit_A6_ConnectionLost(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		w := &wire{}
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) {
			c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // nothing to prepare: the next write is the commit
			w.attach(c)
		})
		store := open(t, pool, v.options()...)
		for _, test := range []struct {
			name    string
			cut     int32
			arrives bool
		}{{"before", cutBefore, false}, {"half", cutHalf, false}, {"after", cutAfter, true}} {
			t.Run(test.name, func(t *testing.T) {
				before := count(t, pool, "payments")
				id, rec := newID(), newRecord()
				work := claim(t, store, id)
				must(t, pay(context.Background(), work.Tx()))
				w.cut.Store(test.cut)
				err := work.Commit(context.Background(), rec)
				if !errors.Is(err, runtime.ErrCommitUnknown) {
					t.Errorf("err = %v, want ErrCommitUnknown", err)
				}
				must(t, work.Rollback(context.Background()))

				c, err := store.Claim(context.Background(), id, 10*time.Second)
				must(t, err)
				switch {
				case test.arrives && (c.Record == nil || c.Record.Attempt != rec.Attempt):
					t.Errorf("the commit arrived, and its record is not found: %+v", c)
				case !test.arrives && c.Work == nil:
					t.Errorf("the commit did not arrive, and the id is not free: %+v", c)
				}
				if c.Work != nil {
					must(t, c.Work.Rollback(context.Background()))
				}
				want := 0
				if test.arrives {
					want = 1
				}
				if paid := count(t, pool, "payments") - before; paid != want {
					t.Errorf("%d payments, want %d", paid, want)
				}
				quiet(t, pool)
			})
		}
	})
}

// A commit that was not even begun is not unknown.
func TestCommit_ContextEndedBefore(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		id := newID()
		work := claim(t, store, id)
		must(t, pay(context.Background(), work.Tx()))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := work.Commit(ctx, newRecord())
		if !errors.Is(err, context.Canceled) || errors.Is(err, runtime.ErrCommitUnknown) {
			t.Errorf("err = %v", err)
		}
		if n := count(t, pool, "payments"); n != 0 {
			t.Errorf("%d payments", n)
		}
		must(t, claim(t, store, id).Rollback(context.Background()))
		quiet(t, pool)
	})
}

// A commit whose context ends while it waits for the server may have happened or not, and holds nothing.
func TestCommit_ContextEndsMeanwhile(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	store := open(t, pool)
	id := newID()
	work := claim(t, store, id)
	// Somebody holds the table, so the insert hangs.
	blocker, err := pgtest.Open(t, url, nil).Begin(context.Background())
	must(t, err)
	_, err = blocker.Exec(context.Background(), "LOCK TABLE idempotency_keys IN SHARE MODE")
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := work.Commit(ctx, newRecord()); !errors.Is(err, runtime.ErrCommitUnknown) {
		t.Errorf("err = %v", err)
	}
	must(t, blocker.Rollback(context.Background()))
	quiet(t, pool)
	must(t, claim(t, store, id).Rollback(context.Background()))
}

func TestCommit_HandlerMistakes(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	ctx := context.Background()
	for _, test := range []struct {
		name    string
		work    func(tx pgx.Tx)
		aborted bool
		text    string
	}{
		{"a failed statement swallowed", func(tx pgx.Tx) {
			_, _ = tx.Exec(ctx, "INSERT INTO payments (account, amount) VALUES ('a', -1)")
		}, true, "after a statement had failed"},
		{"a failed commit of its own", func(tx pgx.Tx) {
			_, _ = tx.Exec(ctx, "SELECT 1/0")
			_, _ = tx.Exec(ctx, "SELECT 1")
		}, true, "after a statement had failed"},
		{"rows left open", func(tx pgx.Tx) {
			rows, err := tx.Query(ctx, "SELECT * FROM generate_series(1, 100000)")
			if err != nil || !rows.Next() {
				t.Error(err)
			}
		}, true, "rows of a query open"},
		{"COMMIT as SQL", func(tx pgx.Tx) { _, _ = tx.Exec(ctx, "COMMIT") }, false, "SQL of its own"},
		{"ROLLBACK as SQL", func(tx pgx.Tx) { _, _ = tx.Exec(ctx, "ROLLBACK") }, false, "SQL of its own"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t, pool)
			id := newID()
			work := claim(t, store, id)
			test.work(work.Tx())
			err := work.Commit(ctx, newRecord())
			if errors.Is(err, runtime.ErrAborted) != test.aborted || errors.Is(err, runtime.ErrUnrecorded) == test.aborted || !strings.Contains(err.Error(), test.text) {
				t.Errorf("err = %v", err)
			}
			if n := count(t, pool, "idempotency_keys"); n != 0 {
				t.Errorf("%d records", n)
			}
			quiet(t, pool)
			must(t, claim(t, store, id).Rollback(ctx))
		})
	}
}

// The server may answer a commit by a rollback; pgx.TxOptions may name another statement than COMMIT.
func TestCommit_AnsweredByRollback(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool, pgstore.WithTxOptions(pgx.TxOptions{CommitQuery: "rollback"}))
	work := claim(t, store, newID())
	must(t, pay(context.Background(), work.Tx()))
	if err := work.Commit(context.Background(), newRecord()); !errors.Is(err, runtime.ErrAborted) {
		t.Errorf("err = %v", err)
	}
	if n := count(t, pool, "payments"); n != 0 {
		t.Errorf("%d payments", n)
	}
	quiet(t, pool)
}

// A constraint that is checked at COMMIT keeps its name, so that it can be a documented answer (G2).
func TestCommit_G2_DeferredConstraint(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		ctx := context.Background()
		refer := func(work runtime.Work[pgx.Tx]) error {
			_, err := work.Tx().Exec(ctx, "INSERT INTO payments (account, amount, reference) VALUES ('a', 1, 'order-1')")
			must(t, err)
			return work.Commit(ctx, newRecord())
		}
		must(t, refer(claim(t, store, newID())))
		err := refer(claim(t, store, newID()))
		if name, ok := store.Violation(err); !ok || name != "payments_reference_once" || errors.Is(err, runtime.ErrLostRace) || errors.Is(err, runtime.ErrCommitUnknown) {
			t.Errorf("err = %v, violation %q", err, name)
		}
		if n := count(t, pool, "idempotency_keys"); n != 1 {
			t.Errorf("%d records", n)
		}
		quiet(t, pool)
	})
}

// A7: two handlers that lock each other out, and two that could not both be serial, are told apart from failures.
func TestRetryable_A7_DeadlockAndSerialization(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["deadlock_timeout"] = "20ms" })
	execSQL(t, pool, "INSERT INTO payments (account, amount) VALUES ('one', 1), ('two', 1)")
	ctx := context.Background()
	touch := func(work runtime.Work[pgx.Tx], account string) error {
		_, err := work.Tx().Exec(ctx, "UPDATE payments SET amount = amount + 1 WHERE account = $1", account)
		return err
	}

	t.Run("deadlock", func(t *testing.T) {
		store := open(t, pool)
		a, b := claim(t, store, newID()), claim(t, store, newID())
		must(t, touch(a, "one"))
		must(t, touch(b, "two"))
		first := make(chan error)
		go func() { first <- touch(a, "two") }()
		errB := touch(b, "one")
		if errB != nil {
			must(t, b.Rollback(ctx))
		}
		errA := <-first
		if (errA == nil) == (errB == nil) || !store.Retryable(errors.Join(errA, errB)) {
			t.Errorf("errors: %v; %v", errA, errB)
		}
		must(t, a.Rollback(ctx))
		must(t, b.Rollback(ctx))
	})

	t.Run("write skew at commit", func(t *testing.T) {
		store := open(t, pool, pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: pgx.Serializable}))
		a, b := claim(t, store, newID()), claim(t, store, newID())
		var sum int64
		for _, work := range []runtime.Work[pgx.Tx]{a, b} {
			must(t, work.Tx().QueryRow(ctx, "SELECT sum(amount) FROM payments").Scan(&sum))
		}
		must(t, touch(a, "one"))
		must(t, touch(b, "two"))
		errA, errB := a.Commit(ctx, newRecord()), b.Commit(ctx, newRecord())
		if errA != nil || !errors.Is(errB, runtime.ErrSerialization) {
			t.Errorf("errors: %v; %v", errA, errB)
		}
	})
	quiet(t, pool)
}

func TestCommit_RecordAndClaimGoTogether(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	work := claim(t, store, newID())
	must(t, pay(ctx, work.Tx()))
	if err := work.Commit(ctx, nil); err == nil {
		t.Error("claimed work was committed without a record")
	}
	work, err := store.Begin(ctx)
	must(t, err)
	must(t, pay(ctx, work.Tx()))
	if err := work.Commit(ctx, newRecord()); err == nil {
		t.Error("a record was committed without a claim")
	}
	for name, spoil := range map[string]func(*runtime.Record){
		"status":    func(r *runtime.Record) { r.Status = 99 },
		"retention": func(r *runtime.Record) { r.Retention = 0 },
		"state":     func(r *runtime.Record) { r.BodyState = 9 },
		"version":   func(r *runtime.Record) { r.FingerprintVersion = 1 << 20 },
	} {
		work = claim(t, store, newID())
		must(t, pay(ctx, work.Tx()))
		rec := newRecord()
		spoil(rec)
		if err := work.Commit(ctx, rec); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
	if n := count(t, pool, "payments"); n != 0 {
		t.Errorf("%d payments", n)
	}
	quiet(t, pool)
}

// A trigger that swallows the row is found, though only after the fact.
func TestCommit_TableRefusesTheRowSilently(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	execSQL(t, pool, "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
	execSQL(t, pool, "CREATE TRIGGER swallow BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION nothing()")
	err := claim(t, open(t, pool), newID()).Commit(context.Background(), newRecord())
	if !errors.Is(err, runtime.ErrUnrecorded) || !strings.Contains(err.Error(), "trigger") {
		t.Errorf("err = %v", err)
	}
}
