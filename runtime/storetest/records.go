package storetest

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

func commitsTogether[TX any](t *testing.T, b *bench[TX]) {
	id := testID("together")
	work := b.win(b.Store, id)
	b.effect(work, "together")
	b.commit(work, testRecord())
	b.wantEffects("together", 1)
	b.find(b.Store, id)
	b.find(b.Other, id)
}

func rollbackLeavesNothing[TX any](t *testing.T, b *bench[TX]) {
	id := testID("rollback")
	work := b.win(b.Store, id)
	b.effect(work, "rollback")
	b.rollback(work)
	b.wantEffects("rollback", 0)
	b.free(b.Store, id)
	b.free(b.Other, id)
}

func nothingBeforeCommit[TX any](t *testing.T, b *bench[TX]) {
	id := testID("before")
	work := b.win(b.Store, id)
	b.effect(work, "before")
	b.wantEffects("before", 0)
	claim, err := b.Other.Claim(b.context(), id, 0)
	if err != nil || claim.Record != nil || claim.Work != nil {
		t.Errorf("another claim before the commit: %+v, %v", claim, err)
	}
	b.commit(work, testRecord())
	b.wantEffects("before", 1)
}

func keepsEveryField[TX any](t *testing.T, b *bench[TX]) {
	for name, change := range map[string]func(*runtime.Record){
		"as usual":             func(*runtime.Record) {},
		"another status":       func(r *runtime.Record) { r.Status = 402 },
		"the last status":      func(r *runtime.Record) { r.Status = 599 },
		"another version":      func(r *runtime.Record) { r.FingerprintVersion = 7 },
		"a short fingerprint":  func(r *runtime.Record) { r.Fingerprint = []byte{0} },
		"a long operation":     func(r *runtime.Record) { r.Operation = strings.Repeat("operation", 20) },
		"a UTF-8 operation":    func(r *runtime.Record) { r.Operation = "Überweisung/anlegen" },
		"all bits of attempt":  func(r *runtime.Record) { r.Attempt = [16]byte(bytes.Repeat([]byte{0xff}, 16)) },
		"no bits of attempt":   func(r *runtime.Record) { r.Attempt = [16]byte{} },
		"a year of retention":  func(r *runtime.Record) { r.Retention = 365 * 24 * time.Hour },
		"a second's retention": func(r *runtime.Record) { r.Retention = 1500 * time.Millisecond },
	} {
		want := testRecord()
		change(want)
		id := testID(name)
		b.commit(b.win(b.Store, id), want)
		got := b.find(b.Other, id)
		if diff := difference(got, want); diff != "" {
			t.Errorf("%s: %s differs:\n got %+v\nwant %+v", name, diff, got, want)
		}
	}
}

func keepsBodies[TX any](t *testing.T, b *bench[TX]) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, c := range map[string]struct {
		body  []byte
		state runtime.BodyState
	}{
		"nil":       {nil, runtime.BodyStored},
		"empty":     {[]byte{}, runtime.BodyStored},
		"NUL":       {[]byte{0}, runtime.BodyStored},
		"every":     {every, runtime.BodyStored},
		"large":     {bytes.Repeat(every, 3<<20/256), runtime.BodyStored},
		"omitted":   {nil, runtime.BodyOmitted},
		"too large": {nil, runtime.BodyTooLarge},
	} {
		want := testRecord()
		want.Body, want.BodyState = c.body, c.state
		id := testID("body " + name)
		b.commit(b.win(b.Store, id), want)
		if diff := difference(b.find(b.Other, id), want); diff != "" {
			t.Errorf("%s body: %s differs", name, diff)
		}
	}
}

