package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// Renew implements [runtime.LeaseStore]. Its connection is from the pool of [WithRenewalPool].
func (s *Store) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	write := &fencedWrite{id: id, fence: fence, sql: s.sql.lease.renew, further: []any{interval(d)}, bound: max(d/3, time.Millisecond)}
	err := s.renewer.writeFenced(ctx, write)
	return wrap("renew", err)
}

// Yield implements [runtime.LeaseStore]. It is a renewal by another name, and often a shorter one.
func (s *Store) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	err := s.writeFenced(ctx, &fencedWrite{id: id, fence: fence, sql: s.sql.lease.renew, further: []any{interval(max(after, 0))}})
	return wrap("yield", err)
}

// Release implements [runtime.LeaseStore].
func (s *Store) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	return wrap("release", s.writeFenced(ctx, &fencedWrite{id: id, fence: fence, sql: s.sql.lease.release, release: true}))
}

// Advance implements [runtime.LeaseStore].
func (s *Store) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	err := checkAdvance(to)
	if err == nil {
		sql, further := s.advance(to, false)
		err = s.writeFenced(ctx, &fencedWrite{id: id, fence: fence, sql: sql, further: further, to: to})
	}
	return wrap("advance", err)
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("pgstore: %s: %w", what, err)
	}
	return nil
}

// checkAdvance refuses what the table cannot hold before anything is sent.
func checkAdvance(to *runtime.Advance) error {
	switch {
	case to == nil:
		return errors.New("a fenced write has to say what it writes")
	case to.Record != nil:
		return checkRecord(to.Record)
	case to.Lease <= 0:
		return fmt.Errorf("a lease of %v has to be positive", to.Lease)
	}
	return nil
}

// advance is the statement that writes to, with its parameters after the fence's. Of a complete record the row has the
// operation and the fingerprint already, and its attempt is the owner.
func (s *Store) advance(to *runtime.Advance, insist bool) (sql string, further []any) {
	statements := &s.sql.lease
	if rec := to.Record; rec != nil {
		further = []any{interval(rec.Retention), int16(rec.Status), int16(rec.BodyState), encodeHeader(rec.Header), bodyOf(rec)}
		if insist {
			return statements.insistOnFinish, further
		}
		return statements.finish, further
	}
	further = []any{encodeSteps(to.Steps), interval(to.Lease)}
	if insist {
		return statements.insistOnAdvance, further
	}
	return statements.advance, further
}

// fencedWrite is a write of the store's own that counts only under fence.
type fencedWrite struct {
	id      runtime.ID
	fence   runtime.Fence
	sql     string
	further []any            // parameters after the fence's
	bound   time.Duration    // of a try that has its connection; 0 without any
	to      *runtime.Advance // what an Advance writes
	release bool
}

func (w *fencedWrite) arguments() []any { return fenceArguments(w.id, w.fence, w.further) }

// fenceArguments are the parameters of a fenced statement.
func fenceArguments(id runtime.ID, fence runtime.Fence, further []any) []any {
	return append([]any{[]byte(id.Scope), packKey(id.Key), fence.Epoch, token(fence.Owner)}, further...)
}

func (s *Store) writeFenced(ctx context.Context, w *fencedWrite) error {
	if err := checkID(w.id); err != nil {
		return err
	}
	written, again := false, false
	err := s.ownWithin(ctx, 0, w.bound, func(batch *pgx.Batch) { batch.Queue(w.sql, w.arguments()...) }, func(results pgx.BatchResults, repeated bool) error {
		tag, err := results.Exec()
		written, again = tag.RowsAffected() == 1, repeated
		return err
	})
	if err != nil {
		return waited(err)
	}
	if written {
		return nil
	}
	return s.unwritten(ctx, w, again)
}

// unwritten finds out why a fenced write found no row to write to. Nothing was written, whatever is seen now.
func (s *Store) unwritten(ctx context.Context, w *fencedWrite, repeated bool) error {
	found, err := s.Look(ctx, w.id)
	switch {
	case err != nil:
		return fmt.Errorf("%w; what there is now could not be seen: %w", runtime.ErrLeaseLost, err)
	case found.Progress != nil && found.Progress.Fence == w.fence:
		if found.Progress.Unreadable != nil {
			return fmt.Errorf("nothing was written: %w", found.Progress.Unreadable)
		}
		if w.to != nil && w.to.Record == nil && !bytes.HasPrefix(encodeSteps(w.to.Steps), encodeSteps(found.Progress.Steps)) {
			return errors.New("nothing was written: the steps do not go on from those that are stored")
		}
		return unrecorded(s.settings.table)
	case w.to != nil && found.Record != nil && found.Record.Attempt == w.fence.Owner && sameAnswer(found.Record, w.to.Record):
		return nil // this write has happened already
	case w.release && repeated && found.Record == nil && found.Progress == nil:
		return nil // by the try whose answer was lost
	}
	return runtime.ErrLeaseLost
}

// unrecorded is a row that ought to have been written and was not.
func unrecorded(table string) error {
	return runtime.Explain("the table took no record; a trigger or rule on "+table+" may be the cause", runtime.ErrUnrecorded)
}

func sameAnswer(a, b *runtime.Record) bool {
	return b != nil && a.Status == b.Status && a.BodyState == b.BodyState && bytes.Equal(bodyOf(a), bodyOf(b)) &&
		maps.EqualFunc(withoutEmpty(a), withoutEmpty(b), slices.Equal[[]string])
}

// withoutEmpty are a record's headers as they are read back: a name without a value is not stored.
func withoutEmpty(rec *runtime.Record) map[string][]string {
	header := maps.Clone(rec.Header)
	maps.DeleteFunc(header, func(_ string, values []string) bool { return len(values) == 0 })
	return header
}

// leaseLost reports whether err is the failure of insistSQL.
func leaseLost(err error) bool {
	return sqlstate(err) == invalidText && strings.Contains(err.Error(), lostText)
}
