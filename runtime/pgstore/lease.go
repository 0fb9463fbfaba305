package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// leaseWait bounds how long a claim in lease mode waits for a transaction that holds its id: another claim's, which ends
// at once, or that of an operation in transaction mode under an account-wide scope, which lasts as long as its handler.
const leaseWait = time.Second

// ClaimLease implements [runtime.LeaseStore]: one round trip and one commit for a new id, one round trip and nothing
// written for one that is taken, and one more where an expired record is replaced or work is taken over.
func (s *Store) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	var claim runtime.LeaseClaim
	err := checkID(id)
	if err == nil {
		err = checkIntent(intent)
	}
	if err == nil {
		claim, err = s.claimLease(ctx, &leaseClaim{id: id, intent: intent, scope: []byte(id.Scope), key: packKey(id.Key)})
	}
	if err != nil {
		return runtime.LeaseClaim{}, fmt.Errorf("pgstore: claim: %w", err)
	}
	return claim, nil
}

func checkIntent(intent *runtime.Intent) error {
	switch {
	case intent.Lease <= 0:
		return fmt.Errorf("a lease of %v has to be positive", intent.Lease)
	case intent.FingerprintVersion != int(int16(intent.FingerprintVersion)):
		return fmt.Errorf("fingerprint version %d is too large", intent.FingerprintVersion)
	}
	return nil
}

// leaseClaim is a claim under way.
type leaseClaim struct {
	id         runtime.ID
	intent     *runtime.Intent
	scope, key []byte
}

// A claim goes by steps, each of which is one round trip: a statement that may win the row, and a look at what there is.
func (s *Store) claimLease(ctx context.Context, c *leaseClaim) (runtime.LeaseClaim, error) {
	sql := &s.sql.lease
	step := c.fresh(sql.claim)
	for tries := s.tries; ; tries-- {
		held, found, err := s.claimStep(ctx, c, step)
		switch {
		case err != nil && waitedInVain(err) && step.rival != nil:
			return runtime.LeaseClaim{Progress: step.rival}, nil // somebody is at it: its worker, or another that takes over
		case err != nil && waitedInVain(err):
			return runtime.LeaseClaim{}, fmt.Errorf("%w: %w", runtime.ErrBusy, err)
		case err != nil:
			return runtime.LeaseClaim{}, err
		case held != nil:
			return runtime.LeaseClaim{Held: held}, nil
		case found.live != nil:
			return runtime.LeaseClaim{Record: found.live}, nil
		}
		switch progress := found.progress; {
		case progress == nil && tries <= 1:
			return runtime.LeaseClaim{}, fmt.Errorf("%w: others keep taking it", runtime.ErrBusy)
		case found.expired:
			step = c.fresh(sql.replace)
		case progress == nil: // what was in the way has gone
			step = c.fresh(sql.claim)
		case tries <= 1:
			return runtime.LeaseClaim{Progress: progress}, nil
		case progress.Fence.Owner == c.intent.Owner: // this claim was made already, by a commit whose answer was lost
			step = c.mine(sql.mine)
		case progress.Left == 0 && c.isFor(progress):
			step = c.overtake(sql.overtake, progress)
		default:
			return runtime.LeaseClaim{Progress: progress}, nil
		}
	}
}

// isFor reports whether work in progress is of the same request.
func (c *leaseClaim) isFor(p *runtime.Progress) bool {
	return p.Operation == c.intent.Operation && p.FingerprintVersion == c.intent.FingerprintVersion && bytes.Equal(p.Fingerprint, c.intent.Fingerprint)
}

// claimStep is one try to win the row.
type claimStep struct {
	sql       string
	arguments []any
	scan      func(pgx.Row) (*runtime.Held, error)
	rival     *runtime.Progress // whom it is taken from
}

// fresh makes the row anew.
func (c *leaseClaim) fresh(sql string) claimStep {
	in := c.intent
	arguments := []any{
		c.scope, c.key, token(in.Owner), interval(in.Lease), int16(in.FingerprintVersion), notNull(in.Fingerprint), in.Operation, notNull(in.Request),
	}
	return claimStep{sql: sql, arguments: arguments, scan: func(row pgx.Row) (*runtime.Held, error) {
		held := &runtime.Held{
			ID: c.id, Fence: runtime.Fence{Owner: in.Owner}, Operation: in.Operation, FingerprintVersion: in.FingerprintVersion,
			Fingerprint: bytes.Clone(in.Fingerprint), Request: bytes.Clone(in.Request),
		}
		return held, row.Scan(&held.Fence.Epoch, &held.CreatedAt)
	}}
}

func (c *leaseClaim) overtake(sql string, from *runtime.Progress) claimStep {
	arguments := []any{c.scope, c.key, token(c.intent.Owner), interval(c.intent.Lease), from.Fence.Epoch, token(from.Fence.Owner)}
	return claimStep{sql: sql, arguments: arguments, scan: c.scanHeld, rival: from}
}

func (c *leaseClaim) mine(sql string) claimStep {
	return claimStep{sql: sql, arguments: []any{c.scope, c.key, token(c.intent.Owner)}, scan: c.scanHeld}
}

func (c *leaseClaim) scanHeld(row pgx.Row) (*runtime.Held, error) {
	held, err := scanHeld(row)
	if err == nil {
		held.ID = c.id
	}
	return held, err
}

// scanHeld reads heldColumns, after the given columns. Steps that are damaged make the record unreadable.
func scanHeld(row pgx.Row, before ...any) (*runtime.Held, error) {
	var (
		held    runtime.Held
		version int16
		epoch   pgtype.Int8
		created pgtype.Timestamptz
		steps   []byte
	)
	err := row.Scan(append(before, &epoch, &created, &held.Fence.Owner, &held.Operation, &version, &held.Fingerprint, &held.Request, &steps)...)
	if err != nil {
		return nil, err
	}
	held.Fence.Epoch, held.CreatedAt, held.FingerprintVersion = epochOf(epoch), created.Time, int(version)
	if held.Steps, err = storedSteps(epoch, steps); err != nil { // which is this record's fault, and no reason to leave others
		held.Request, held.Unreadable = nil, err
	}
	return &held, nil
}

func (s *Store) claimStep(ctx context.Context, c *leaseClaim, step claimStep) (held *runtime.Held, found look, err error) {
	err = s.own(ctx, leaseWait, func(batch *pgx.Batch) {
		batch.Queue(step.sql, step.arguments...)
		batch.Queue(s.sql.lease.look, c.scope, c.key)
	}, func(results pgx.BatchResults, _ bool) error {
		held, err = step.scan(results.QueryRow())
		if errors.Is(err, pgx.ErrNoRows) {
			held, err = nil, nil
		}
		if err != nil {
			return err
		}
		rows, err := results.Query()
		found, err = scanRow(rows, err, true)
		return err
	})
	return held, found, err
}

// Look implements [runtime.LeaseStore]: one round trip, and no transaction that outlasts it.
func (s *Store) Look(ctx context.Context, id runtime.ID) (runtime.Look, error) {
	if err := checkID(id); err != nil {
		return runtime.Look{}, err
	}
	var found look
	err := s.ask(ctx, s.sql.lease.look, []any{[]byte(id.Scope), packKey(id.Key)}, func(rows pgx.Rows, err error) error {
		found, err = scanRow(rows, err, true)
		return err
	})
	if err != nil {
		return runtime.Look{}, fmt.Errorf("pgstore: look: %w", err)
	}
	return runtime.Look{Record: found.live, Progress: found.progress}, nil
}
