package memstore

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
)

// purgePerClaim bounds how many expired records one claim removes.
const purgePerClaim = 16

// Store is a runtime.LeaseStore in memory. It is safe for concurrent use. Two engines over one Store are like two processes
// over one database.
type Store struct {
	now func() time.Time

	mu      sync.Mutex
	records map[runtime.ID]*entry
	claims  map[runtime.ID]chan struct{} // closed when the claim ends
	expiry  expiryQueue
}

var (
	_ runtime.LeaseStore[pgx.Tx] = (*Store)(nil)
	_ runtime.Clock              = (*Store)(nil)
)

// entry is what there is under an id.
type entry struct {
	id     runtime.ID
	lease  *lease         // while the record is in progress; such an entry does not expire
	record runtime.Record // once it is complete
}

// errEnded is for a transaction that is ended twice.
var errEnded = errors.New("memstore: the work has ended already")

// Option sets one thing about a store.
type Option func(*Store)

// WithClock has the store take the time from now, so that a test can let records expire. now is called under the store's
// lock, from many goroutines.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// New returns an empty store.
func New(opts ...Option) *Store {
	s := &Store{now: time.Now, records: map[runtime.ID]*entry{}, claims: map[runtime.ID]chan struct{}{}}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Claim implements runtime.Store.
func (s *Store) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	var patience <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		patience = timer.C
	}
	for {
		if err := ctx.Err(); err != nil {
			return runtime.Claim[pgx.Tx]{}, err
		}
		claim, held := s.tryClaim(id)
		if held == nil || wait <= 0 {
			return claim, nil
		}
		select {
		case <-held:
		case <-patience:
			return runtime.Claim[pgx.Tx]{}, nil
		case <-ctx.Done():
			return runtime.Claim[pgx.Tx]{}, ctx.Err()
		}
	}
}

// tryClaim returns what is under id or a won claim, or else the channel that is closed when the present claim ends.
func (s *Store) tryClaim(id runtime.ID) (runtime.Claim[pgx.Tx], <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.purge(now)
	if e := s.live(id, now); e != nil {
		if e.lease != nil {
			return runtime.Claim[pgx.Tx]{Progress: e.lease.progress(now)}, nil
		}
		record := clone(&e.record)
		return runtime.Claim[pgx.Tx]{Record: &record}, nil
	}
	if held := s.claims[id]; held != nil {
		return runtime.Claim[pgx.Tx]{}, held
	}
	s.claims[id] = make(chan struct{})
	return runtime.Claim[pgx.Tx]{Work: &work{store: s, id: id, claimed: true, tx: &Tx{}}}, nil
}

// Begin implements runtime.Store.
func (s *Store) Begin(ctx context.Context) (runtime.Work[pgx.Tx], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &work{store: s, tx: &Tx{}}, nil
}

// Retryable implements runtime.Store: it knows the SQLSTATEs that a handler written for PostgreSQL returns.
func (s *Store) Retryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// Violation implements runtime.Store, by SQLSTATE 23505.
func (s *Store) Violation(err error) (constraint string, ok bool) {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" {
		return pg.ConstraintName, true
	}
	return "", false
}

// Now implements runtime.Clock.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now(), nil
}

// Len is the number of records that have not expired, those in progress included.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, n := s.now(), 0
	for id := range s.records {
		if s.live(id, now) != nil {
			n++
		}
	}
	return n
}

// work is one transaction.
type work struct {
	store   *Store
	id      runtime.ID
	claimed bool
	tx      *Tx
	ended   bool
}

func (w *work) Tx() pgx.Tx { return w.tx }

// Commit runs the staged effects and keeps the record, in one step as seen by every other claim.
func (w *work) Commit(ctx context.Context, record *runtime.Record) error {
	if w.ended {
		return errEnded
	}
	if w.claimed != (record != nil) {
		_ = w.Rollback(ctx)
		return errors.New("memstore: a record is committed exactly where an id was claimed")
	}
	if err := ctx.Err(); err != nil {
		_ = w.Rollback(ctx)
		return err
	}
	w.ended = true
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	defer w.release()
	effects, now := w.tx.end(), s.now()
	if record != nil && s.live(w.id, now) != nil { // lease mode was first: its claims do not wait for a transaction
		return runtime.ErrLostRace
	}
	for _, effect := range effects {
		effect()
	}
	if record != nil {
		s.keep(w.id, record, now)
	}
	return nil
}

// Rollback drops the staged effects.
func (w *work) Rollback(context.Context) error {
	if w.ended {
		return nil
	}
	w.ended = true
	w.tx.end()
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.release()
	return nil
}

// release ends the claim. The store is locked.
func (w *work) release() {
	if !w.claimed {
		return
	}
	close(w.store.claims[w.id])
	delete(w.store.claims, w.id)
}

// live returns what there is under id; nil where it has expired. The store is locked.
func (s *Store) live(id runtime.ID, now time.Time) *entry {
	if e := s.records[id]; e != nil && (e.lease != nil || e.record.ExpiresAt.After(now)) {
		return e
	}
	return nil
}

// keep makes record the complete one under its id. The store is locked.
func (s *Store) keep(id runtime.ID, record *runtime.Record, now time.Time) {
	e := &entry{id: id, record: clone(record)}
	e.record.CreatedAt = now
	e.record.ExpiresAt = now.Add(record.Retention)
	s.records[id] = e
	heap.Push(&s.expiry, e)
}

// clone copies all that a caller could change.
func clone(r *runtime.Record) runtime.Record {
	c := *r
	c.Fingerprint = bytes.Clone(r.Fingerprint)
	c.Header = r.Header.Clone()
	c.Body = bytes.Clone(r.Body)
	return c
}

// purge removes some expired records. The store is locked.
func (s *Store) purge(now time.Time) {
	for range purgePerClaim {
		if len(s.expiry) == 0 || s.expiry[0].record.ExpiresAt.After(now) {
			return
		}
		e := heap.Pop(&s.expiry).(*entry)
		if s.records[e.id] == e { // a later record may stand in its place
			delete(s.records, e.id)
		}
	}
}

// expiryQueue is a heap of the records by the time at which they expire.
type expiryQueue []*entry

func (q expiryQueue) Len() int           { return len(q) }
func (q expiryQueue) Less(i, j int) bool { return q[i].record.ExpiresAt.Before(q[j].record.ExpiresAt) }
func (q expiryQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *expiryQueue) Push(x any)        { *q = append(*q, x.(*entry)) }
func (q *expiryQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = slices.Delete(*q, last, last+1)
	return e
}
