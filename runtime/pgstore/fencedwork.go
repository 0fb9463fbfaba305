package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// fencedWork is an open transaction of a worker that holds a record.
type fencedWork struct {
	*work
	id    runtime.ID
	fence runtime.Fence
}

// BeginFenced implements [runtime.LeaseStore]. The transaction is as the store was told; whether the fence holds is asked at
// the commit, which is where it counts.
//
// Under REPEATABLE READ and SERIALIZABLE a renewal of the lease while the transaction is open has the database ask for it to
// be run again, so it had better be shorter than the time between two renewals.
func (s *Store) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	w, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	return &fencedWork{work: w, id: id, fence: fence}, nil
}

// Commit implements [runtime.FencedWork]: the fenced write and the commit go out together, in one round trip.
func (w *fencedWork) Commit(ctx context.Context, to *runtime.Advance) error {
	err := w.end(ctx, ending{
		check: func() error { return checkAdvance(to) },
		write: func(batch *pgx.Batch) {
			sql, further := w.store.advance(to, true)
			batch.Queue(sql, fenceArguments(w.id, w.fence, further)...)
		},
		refused: func(err error) error {
			if leaseLost(err) {
				return fmt.Errorf("%w: %w", runtime.ErrLeaseLost, err)
			}
			return outcome(err)
		},
	})
	if err == nil || !errors.Is(err, runtime.ErrLeaseLost) {
		return wrap("commit", err)
	}
	// Rolled back. Where the fence holds after all, something else kept the table from taking the write.
	why := w.store.unwritten(ctx, &fencedWrite{id: w.id, fence: w.fence, to: to}, false)
	switch {
	case why == nil: // complete, by an earlier commit of this worker
		why = runtime.ErrLeaseLost
	case errors.Is(why, runtime.ErrUnrecorded) && !seenUnder(err): // the snapshot is older than the claim
		why = runtime.Explain("the record was claimed after the transaction had begun", runtime.ErrSerialization)
	}
	return wrap("commit", fmt.Errorf("nothing was committed: %w", why))
}

// seenUnder reports whether the statement saw a row under its fence all the same.
func seenUnder(err error) bool { return strings.Contains(err.Error(), lostText+seenText) }
