package pgstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// parameters are a record as insertSQL and completeSQL number it.
func parameters(t *target, rec *runtime.Record) []any {
	return []any{
		t.scope,
		t.key,
		interval(rec.Retention),
		token(rec.Attempt),
		int16(rec.Status),
		int16(rec.BodyState),
		int16(rec.FingerprintVersion),
		notNull(rec.Fingerprint),
		rec.Operation,
		encodeHeader(rec.Header),
		bodyOf(rec),
	}
}

// bodyOf is a record's body as a parameter: null where none is stored, and not null where an empty one is.
func bodyOf(rec *runtime.Record) []byte {
	if rec.BodyState != runtime.BodyStored {
		return nil
	}
	return notNull(rec.Body)
}

func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

func token(t [16]byte) pgtype.UUID { return pgtype.UUID{Bytes: t, Valid: true} }

// checkRecord refuses what the table cannot hold before anything is sent.
func checkRecord(rec *runtime.Record) error {
	switch {
	case rec.Status < 100 || rec.Status > 999:
		return fmt.Errorf("status %d is not an HTTP status", rec.Status)
	case rec.Retention <= 0:
		return fmt.Errorf("retention %v has to be positive", rec.Retention)
	case rec.BodyState != runtime.BodyStored && rec.BodyState != runtime.BodyOmitted && rec.BodyState != runtime.BodyTooLarge:
		return fmt.Errorf("body state %d is not known", rec.BodyState)
	case rec.FingerprintVersion != int(int16(rec.FingerprintVersion)):
		return fmt.Errorf("fingerprint version %d is too large", rec.FingerprintVersion)
	}
	return nil
}

// look is what looking for a record came to: a live one, an expired one, work in progress, or, as the zero value, none.
type look struct {
	live     *runtime.Record
	expired  bool
	leased   bool
	progress *runtime.Progress // of leased, where lease mode asks
}

// scanLook reads the answer of findSQL, which tells of work in progress only that there is some.
func scanLook(rows pgx.Rows, err error) (look, error) { return scanRow(rows, err, false) }

// scanRow reads the answer of findSQL, or of lookSQL, which has the columns of lease mode as well. Most looks find nothing,
// so nothing is made ready for a record before there is one.
func scanRow(rows pgx.Rows, err error, lease bool) (look, error) {
	if err != nil {
		return look{}, err
	}
	defer rows.Close()
	if !rows.Next() {
		rows.Close()
		return look{}, rows.Err()
	}
	rec, row := &runtime.Record{}, &lookRow{}
	targets := append(make([]any, 0, 14), &row.live, &row.created, &row.expires, &rec.Attempt, &row.status, &row.bodyState, &row.version,
		&rec.Fingerprint, &rec.Operation, &row.header, &rec.Body)
	if lease {
		targets = append(targets, &row.epoch, &row.steps, &row.left)
	}
	err = rows.Scan(targets...)
	rows.Close()
	switch {
	case err != nil: // of a row that is there
		return look{}, fmt.Errorf("%w: %w", runtime.ErrUnreadable, err)
	case rows.Err() != nil:
		return look{}, rows.Err()
	case !row.live:
		return look{expired: true}, nil
	case row.status == inProgress && !lease:
		return look{leased: true}, nil
	case row.status == inProgress:
		return look{leased: true, progress: row.progress(rec)}, nil
	}
	rec.CreatedAt, rec.ExpiresAt = row.created.Time, row.expires.Time
	rec.Status, rec.BodyState, rec.FingerprintVersion = int(row.status), runtime.BodyState(row.bodyState), int(row.version)
	rec.Retention = rec.ExpiresAt.Sub(rec.CreatedAt)
	rec.Header, err = decodeHeader(row.header)
	if err == nil {
		err = row.damage()
	}
	if err != nil { // the request was carried out all the same
		rec.Body, rec.Unreadable = nil, runtime.Explain("a stored record is damaged", err)
	}
	return look{live: rec}, nil
}

// progress is the row of work in progress, of which rec has what both kinds have.
func (row *lookRow) progress(rec *runtime.Record) *runtime.Progress {
	progress := &runtime.Progress{
		Operation: rec.Operation, FingerprintVersion: int(row.version), Fingerprint: rec.Fingerprint,
		Fence: runtime.Fence{Epoch: epochOf(row.epoch), Owner: rec.Attempt}, CreatedAt: row.created.Time, Left: time.Duration(row.left) * time.Microsecond,
	}
	var err error
	if progress.Steps, err = storedSteps(row.epoch, row.steps); err != nil {
		progress.Unreadable = err
	}
	return progress
}

// damage finds what no record can be that the store has written.
func (row *lookRow) damage() error {
	switch state := runtime.BodyState(row.bodyState); {
	case row.status < 200 || row.status > 999:
		return errors.New("its status is not one of an answer")
	case state != runtime.BodyStored && state != runtime.BodyOmitted && state != runtime.BodyTooLarge:
		return errors.New("what became of its body is not known")
	case row.created.InfinityModifier != pgtype.Finite:
		return errors.New("its time is none")
	}
	return nil
}

// lookRow is what a look reads beside the record's own fields. It is one allocation; a variable for each would be one each.
type lookRow struct {
	live                       bool
	status, bodyState, version int16
	created, expires           pgtype.Timestamptz // never, for work in progress, is the latter
	header, steps              []byte
	epoch                      pgtype.Int8
	left                       int64
}

// inProgress is the status of a row that lease mode holds.
const inProgress = 0

// encodeHeader writes names and values in turn, each after its length as a varint, names sorted: any value survives,
// whatever bytes it holds, and equal headers give equal bytes.
func encodeHeader(header http.Header) []byte {
	names := make([]string, 0, len(header))
	size := 0
	for name, values := range header {
		names = append(names, name)
		for _, value := range values {
			size += len(name) + len(value) + 2*binary.MaxVarintLen16
		}
	}
	sort.Strings(names)
	encoded := make([]byte, 0, size)
	for _, name := range names {
		for _, value := range header[name] {
			encoded = appendBytes(appendBytes(encoded, name), value)
		}
	}
	return encoded
}

// appendBytes appends part after its length, for cutBytes.
func appendBytes[T string | []byte](to []byte, part T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(part))), part...)
}

// cutBytes takes from encoded what appendBytes has put there first.
func cutBytes(encoded []byte) (part, rest []byte, ok bool) {
	length, n := binary.Uvarint(encoded)
	if n <= 0 || length > uint64(len(encoded)-n) {
		return nil, nil, false
	}
	end := n + int(length)
	return encoded[n:end:end], encoded[end:], true
}

var errHeader = errors.New("the stored headers are damaged")

func decodeHeader(encoded []byte) (http.Header, error) {
	header := http.Header{}
	for len(encoded) > 0 {
		var pair [2]string
		for i := range pair {
			part, rest, ok := cutBytes(encoded)
			if !ok {
				return nil, errHeader
			}
			pair[i], encoded = string(part), rest
		}
		header[pair[0]] = append(header[pair[0]], pair[1])
	}
	return header, nil
}

// milliseconds is a duration as lock_timeout takes it, rounded up: 0 would mean no limit. It takes no more than some 24 days.
func milliseconds(d time.Duration) int64 {
	whole := int64(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		whole++
	}
	return min(max(1, whole), math.MaxInt32)
}
