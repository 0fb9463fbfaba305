package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// Admin looks at the records of a store, and ends work in progress that is stuck, by hand. It reads in read-only
// transactions and never changes a completed record. It is safe for concurrent use.
type Admin struct {
	store   *Store
	timeout time.Duration
}

// AdminOption changes an admin from its defaults.
type AdminOption func(*Admin) error

// WithAdminTimeout bounds each statement on the server, and how long one waits for a lock. The default is 10 seconds.
func WithAdminTimeout(d time.Duration) AdminOption {
	return func(a *Admin) error {
		if d <= 0 {
			return fmt.Errorf("WithAdminTimeout(%v): the bound must be positive", d)
		}
		a.timeout = d
		return nil
	}
}

// NewAdmin returns an admin of store's table. Nothing is read yet.
func NewAdmin(store *Store, opts ...AdminOption) (*Admin, error) {
	if store == nil {
		return nil, errors.New("pgstore.NewAdmin: the store is nil")
	}
	a := &Admin{store: store, timeout: 10 * time.Second}
	for _, opt := range opts {
		if err := opt(a); err != nil {
			return nil, fmt.Errorf("pgstore.NewAdmin: %w", err)
		}
	}
	return a, nil
}

// What can stand in an admin's way. Test with errors.Is.
var (
	// ErrStandby: the server is a standby, or was made read-only.
	ErrStandby = errors.New("this server is a standby or read-only, and cannot be written to: connect to the primary")
	// ErrMoved: the record is not what it was when it was looked at.
	ErrMoved = errors.New("the record has moved on since it was looked at: look again before you decide")
	// ErrNotInProgress: there is no work in progress under this id. It was completed, released, or never there.
	ErrNotInProgress = errors.New("there is no work in progress under this id: it was completed or released, or was never there")
	// ErrLeaseLive: the lease is not over, so a worker may be at it.
	ErrLeaseLive = errors.New("its lease is not over, so a worker may be at it this moment, or it waits to be taken up again")
	// ErrSlow: the statement took longer than the admin's timeout.
	ErrSlow = errors.New("the server took longer than the time limit")
)

// read runs f in a read-only transaction, which a standby allows.
func (a *Admin) read(ctx context.Context, f func(tx pgx.Tx) error) error {
	return a.within(ctx, pgx.ReadOnly, f)
}

// The limits are the transaction's own, so that nothing stays behind in a pooler's session.
const limitsSQL = `SELECT set_config('statement_timeout', $1::text, true), set_config('lock_timeout', $1::text, true), pg_is_in_recovery(), current_database(), current_setting('search_path')`

func (a *Admin) within(ctx context.Context, mode pgx.TxAccessMode, f func(tx pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: mode}
	var database, path string
	err := pgx.BeginTxFunc(ctx, a.store.pool, options, func(tx pgx.Tx) error {
		var standby bool
		limit := fmt.Sprint(milliseconds(a.timeout))
		if err := tx.QueryRow(ctx, limitsSQL, limit).Scan(nil, nil, &standby, &database, &path); err != nil {
			return err
		}
		if standby && mode != pgx.ReadOnly {
			return ErrStandby
		}
		return f(tx)
	})
	switch code := sqlstate(err); {
	case code == undefinedTable && mode == pgx.ReadOnly:
		return a.schemaFault(err, 1, "is not in the database %q (search_path %s)", database, path)
	case code == undefinedTable:
		return a.schemaFault(err, leaseStep, "or its table of releases is not in the database %q (search_path %s)", database, path)
	case code == undefinedColumn:
		return a.schemaFault(err, leaseStep, "in the database %q lacks columns", database)
	case code == readOnlyTransaction:
		return fmt.Errorf("pgstore: %w", ErrStandby)
	case code == queryCanceled || code == lockNotAvailable:
		return fmt.Errorf("pgstore: %w of %v", ErrSlow, a.timeout)
	case err != nil:
		return fmt.Errorf("pgstore: %w", err)
	}
	return nil
}

// leaseStep is the step of [SchemaSteps] that makes what an admin needs beyond the table itself.
const leaseStep = 2

func (a *Admin) schemaFault(err error, version int, format string, args ...any) error {
	return errors.Join(&SchemaError{Table: a.store.settings.table, Version: version, Fault: fmt.Sprintf(format, args...)}, err)
}

// checkLookup refuses an id that no record can have.
func checkLookup(id runtime.ID) error {
	if err := checkID(id); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	return nil
}
