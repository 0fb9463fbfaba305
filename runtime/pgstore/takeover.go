package pgstore

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// TakeOver implements [runtime.LeaseStore]. It begins with the records whose leases ended first. Where the answer of its
// commit is lost, it takes over again what that commit has taken.
func (s *Store) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
	if len(operations) == 0 || limit < 1 {
		return nil, nil
	}
	names, leases := make([]string, len(operations)), make([]int64, len(operations))
	for i, o := range operations {
		names[i], leases[i] = o.Operation, o.Lease.Microseconds()
	}
	var owner [16]byte         // of all that this call takes
	_, _ = rand.Read(owner[:]) // never fails
	var taken []runtime.Held
	err := s.own(ctx, leaseWait, func(batch *pgx.Batch) {
		batch.Queue(s.sql.lease.takeOver, names, leases, limit, token(owner))
	}, func(results pgx.BatchResults, _ bool) error {
		rows, err := results.Query()
		taken, err = scanTaken(rows, err)
		return err
	})
	return taken, wrap("take over", err)
}

func scanTaken(rows pgx.Rows, err error) ([]runtime.Held, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (runtime.Held, error) {
		var scope, key []byte
		held, err := scanHeld(row, &scope, &key)
		if err != nil {
			return runtime.Held{}, err
		}
		held.ID = runtime.ID{Scope: string(scope), Key: unpackKey(key)}
		return *held, nil
	})
}

// Backlog implements [runtime.LeaseStore]. It reads the index of the work in progress and nothing else of the table.
func (s *Store) Backlog(ctx context.Context, operations []string) (runtime.Backlog, error) {
	var backlog runtime.Backlog
	var oldest int64
	err := s.ask(ctx, s.sql.lease.backlog, []any{notNil(operations)}, func(rows pgx.Rows, err error) error {
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&backlog.InProgress, &backlog.Overdue, &oldest}, func() error { return nil })
		}
		return err
	})
	if err != nil {
		return runtime.Backlog{}, wrap("backlog", err)
	}
	backlog.OldestOverdue = max(0, time.Duration(oldest)*time.Microsecond)
	return backlog, nil
}

func notNil(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}
