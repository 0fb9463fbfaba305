package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

var _ runtime.Clock = (*Store)(nil)

// Now implements [runtime.Clock]: one round trip, and no transaction that outlasts it.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	err = s.ask(ctx, nowSQL, nil, func(rows pgx.Rows, err error) error {
		if err != nil {
			return err
		}
		now, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[time.Time])
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("pgstore: now: %w", err)
	}
	return now, nil
}

const nowSQL = `SELECT clock_timestamp()`
