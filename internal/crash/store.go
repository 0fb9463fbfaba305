//go:build unix

package crash

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// watchedStore says where each request is, before and after what it does to the store.
type watchedStore struct {
	runtime.LeaseStore[pgx.Tx]
	control *control
}

func (s *watchedStore) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	s.control.at(id.Key, BeforeClaim)
	claim, err := s.LeaseStore.Claim(ctx, id, wait)
	if claim.Work != nil {
		s.control.at(id.Key, AfterClaim)
		claim.Work = &watchedWork{Work: claim.Work, control: s.control, key: id.Key}
	}
	return claim, err
}

type watchedWork struct {
	runtime.Work[pgx.Tx]
	control *control
	key     string
}

func (w *watchedWork) Commit(ctx context.Context, record *runtime.Record) error {
	w.control.at(w.key, BeforeCommit)
	err := w.Work.Commit(ctx, record)
	if err == nil {
		w.control.at(w.key, AfterCommit)
	}
	return err
}

func (s *watchedStore) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	s.control.at(id.Key, BeforeLease)
	claim, err := s.LeaseStore.ClaimLease(ctx, id, intent)
	if claim.Held != nil {
		s.control.at(id.Key, AfterLease)
	}
	return claim, err
}

func (s *watchedStore) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	around := stepPoints[stepOf(to)]
	s.control.at(id.Key, around[0])
	err := s.LeaseStore.Advance(ctx, id, fence, to)
	if err == nil {
		s.control.at(id.Key, around[1])
	}
	return err
}

func (s *watchedStore) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := s.LeaseStore.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	return &watchedFencedWork{FencedWork: work, control: s.control, key: id.Key}, nil
}

type watchedFencedWork struct {
	runtime.FencedWork[pgx.Tx]
	control *control
	key     string
}

func (w *watchedFencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	around := stepPoints[stepOf(to)]
	w.control.at(w.key, around[0])
	err := w.FencedWork.Commit(ctx, to)
	if err == nil {
		w.control.at(w.key, around[1])
	}
	return err
}

func (s *watchedStore) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
	held, err := s.LeaseStore.TakeOver(ctx, operations, limit)
	for _, h := range held {
		s.control.at(h.ID.Key, AfterTakeover)
	}
	return held, err
}

// stepOf is the step that an advance stores, or [complete].
func stepOf(to *runtime.Advance) string {
	switch {
	case to.Record != nil:
		return complete
	case len(to.Steps) > 0:
		return to.Steps[len(to.Steps)-1].Name
	}
	return ""
}

// unfencedStore is the store with fencing switched off: before each fenced write it makes the record the writer's own
// again, so that whatever a worker writes counts as long as the work is in progress. Before a write of steps it forgets the
// stored ones too, since a store takes those only that begin with them: a second fence.
type unfencedStore struct {
	runtime.LeaseStore[pgx.Tx]
	pool execer
}

// execer is what can run a statement: a pool and a transaction.
type execer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func seize(ctx context.Context, on execer, id runtime.ID, fence runtime.Fence, forget bool) {
	const sql = `WITH seized AS (UPDATE idempotency_keys SET epoch = $3, attempt = $4, steps = CASE WHEN $5 THEN '' ELSE steps END
WHERE scope = $1 AND key = $2 AND status = 0 RETURNING 1) SELECT count(*) FROM seized`
	var n int
	_ = on.QueryRow(ctx, sql, []byte(id.Scope), []byte(id.Key), fence.Epoch, fence.Owner, forget).Scan(&n) // the write itself says what is wrong
}

func (s *unfencedStore) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	seize(ctx, s.pool, id, fence, false)
	return s.LeaseStore.Renew(ctx, id, fence, d)
}

func (s *unfencedStore) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	seize(ctx, s.pool, id, fence, true)
	return s.LeaseStore.Advance(ctx, id, fence, to)
}

func (s *unfencedStore) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	seize(ctx, s.pool, id, fence, false)
	return s.LeaseStore.Yield(ctx, id, fence, after)
}

func (s *unfencedStore) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	seize(ctx, s.pool, id, fence, false)
	return s.LeaseStore.Release(ctx, id, fence)
}

func (s *unfencedStore) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := s.LeaseStore.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	return &unfencedWork{FencedWork: work, id: id, fence: fence}, nil
}

type unfencedWork struct {
	runtime.FencedWork[pgx.Tx]
	id    runtime.ID
	fence runtime.Fence
}

func (w *unfencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	seize(ctx, w.Tx(), w.id, w.fence, true)
	return w.FencedWork.Commit(ctx, to)
}
