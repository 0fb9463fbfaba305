package pgstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// Entry is a record as an [Admin] shows it. Scope, key, and everything that came from a client can hold any bytes: make them
// safe before they are printed.
type Entry struct {
	// Ref names the record in 16 hexadecimal digits. They are a hash of scope and key, and tell neither. See [RefOf].
	Ref       string
	ID        runtime.ID
	Operation string
	// InProgress is true for work in progress. Otherwise the record is complete, with Status; Expired says that it counts as
	// absent.
	InProgress, Expired bool
	Status              int
	// CreatedAt is when the work was claimed, or completed. Age is how long ago that is, by the database's clock.
	CreatedAt time.Time
	Age       time.Duration
	// ExpiresAt is zero for work in progress.
	ExpiresAt time.Time

	// Seen is what the record was when it was looked at: a release changes it only if it still is that.
	Seen Seen
	// Left is what is left of the lease; below 0, how long it has been over. Only for work in progress.
	Left time.Duration
	// Steps are the steps that are done.
	Steps []EntryStep
	// StepsDamaged: the stored steps cannot be read.
	StepsDamaged bool

	FingerprintVersion int
	Fingerprint        []byte
	BodyState          runtime.BodyState
	// Request is the stored request, of work in progress; see [runtime.ReadStoredRequest]. Body is the stored answer's.
	Request, Body Stored
	// Header is the stored answer's; nil unless it was asked for.
	Header http.Header
}

// EntryStep is a step that is done.
type EntryStep struct {
	Name   string
	Result Stored
}

// Stored is something that a record keeps.
type Stored struct {
	Bytes int64
	// Sealed says that it is encrypted, SealedBy with which key.
	Sealed   bool
	SealedBy string
	// Content is what is stored; nil unless it was asked for.
	Content []byte
}

// Seen is one state of work in progress: the epoch counts its workers, the owner tells apart those that had the same.
type Seen = runtime.Fence

// Overdue says that the lease is over and nobody has taken the work over.
func (e *Entry) Overdue() bool { return e.InProgress && e.Left <= 0 }

// RefOf is the [Entry].Ref of a record.
func RefOf(id runtime.ID) string {
	key := packKey(id.Key)
	text := binary.BigEndian.AppendUint32(nil, uint32(len(id.Scope)))
	text = append(append(text, id.Scope...), key...)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:refBytes])
}

const (
	refBytes = 8

	// refSQL is RefOf in the database. It is computed for the work in progress only.
	refSQL = `encode(substr(sha256(int4send(octet_length(scope)) || scope || key), 1, 8), 'hex')`

	// An infinite time cannot be subtracted from. Lengths are known without the value being read.
	entryColumns = `scope, key, operation, status, body_state, fingerprint_version, fingerprint, attempt, coalesce(epoch, 0), created_at,
extract(epoch FROM clock_timestamp() - created_at)::float8, CASE WHEN isfinite(expires_at) THEN expires_at END, expires_at <= clock_timestamp(),
CASE WHEN isfinite(lease_until) THEN extract(epoch FROM lease_until - clock_timestamp())::float8 END,
steps, coalesce(octet_length(request), 0)::bigint, CASE WHEN $1::boolean THEN request ELSE substr(request, 1, 300) END,
coalesce(octet_length(body), 0)::bigint, CASE WHEN $1::boolean THEN body ELSE substr(body, 1, 300) END, headers`
)

// scanEntries reads rows of entryColumns.
func scanEntries(rows pgx.Rows, err error, reveal bool) ([]Entry, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) { return scanEntry(row, reveal) })
}

func scanEntry(row pgx.CollectableRow, reveal bool) (Entry, error) {
	var e Entry
	var scope, key, steps, request, body, header []byte
	var status, bodyState, version int16
	var age float64
	var left *float64
	var expires pgtype.Timestamptz
	err := row.Scan(&scope, &key, &e.Operation, &status, &bodyState, &version, &e.Fingerprint, &e.Seen.Owner, &e.Seen.Epoch, &e.CreatedAt,
		&age, &expires, &e.Expired, &left, &steps, &e.Request.Bytes, &request, &e.Body.Bytes, &body, &header)
	if err != nil {
		return Entry{}, err
	}
	e.ID = runtime.ID{Scope: string(scope), Key: unpackKey(key)}
	e.Ref = RefOf(e.ID)
	e.Status, e.BodyState, e.FingerprintVersion = int(status), runtime.BodyState(bodyState), int(version)
	e.Age, e.ExpiresAt, e.Left = seconds(&age), expires.Time, seconds(left)
	e.Request, e.Body = stored(e.Request.Bytes, request, reveal), stored(e.Body.Bytes, body, reveal)
	if reveal {
		e.Header, _ = decodeHeader(header) // a damaged one is left out: the rest is what one looks for
	}
	if e.InProgress = status == 0; !e.InProgress {
		e.Seen = Seen{}
		return e, nil
	}
	done, err := decodeSteps(steps)
	e.StepsDamaged = err != nil
	for _, step := range done {
		e.Steps = append(e.Steps, EntryStep{Name: step.Name, Result: stored(int64(len(step.Result)), step.Result, reveal)})
	}
	return e, nil
}

// stored is a stored value of a length, of which the beginning at least is given.
func stored(length int64, content []byte, reveal bool) Stored {
	s := Stored{Bytes: length}
	s.SealedBy, s.Sealed = runtime.SealedBy(content)
	if reveal {
		s.Content = content
	}
	return s
}