func keepsHeaders[TX any](t *testing.T, b *bench[TX]) {
	for name, header := range map[string]http.Header{
		"nil":        nil,
		"empty":      {},
		"several":    {"Link": {"<a>; rel=next", "<b>; rel=prev", "<a>; rel=next"}, "Etag": {`"x"`}},
		"no text":    {"X-Empty": {""}},
		"Latin 1":    {"X-Name": {"caf\xe9 \x80\xff"}},
		"UTF-8":      {"X-Name": {"café ☕"}},
		"separators": {"X-Odd": {"a: b, c; d=\"e\"\tf\\g{}[]'"}},
		"long":       {"Link": {strings.Repeat("x", 16<<10)}},
	} {
		want := testRecord()
		want.Header = header
		id := testID("header " + name)
		b.commit(b.win(b.Store, id), want)
		if diff := difference(b.find(b.Other, id), want); diff != "" {
			t.Errorf("%s header: %s differs: got %q", name, diff, b.find(b.Other, id).Header)
		}
	}
}

func recordsAreCopies[TX any](t *testing.T, b *bench[TX]) {
	id := testID("copies")
	given := testRecord()
	want := *given
	want.Header, want.Body, want.Fingerprint = given.Header.Clone(), bytes.Clone(given.Body), bytes.Clone(given.Fingerprint)
	b.commit(b.win(b.Store, id), given)

	spoil := func(r *runtime.Record) {
		r.Header["Location"][0] = "/spoilt"
		r.Header.Set("X-Spoilt", "yes")
		r.Body[0], r.Fingerprint[0], r.Status = 'x', r.Fingerprint[0]+1, 500
	}
	spoil(given)
	if diff := difference(b.find(b.Store, id), &want); diff != "" {
		t.Errorf("changing the committed record changed the stored %s", diff)
	}
	spoil(b.find(b.Store, id))
	if diff := difference(b.find(b.Store, id), &want); diff != "" {
		t.Errorf("changing a found record changed the stored %s", diff)
	}
}

func idsDiffer[TX any](t *testing.T, b *bench[TX]) {
	long := strings.Repeat("k", 1000)
	ids := []runtime.ID{
		{Scope: "p1:a", Key: "bc"},
		{Scope: "p1:ab", Key: "c"},
		{Scope: "p1:a", Key: "BC"},
		{Scope: "P1:a", Key: "bc"},
		{Scope: "p1:a", Key: "bc "},
		{Scope: "p1:a", Key: " bc"},
		{Scope: "p1:a", Key: "bc\x00"},
		{Scope: "p1:a\x00", Key: "bc"},
		{Scope: "p1:a\xff", Key: "bc"},
		{Scope: "p1:a", Key: "b\u0301c"},
		{Scope: "p1:a", Key: "é"},
		{Scope: "p1:a", Key: "e\u0301"},
		{Scope: "p1:a", Key: "日本語☕"},
		{Scope: "p1:a", Key: long},
		{Scope: "p1:a", Key: long + "x"},
		{Scope: long, Key: long},
		{Scope: long + "x", Key: long},
		{Scope: "p1:a", Key: "%"},
		{Scope: "p1:a", Key: "_"},
		{Scope: "p1:a", Key: `\`},
		{Scope: "p1:a", Key: "'; DROP TABLE idempotency_keys; --"},
	}
	for i, id := range ids {
		record := testRecord()
		record.Status = 200 + i
		b.commit(b.win(b.Store, id), record)
	}
	for i, id := range ids {
		if got := b.find(b.Other, id).Status; got != 200+i {
			t.Errorf("id %d (%q): found the record of id %d", i, id, got-200)
		}
	}
}

// difference names the first field in which two records differ; times are not compared, and neither are nil and empty.
func difference(got, want *runtime.Record) string {
	switch {
	case got.Operation != want.Operation:
		return "Operation"
	case got.FingerprintVersion != want.FingerprintVersion:
		return "FingerprintVersion"
	case !bytes.Equal(got.Fingerprint, want.Fingerprint):
		return "Fingerprint"
	case got.Attempt != want.Attempt:
		return "Attempt"
	case got.Status != want.Status:
		return "Status"
	case !maps.EqualFunc(got.Header, want.Header, slices.Equal[[]string]):
		return "Header"
	case !bytes.Equal(got.Body, want.Body):
		return "Body"
	case got.BodyState != want.BodyState:
		return "BodyState"
	case got.BodyState != runtime.BodyStored && got.Body != nil:
		return "Body (set though it is not stored)"
	default:
		return ""
	}
}
