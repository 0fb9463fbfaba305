package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// Release ends work in progress by hand.
type Release struct {
	// Action is what is done.
	Action ReleaseAction
	// Seen is what the record was when whoever decides looked at it: [Entry].Seen.
	Seen Seen
	// Reason is kept with the release, in the table of releases.
	Reason string
	// Force allows Free while the lease is not over. A worker that is still at it goes on to do what it does, and cannot
	// store it.
	Force bool
}

// ReleaseAction is what a release does. The words are stored.
type ReleaseAction string

const (
	// HandOver takes the work from its worker and ends the lease, so that recovery, or the next request with the key, takes
	// it up at once: steps that are done are not run again, and one that may have begun is reconciled first. It is what a
	// lease does that runs out, and as safe.
	HandOver ReleaseAction = "handed over"
	// Free deletes the record, so that the next request with the key is the first again, with nothing known of what was
	// done. It is for work of which somebody has made sure that it had no effect anywhere.
	Free ReleaseAction = "freed"
)

// maxReason bounds a reason, in bytes.
const maxReason = 2000

// Both are one statement with its note in the table of releases: neither is without the other. The owner tells apart two
// records that had the same epoch.
const (
	notedSQL = `INSERT INTO RELEASES (released_by, reason, action, scope, key, operation, created_at, epoch, steps)
SELECT session_user || CASE WHEN current_user = session_user THEN '' ELSE ' as ' || current_user END, $5::text, $6::text, scope, key, operation, created_at, $3::bigint, steps
FROM ended`

	handOverSQL = `WITH ended AS (UPDATE TABLE SET epoch = epoch + 1, attempt = $7::uuid, lease_until = clock_timestamp()` + fenced + `
RETURNING scope, key, operation, created_at, steps) ` + notedSQL

	freeSQL = `WITH ended AS (DELETE FROM TABLE` + fenced + ` AND ($7::boolean OR lease_until <= clock_timestamp())
RETURNING scope, key, operation, created_at, steps) ` + notedSQL

	stateSQL = `SELECT status, coalesce(epoch, 0), attempt, coalesce(lease_until > clock_timestamp(), false) FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea`
)

// Release does what r says with the work in progress under id, if it is still what was seen, and keeps who did it, when and
// why, in the same transaction. [ErrMoved], [ErrNotInProgress], [ErrLeaseLive] and [ErrStandby] say why nothing was done. An
// error of the connection while it commits leaves that open: look again.
func (a *Admin) Release(ctx context.Context, id runtime.ID, r Release) error {
	if err := checkLookup(id); err != nil {
		return err
	}
	reason := strings.TrimSpace(r.Reason)
	switch {
	case reason == "":
		return errors.New("pgstore: a release has a reason: it is what the next person reads")
	case len(reason) > maxReason || !utf8.ValidString(reason) || strings.ContainsRune(reason, 0):
		return fmt.Errorf("pgstore: a reason is a text of at most %d bytes", maxReason)
	case r.Action != HandOver && r.Action != Free:
		return fmt.Errorf("pgstore: a release hands over or frees, and does not do %q", string(r.Action))
	}
	args := []any{[]byte(id.Scope), packKey(id.Key), r.Seen.Epoch, pgtype.UUID{Bytes: r.Seen.Owner, Valid: true}, reason, string(r.Action)}
	sql := freeSQL
	if r.Action == HandOver {
		// Nobody holds it under this owner: the worker that did has lost its lease, and the next one takes it over as ever.
		nobody := pgtype.UUID{Valid: true}
		_, _ = rand.Read(nobody.Bytes[:]) // never fails
		sql, args = handOverSQL, append(args, nobody)
	} else {
		args = append(args, r.Force)
	}
	// Not "READ WRITE", which a standby refuses by itself, with an error that other faults have as well.
	return a.within(ctx, "", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, a.store.onReleases(sql), args...)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		return a.refusal(ctx, tx, args[:4], r.Seen)
	})
}

// refusal says why a release found nothing to do.
func (a *Admin) refusal(ctx context.Context, tx pgx.Tx, id []any, seen Seen) error {
	var status int16
	var now Seen
	var live bool
	err := tx.QueryRow(ctx, a.store.onTable(stateSQL), id[:2]...).Scan(&status, &now.Epoch, &now.Owner, &live)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ErrNotInProgress
	case err != nil:
		return err
	case status != 0:
		return ErrNotInProgress
	case now == seen && live:
		return ErrLeaseLive
	default:
		return ErrMoved
	}
}

func (s *Store) onReleases(sql string) string {
	table := s.settings.table
	return strings.NewReplacer("TABLE", quoteTable(table), "RELEASES", quoteTable(derived(table, releasesSuffix))).Replace(sql)
}
