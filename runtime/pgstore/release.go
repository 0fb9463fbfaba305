package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

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
	// StepsUndone allows Free where steps are done: whoever decides has undone what these did, in the own database as well as
	// at the other side. It is the record as the release finds it that counts, with the steps that it has by then.
	StepsUndone bool
}

// StepsDoneError is why Free is refused for work with steps that are done: what they wrote and called stays, and the next
// request would do it once more.
type StepsDoneError struct {
	// Steps are the names of the steps that are done, as they are stored; none where they cannot be read. Make them safe
	// before they are printed.
	Steps []string
}

// Error is one sentence that says what is done and how to mend it. The names in it are quoted and in ASCII.
func (e *StepsDoneError) Error() string {
	return e.Done() + ": undo what was done and say so by Release.StepsUndone, or hand the work over"
}

// Done is the first part of the sentence, for whoever offers other ways to mend it.
func (e *StepsDoneError) Done() string {
	names := make([]string, len(e.Steps))
	for i, name := range e.Steps {
		names[i] = fmt.Sprintf("%+q", name)
	}
	done := "steps that cannot be read"
	switch last := len(names) - 1; {
	case last == 0:
		done = "the step " + names[0]
	case last > 0:
		done = "the steps " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "the next request would run again what is done, " + done
}

// ReleaseAction is what a release does. The words are stored.
type ReleaseAction string

const (
	// HandOver takes the work from its worker and ends the lease, so that recovery, or the next request with the key, takes
	// it up at once: steps that are done are not run again, and one that may have begun is reconciled first. It is what a
	// lease does that runs out, and as safe.
	HandOver ReleaseAction = "handed over"
	// Free deletes the record, so that the next request with the key is the first again, with nothing known of what was
	// done. It is for work of which somebody has made sure that it had no effect anywhere, or has none any more. Where steps
	// are done, it is refused with a [*StepsDoneError] unless [Release].StepsUndone says that they are undone.
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

	freeSQL = `WITH ended AS (DELETE FROM TABLE` + fenced + ` AND ($7::boolean OR lease_until <= clock_timestamp()) AND ($8::boolean OR coalesce(octet_length(steps), 0) = 0)
RETURNING scope, key, operation, created_at, steps) ` + notedSQL

	stateSQL = `SELECT status, coalesce(epoch, 0), attempt, coalesce(lease_until > clock_timestamp(), false), steps FROM TABLE WHERE scope = $1::bytea AND key = $2::bytea`
)

// Release does what r says with the work in progress under id, if it is still what was seen, and keeps who did it, when and
// why, in the same transaction. [ErrMoved], [ErrNotInProgress], [ErrLeaseLive], [*StepsDoneError] and [ErrStandby] say why
// nothing was done. An error of the connection while it commits leaves that open: look again.
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
	args := []any{[]byte(id.Scope), packKey(id.Key), r.Seen.Epoch, token(r.Seen.Owner), reason, string(r.Action)}
	sql := freeSQL
	if r.Action == HandOver {
		// Nobody holds it under this owner: the worker that did has lost its lease, and the next one takes it over as ever.
		var nobody [16]byte
		_, _ = rand.Read(nobody[:]) // never fails
		sql, args = handOverSQL, append(args, token(nobody))
	} else {
		args = append(args, r.Force, r.StepsUndone)
	}
	// Not "READ WRITE", which a standby refuses by itself, with an error that other faults have as well.
	return a.within(ctx, "", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, a.store.onReleases(sql), args...)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		return a.refusal(ctx, tx, args[:2], &r)
	})
}

// refusal says why a release found nothing to do.
func (a *Admin) refusal(ctx context.Context, tx pgx.Tx, id []any, r *Release) error {
	var status int16
	var now Seen
	var live bool
	var steps []byte
	err := tx.QueryRow(ctx, a.store.onTable(stateSQL), id...).Scan(&status, &now.Epoch, &now.Owner, &live, &steps)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ErrNotInProgress
	case err != nil:
		return err
	case status != 0:
		return ErrNotInProgress
	case now != r.Seen:
		return ErrMoved
	case live && !r.Force:
		return ErrLeaseLive
	case len(steps) > 0 && !r.StepsUndone:
		return stepsDone(steps)
	default:
		return ErrMoved
	}
}

func stepsDone(stored []byte) *StepsDoneError {
	done, err := decodeSteps(stored)
	if err != nil {
		return &StepsDoneError{}
	}
	names := make([]string, len(done))
	for i, step := range done {
		names[i] = step.Name
	}
	return &StepsDoneError{Steps: names}
}

func (s *Store) onReleases(sql string) string {
	table := s.settings.table
	return strings.NewReplacer("TABLE", quoteTable(table), "RELEASES", quoteTable(derived(table, releasesSuffix))).Replace(sql)
}
