//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// ViolationKind is which promise was not kept.
type ViolationKind string

// The kinds.
const (
	// Effects: a provider did a step of an intent not once.
	Effects ViolationKind = "effects"
	// Rows: a business table has not one row of an intent.
	Rows ViolationKind = "rows"
	// Records: there is not one complete record of an intent.
	Records ViolationKind = "records"
	// Answers: final answers differ from each other, from the record, or from what was done.
	Answers ViolationKind = "lost answers"
	// Unanswered: a client never got a final answer.
	Unanswered ViolationKind = "unanswered"
	// Stuck: work was in progress when everything had been quiet for long.
	Stuck ViolationKind = "stuck"
	// Service: a process of the service ended by itself, or had a data race.
	Service ViolationKind = "service"
)

// Violation is a promise that was not kept.
type Violation struct {
	Kind  ViolationKind
	Key   string
	Text  string
	Trial int // -1 where it is no trial's
	Plan  Plan
	Log   []string // what happened in the trial
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: trial %d, key %s, %s mode, provider %s, faults %v: %s", v.Kind, v.Trial, v.Key, v.Plan.Mode, v.Plan.Provider, v.Plan.Faults, v.Text)
}

// finding is a violation before it is known whose.
type finding struct {
	kind ViolationKind
	text string
}

// check holds what was done for an intent against the final answers of its clients.
func (s *site) check(ctx context.Context, mode Mode, key string, replies []reply) (found []finding) {
	add := func(kind ViolationKind, format string, args ...any) {
		found = append(found, finding{kind, fmt.Sprintf(format, args...)})
	}
	for _, r := range replies[1:] {
		if r.status != replies[0].status || r.body != replies[0].body {
			add(Answers, "%d %s, and %d %s", replies[0].status, replies[0].body, r.status, r.body)
		}
	}
	var told answer
	if err := json.Unmarshal([]byte(replies[0].body), &told); err != nil || replies[0].status != 201 || told.Intent != key {
		add(Answers, "the answer is %d %s", replies[0].status, replies[0].body)
	}
	for _, step := range stepsOf(mode) {
		done := s.provider.effects(key, step)
		if len(done) != 1 {
			add(Effects, "%s has %d effects: %v", step, len(done), done)
		} else if step == charge && told.Charge != done[0].ID {
			add(Answers, "the answer has the charge %q, and it is %q", told.Charge, done[0].ID)
		}
	}
	l, err := s.ledger(ctx, key)
	if err != nil {
		add(Rows, "they could not be read: %v", err)
		return found
	}
	if l.payments != 1 || l.payment != told.ID {
		add(Rows, "%d payments, the last is %d, and the answer has %d", l.payments, l.payment, told.ID)
	}
	if want := len(reservationsOf(mode)); l.reservations != want {
		add(Rows, "%d reservations, want %d", l.reservations, want)
	}
	switch {
	case l.records != 1 || l.complete != 1:
		add(Records, "%d records, %d of them complete", l.records, l.complete)
	case string(l.body) != replies[0].body || l.status != replies[0].status:
		add(Answers, "the record has %d %s, and the answer was %d %s", l.status, l.body, replies[0].status, replies[0].body)
	}
	return found
}

// stepsOf are the steps that a provider has to have done once.
func stepsOf(mode Mode) []string {
	if mode == Lease {
		return []string{charge, notify}
	}
	return nil
}

// reservationsOf are the local steps that have a row.
func reservationsOf(mode Mode) []string {
	if mode == Lease {
		return []string{reserve}
	}
	return nil
}

// ledger is what the database has of an intent.
type ledger struct {
	payments, reservations, records, complete int
	payment                                   int64
	status                                    int
	body                                      []byte
}

func (s *site) ledger(ctx context.Context, key string) (l ledger, err error) {
	const sql = `SELECT (SELECT count(*) FROM payments WHERE intent = $1), (SELECT coalesce(max(id), 0) FROM payments WHERE intent = $1),
	(SELECT count(*) FROM reservations WHERE intent = $1), count(*), count(*) FILTER (WHERE status <> 0),
	coalesce(max(status), 0), coalesce(string_agg(body, ''), '') FROM idempotency_keys WHERE key = $2`
	err = s.ask(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, sql, key, []byte(key)).Scan(&l.payments, &l.payment, &l.reservations, &l.records, &l.complete, &l.status, &l.body)
	})
	return l, err
}

// ask asks the database, again and again while it is being restarted.
func (s *site) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := question(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait(ctx, make(chan struct{}), 50*time.Millisecond)
	}
}

// settle waits until nothing is in progress any more, and returns what still is when the patience ends.
func (s *site) settle(ctx context.Context, patience time.Duration) (stuck []string, err error) {
	for deadline := time.Now().Add(patience); ; wait(ctx, make(chan struct{}), 50*time.Millisecond) {
		err = s.ask(ctx, func(ctx context.Context) error {
			rows, err := s.pool.Query(ctx, "SELECT encode(key, 'escape') FROM idempotency_keys WHERE status = 0 ORDER BY 1 LIMIT 100")
			if err != nil {
				return err
			}
			stuck, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		if err != nil || len(stuck) == 0 || time.Now().After(deadline) {
			return stuck, err
		}
	}
}

// strangers counts what belongs to no record, or to one more than once: rows of intents without a complete record, and
// records without a row.
func (s *site) strangers(ctx context.Context) (text string, err error) {
	const sql = `SELECT (SELECT count(*) FROM payments p WHERE NOT EXISTS (SELECT FROM idempotency_keys WHERE key = convert_to(p.intent, 'UTF8') AND status <> 0)),
	(SELECT count(*) FROM reservations r WHERE NOT EXISTS (SELECT FROM idempotency_keys WHERE key = convert_to(r.intent, 'UTF8') AND status <> 0)),
	(SELECT count(*) FROM idempotency_keys k WHERE NOT EXISTS (SELECT FROM payments WHERE intent = convert_from(k.key, 'UTF8'))),
	(SELECT count(*) - count(DISTINCT intent) FROM payments), (SELECT count(*) - count(DISTINCT intent) FROM reservations)`
	var payments, reservations, records, twice, twiceReserved int
	err = s.ask(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, sql).Scan(&payments, &reservations, &records, &twice, &twiceReserved)
	})
	if err != nil || payments+reservations+records+twice+twiceReserved == 0 {
		return "", err
	}
	return fmt.Sprintf("without a record: %d payments, %d reservations; without a payment: %d records; more than one of an intent: %d payments, %d reservations",
		payments, reservations, records, twice, twiceReserved), nil
}
