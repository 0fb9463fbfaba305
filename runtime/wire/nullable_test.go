package wire

import (
	"encoding/json"
	"testing"
	"time"
)

func TestNullable_JSON(t *testing.T) {
	type patch struct {
		Note Nullable[string] `json:"note,omitzero"`
		Due  Nullable[Date]   `json:"due,omitzero"`
	}
	for _, text := range []string{`{}`, `{"note":null}`, `{"note":"<a>"}`, `{"note":"","due":"2026-01-02"}`, `{"due":null}`} {
		var p patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(p)
		if err != nil || string(got) != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
	}
	var p patch
	if err := json.Unmarshal([]byte(`{"due":"x"}`), &p); err == nil {
		t.Error("a wrong value is taken")
	}
}

func TestNullable_States(t *testing.T) {
	if _, ok := Null[int]().Get(); ok || !Null[int]().IsNull() || Null[int]().IsZero() {
		t.Error("null is not null")
	}
	if v, ok := Some(0).Get(); !ok || v != 0 || Some(0).IsNull() || Some(0).IsZero() {
		t.Error("a zero value is not a value")
	}
	var none Nullable[int]
	if _, ok := none.Get(); ok || none.IsNull() || !none.IsZero() {
		t.Error("the zero Nullable is not absent")
	}
}

func TestDate(t *testing.T) {
	d, err := ParseDate("2026-01-02")
	if err != nil || d.String() != "2026-01-02" || !d.In(time.UTC).Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v, %v", d, err)
	}
	if DateOf(d.In(time.UTC)) != d {
		t.Error("a day is another in its own zone")
	}
}
