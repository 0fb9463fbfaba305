package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// Store keeps records in one table. It is safe for concurrent use; any number of processes may share the table.
type Store struct {
	pool     *pgxpool.Pool
	renewer  *Store // which renews leases: itself, or one with another pool
	settings settings
	sql      statements
	strategy strategy
	recent   recent
	tries    int // of one claim: as many as the pool can hold dead connections, and one
	// lockOf numbers an id's advisory lock; tests replace it to make ids collide.
	lockOf func(table string, id runtime.ID) int64
}

var (
	_ runtime.LeaseStore[pgx.Tx] = (*Store)(nil)
	_ runtime.Explained          = (*LimitError)(nil)
	_ runtime.Explained          = (*SchemaError)(nil)
)

// Limits of an id, in bytes. An index row of a btree holds 2704, and both are in it.
const (
	MaxScope = 1536
	MaxKey   = 1024
)

// LimitError is returned by [Store.Claim] for an id that the table cannot hold.
type LimitError struct {
	What        string // "scope" or "key"
	Length, Max int    // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("pgstore: a %s of %d bytes cannot be stored; the table holds 1 to %d", e.What, e.Length, e.Max)
}

// LogText implements [runtime.Explained].
func (e *LimitError) LogText() string { return e.Error() }

// Strategy is how a store wins an id.
type Strategy int

const (
	// AdvisoryLock wins by a transaction-level advisory lock and writes the row once, complete, with the commit. It is
	// the default and the faster one, and needs PostgreSQL's advisory locks.
	AdvisoryLock Strategy = iota
	// InsertFirst wins by inserting a row that nobody else can see yet and completes it with the commit. It keeps the
	// same promise on PostgreSQL-compatible engines whose advisory locks do nothing or stay on one node.
	InsertFirst
)

type settings struct {
	table    string
	strategy Strategy
	tx       pgx.TxOptions
	renewals *pgxpool.Pool // nil: the store's own
}

// Option changes a store from its defaults.
type Option func(*settings) error

// WithTable names the table, optionally qualified by a schema: "billing.idempotency_keys". Each part is quoted, so
// capitals count. All processes must write the name in the same way: it is part of the lock. Name the schema where handlers
// change search_path: their setting holds when the record is written, and not when it is looked for.
func WithTable(name string) Option {
	return func(s *settings) error {
		parts := strings.Split(name, ".")
		if len(parts) > 2 {
			return fmt.Errorf("table %q: want TABLE or SCHEMA.TABLE", name)
		}
		for _, part := range parts {
			// PostgreSQL cuts a longer name off, silently but for a notice.
			if part == "" || len(part) > maxName || strings.ContainsRune(part, 0) {
				return fmt.Errorf("table %q: each part of the name has to have 1 to 63 bytes", name)
			}
		}
		s.table = name
		return nil
	}
}

// WithStrategy chooses how ids are won.
func WithStrategy(strategy Strategy) Option {
	return func(s *settings) error {
		if strategy != AdvisoryLock && strategy != InsertFirst {
			return fmt.Errorf("strategy %d is not known", strategy)
		}
		s.strategy = strategy
		return nil
	}
}

// WithTxOptions chooses the transactions that handlers work in, for example pgx.TxOptions{IsoLevel: pgx.Serializable}.
func WithTxOptions(options pgx.TxOptions) Option {
	return func(s *settings) error {
		if options.AccessMode == pgx.ReadOnly {
			return errors.New("a read-only transaction cannot keep a record")
		}
		s.tx = options
		return nil
	}
}

// New returns a store on pool. The table has to exist: see [SchemaSteps] and [Migrate]. Nothing is read or written yet;
// [Store.Check] finds a table that is missing or is another.
//
// The pool stays the caller's. Each transaction holds one connection; pgxpool's own defaults suit the store. A handler that
// takes a second connection from the same pool can wait for one that only handlers in the same need hold: it uses tx for
// everything, or another pool. In lease mode see [WithRenewalPool].
func New(pool *pgxpool.Pool, opts ...Option) (*Store, error) {
	if pool == nil {
		return nil, errors.New("pgstore.New: the pool is nil")
	}
	s := &Store{
		pool:     pool,
		settings: settings{table: DefaultTable},
		lockOf:   lockNumber,
		tries:    int(pool.Config().MaxConns) + 1,
	}
	for _, opt := range opts {
		if err := opt(&s.settings); err != nil {
			return nil, fmt.Errorf("pgstore.New: %w", err)
		}
	}
	s.sql = statementsFor(s.settings.table, s.settings.tx)
	s.renewer = s.newRenewer()
	switch s.settings.strategy {
	case InsertFirst:
		s.strategy = insertFirst{s}
	default:
		s.strategy = advisoryLock{s}
	}
	return s, nil
}

// Begin implements [runtime.Store].
func (s *Store) Begin(ctx context.Context) (runtime.Work[pgx.Tx], error) {
	w, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// begin opens a transaction. After a restart of the server every idle connection of the pool is dead, and each costs one try.
func (s *Store) begin(ctx context.Context) (*work, error) {
	for tries := 1; ; tries++ {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return nil, fmt.Errorf("pgstore: no connection: %w", err)
		}
		tx, err := conn.BeginTx(ctx, s.settings.tx)
		if err == nil {
			return newWork(s, conn, tx, nil, false), nil
		}
		err = leaveFailed(ctx, conn, err)
		if s.givesUp(ctx, tries, err) {
			return nil, fmt.Errorf("pgstore: begin: %w", err)
		}
	}
}

// Retryable implements [runtime.Store].
func (s *Store) Retryable(err error) bool { return retryable(err) }

// Violation implements [runtime.Store].
func (s *Store) Violation(err error) (constraint string, ok bool) { return violation(err) }
