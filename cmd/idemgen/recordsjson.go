package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// These are `idemgen records --json`. Members are only ever added.
type (
	recordsJSON struct {
		Version int         `json:"version"`
		Records []entryJSON `json:"records"`
		Next    string      `json:"next,omitempty"`
	}

	entryJSON struct {
		Ref       string      `json:"ref"`
		State     string      `json:"state"` // "in progress", "complete", "expired"
		Operation string      `json:"operation"`
		Scope     []scopeJSON `json:"scope"`
		Key       *bytesJSON  `json:"key,omitempty"`
		Created   time.Time   `json:"created"`
		Age       float64     `json:"ageSeconds"`

		Seen      string     `json:"seen,omitempty"`
		Epoch     int64      `json:"epoch,omitempty"`
		Overdue   *bool      `json:"overdue,omitempty"`
		LeaseLeft *float64   `json:"leaseLeftSeconds,omitempty"` // below 0: over for so long
		Steps     []stepJSON `json:"steps,omitempty"`
		Damaged   bool       `json:"stepsDamaged,omitempty"`

		Expires *time.Time          `json:"expires,omitempty"`
		Status  int                 `json:"status,omitempty"`
		Header  map[string][]string `json:"headers,omitempty"`
		Request *storedJSON         `json:"request,omitempty"`
		Body    *storedJSON         `json:"body,omitempty"`
	}

	scopeJSON struct {
		Kind   string    `json:"kind"` // "principal", "operation", "region", "header", "unknown"
		Value  bytesJSON `json:"value"`
		Hashed bool      `json:"hashed,omitempty"`
		Absent bool      `json:"absent,omitempty"`
	}

	stepJSON struct {
		Name   string     `json:"name"`
		Result storedJSON `json:"result"`
	}

	storedJSON struct {
		Bytes    int64      `json:"bytes"`
		Sealed   bool       `json:"sealed,omitempty"`
		SealedBy *bytesJSON `json:"sealedBy,omitempty"`
		Content  *bytesJSON `json:"content,omitempty"`
	}

	countsJSON struct {
		Version    int                  `json:"version"`
		Operations []operationCountJSON `json:"operations"`
		Records    *int64               `json:"recordsAbout,omitempty"`
		Bytes      int64                `json:"bytesOnDisk"`
	}

	operationCountJSON struct {
		Operation      string  `json:"operation"`
		InProgress     int64   `json:"inProgress"`
		Oldest         float64 `json:"oldestSeconds"`
		Overdue        int64   `json:"overdue"`
		LongestOverdue float64 `json:"longestOverdueSeconds"`
	}
)

// bytesJSON is text as a string, and other bytes as {"base64": ...}.
type bytesJSON []byte

func (b bytesJSON) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string][]byte{"base64": b})
}

func bytesOf(text string) *bytesJSON {
	b := bytesJSON(text)
	return &b
}

func entriesJSON(entries []pgstore.Entry, reveal bool) []entryJSON {
	all := make([]entryJSON, len(entries))
	for i := range entries {
		all[i] = entryJSONOf(&entries[i], reveal)
	}
	return all
}

func entryJSONOf(e *pgstore.Entry, reveal bool) entryJSON {
	j := entryJSON{
		Ref: e.Ref, State: state(e), Operation: e.Operation, Scope: scopeJSONOf(e.ID.Scope), Created: e.CreatedAt.UTC(), Age: e.Age.Seconds(),
		Status: e.Status, Header: e.Header, Damaged: e.StepsDamaged,
	}
	if reveal {
		j.Key = bytesOf(e.ID.Key)
	}
	if !e.InProgress {
		expires := e.ExpiresAt.UTC()
		j.Expires, j.Body = &expires, storedJSONOf(e.Body)
		return j
	}
	overdue, left := e.Overdue(), e.Left.Seconds()
	j.Seen, j.Epoch, j.Overdue, j.LeaseLeft = seenText(e.Seen), e.Seen.Epoch, &overdue, &left
	j.Request = storedJSONOf(e.Request)
	for _, step := range e.Steps {
		j.Steps = append(j.Steps, stepJSON{step.Name, *storedJSONOf(step.Result)})
	}
	return j
}

func scopeJSONOf(scope string) []scopeJSON {
	parts, ok := runtime.ParseScope(scope)
	if !ok {
		return []scopeJSON{{Kind: "unknown", Value: bytesJSON(scope)}}
	}
	all := make([]scopeJSON, len(parts))
	for i, part := range parts {
		all[i] = scopeJSON{Kind: part.Kind, Value: bytesJSON(part.Value), Hashed: part.Hashed, Absent: part.Absent}
	}
	return all
}

func storedJSONOf(v pgstore.Stored) *storedJSON {
	j := &storedJSON{Bytes: v.Bytes, Sealed: v.Sealed}
	if v.Sealed {
		j.SealedBy = bytesOf(v.SealedBy)
	}
	if v.Content != nil {
		j.Content = bytesOf(string(v.Content))
	}
	return j
}

func countsJSONOf(counts pgstore.Counts) countsJSON {
	j := countsJSON{Version: 1, Operations: []operationCountJSON{}, Bytes: counts.Bytes}
	if counts.Records >= 0 {
		j.Records = &counts.Records
	}
	for _, c := range counts.Operations {
		j.Operations = append(j.Operations, operationCountJSON{c.Operation, c.InProgress, c.Oldest.Seconds(), c.Overdue, c.LongestOverdue.Seconds()})
	}
	return j
}

// writeRecordJSON writes JSON in ASCII: what a row holds is not to act on the terminal that it is printed on.
func writeRecordJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	var ascii bytes.Buffer
	for _, r := range text.String() {
		switch {
		case r == '\n' || r >= ' ' && r < 0x7f:
			ascii.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, high, low)
		}
	}
	_, err := w.Write(ascii.Bytes())
	return err
}
