package wire

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestJSONAnswer(t *testing.T) {
	response, err := JSON(201, "application/json", http.Header{"Location": {"/a"}}, map[string]string{"html": "<a&b>"})
	if err != nil {
		t.Fatal(err)
	}
	if string(response.Body) != `{"html":"<a&b>"}` || response.Header.Get("Content-Type") != "application/json" ||
		response.Header.Get("Location") != "/a" || response.Status != 201 {
		t.Errorf("got %+v", response)
	}
	if _, err := JSON(201, "application/json", nil, math.NaN()); err == nil || !strings.Contains(err.Error(), "201") {
		t.Errorf("got %v", err)
	}
}

func TestBytes_KeepsAContentTypeThatIsSet(t *testing.T) {
	response, _ := Bytes(200, "image/*", http.Header{"Content-Type": {"image/png"}}, []byte{1})
	if got := response.Header.Get("Content-Type"); got != "image/png" {
		t.Errorf("got %s", got)
	}
}

func TestSetHeader(t *testing.T) {
	type level string
	name := level("low")
	var none *string
	for _, row := range []struct {
		value   any
		explode bool
		want    string
	}{
		{"a", false, "a"},
		{&name, false, "low"},
		{none, false, ""},
		{nil, false, ""},
		{int32(-5), false, "-5"},
		{uint8(5), false, "5"},
		{true, false, "true"},
		{1.5, false, "1.5"},
		{float32(0.1), false, "0.1"},
		{json.Number("1.10"), false, "1.10"},
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), false, "2026-01-02T03:04:05Z"},
		{Date{2026, 1, 2}, false, "2026-01-02"},
		{[]int{1, 2}, false, "1,2"},
		{[]string{}, false, ""},
		{map[string]int{"b": 2, "a": 1}, false, "a,1,b,2"},
		{struct {
			A string `json:"a"`
			B *int   `json:"b,omitempty"`
		}{"x", nil}, true, "a=x"},
	} {
		header := http.Header{}
		if err := SetHeader(header, "X-A", row.value, row.explode); err != nil {
			t.Errorf("%v: %v", row.value, err)
		}
		if got := header.Get("X-A"); got != row.want {
			t.Errorf("%v: got %q, want %q", row.value, got, row.want)
		}
	}
	for _, value := range []any{"a\r\nSet-Cookie: b", make(chan int), math.Inf(1), map[string][]int{"a": {1}}} {
		header := http.Header{}
		err := SetHeader(header, "X-A", value, false)
		if err == nil || !strings.Contains(err.Error(), "header X-A") || strings.Contains(err.Error(), "Cookie") {
			t.Errorf("%v: got %v", value, err)
		}
		if len(header) > 0 {
			t.Errorf("%v: the header is set", value)
		}
	}
}
