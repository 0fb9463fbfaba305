package pgstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime"
)

// parameters are a record as insertSQL and completeSQL number it.
func parameters(t *target, rec *runtime.Record) []any {
	body := rec.Body
	switch {
	case rec.BodyState != runtime.BodyStored:
		body = nil
	case body == nil:
		body = []byte{} // stored and empty, which is not null
	}
	fingerprint := rec.Fingerprint
	if fingerprint == nil {
		fingerprint = []byte{}
	}
	return []any{
		t.scope,
		t.key,
		pgtype.Interval{Microseconds: rec.Retention.Microseconds(), Valid: true},
		pgtype.UUID{Bytes: rec.Attempt, Valid: true},
		int16(rec.Status),
		int16(rec.BodyState),
		int16(rec.FingerprintVersion),
		fingerprint,
		rec.Operation,
		encodeHeader(rec.Header),
		body,
	}
}

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

// look is what looking for a record came to: a live one, an expired one, or, as the zero value, none.
type look struct {
	live    *runtime.Record
	expired bool
}

// scanLook reads the answer of findSQL. Most looks find nothing, so nothing is made ready for a record before there is one.
func scanLook(rows pgx.Rows, err error) (look, error) {
	if err != nil {
		return look{}, err
	}
	defer rows.Close()
	if !rows.Next() {
		rows.Close()
		return look{}, rows.Err()
	}
	var (
		rec                        runtime.Record
		live                       bool
		status, bodyState, version int16
		header                     []byte
	)
	err = rows.Scan(&live, &rec.CreatedAt, &rec.ExpiresAt, &rec.Attempt, &status, &bodyState, &version,
		&rec.Fingerprint, &rec.Operation, &header, &rec.Body)
	rows.Close()
	switch {
	case err != nil:
		return look{}, err
	case rows.Err() != nil:
		return look{}, rows.Err()
	case !live:
		return look{expired: true}, nil
	}
	rec.Status, rec.BodyState, rec.FingerprintVersion = int(status), runtime.BodyState(bodyState), int(version)
	rec.Retention = rec.ExpiresAt.Sub(rec.CreatedAt)
	if rec.Header, err = decodeHeader(header); err != nil {
		return look{}, err
	}
	return look{live: &rec}, nil
}

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
			encoded = appendText(appendText(encoded, name), value)
		}
	}
	return encoded
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

var errHeader = errors.New("the stored headers are damaged")

func decodeHeader(encoded []byte) (http.Header, error) {
	header := http.Header{}
	for len(encoded) > 0 {
		var pair [2]string
		for i := range pair {
			length, n := binary.Uvarint(encoded)
			if n <= 0 || length > uint64(len(encoded)-n) {
				return nil, errHeader
			}
			pair[i] = string(encoded[n : n+int(length)])
			encoded = encoded[n+int(length):]
		}
		header[pair[0]] = append(header[pair[0]], pair[1])
	}
	return header, nil
}

// milliseconds is a duration as lock_timeout takes it, rounded up: 0 would mean no limit.
func milliseconds(d time.Duration) int64 {
	return max(1, int64((d+time.Millisecond-1)/time.Millisecond))
}
