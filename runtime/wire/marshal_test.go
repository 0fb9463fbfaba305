package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMarshalObject(t *testing.T) {
	type known struct {
		A int    `json:"a,omitempty"`
		B string `json:"b,omitempty"`
	}
	for _, row := range []struct {
		known any
		more  map[string]any
		want  string
	}{
		{known{}, nil, `{}`},
		{known{A: 1}, nil, `{"a":1}`},
		{known{}, map[string]any{"z": 1, "y": nil}, `{"y":null,"z":1}`},
		{known{A: 1, B: "<"}, map[string]any{"a": 2, `q"`: "&"}, `{"a":1,"b":"<","q\"":"&"}`},
	} {
		got, err := MarshalObject(row.known, row.more)
		if err != nil || string(got) != row.want {
			t.Errorf("got %s, %v, want %s", got, err, row.want)
		}
	}
	if _, err := MarshalObject([]int{1}, nil); err == nil {
		t.Error("a list is taken for an object")
	}
	if _, err := MarshalObject(known{}, map[string]any{"f": func() {}}); err == nil {
		t.Error("a function is written")
	}
}

func TestUnmarshal(t *testing.T) {
	got, err := Unmarshal([]byte(`{"name":"a","price":1}`), readLine)
	if err != nil || got != (line{"a", "1"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Unmarshal([]byte(`{"name":"a"}`), readLine); err == nil || !strings.Contains(err.Error(), "#/price is required") {
		t.Errorf("got %v", err)
	}
}

type own struct {
	A int  `json:"a"`
	D Date `json:"d"`
}

func TestInto(t *testing.T) {
	in := readerOfJSON(`{"own":{"a":1,"d":"2026-01-02"},"bad":{"a":"s3cr3t"},"null":null}`)
	o := in.JSON().Object()
	if got := Into[own](o.Member("own")); got != (own{1, Date{2026, 1, 2}}) {
		t.Errorf("got %v", got)
	}
	if got := Into[*own](o.Member("null")); got != nil {
		t.Errorf("got %v", got)
	}
	if got := Into[json.RawMessage](o.Member("none")); got != nil {
		t.Errorf("got %s", got)
	}
	wantViolations(t, in)
	Into[own](o.Member("bad"))
	wantViolations(t, in, "#/bad must be what the service's own type takes")
}

func TestOrNull(t *testing.T) {
	in := readerOfJSON(`{"a":null,"b":[],"c":null}`)
	o := in.JSON().Object()
	if got := List(o.Member("a").Required().OrNull().MinItems(1), Value.Text); got != nil {
		t.Errorf("null gives %v", got)
	}
	if got := List(o.Member("b").OrNull(), Value.Text); got == nil {
		t.Error("an empty list is nil")
	}
	if got := List(o.Member("none").OrNull(), Value.Text); got != nil {
		t.Errorf("nothing gives %v", got)
	}
	wantViolations(t, in)
}
