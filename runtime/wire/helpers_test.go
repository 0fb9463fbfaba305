package wire

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// request makes a request whose body has a content type.
func request(target, contentType, body string) (*http.Request, []byte) {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r, []byte(body)
}

func readerOf(target, contentType, body string) *Reader {
	return NewReader(request(target, contentType, body))
}

func readerOfJSON(body string) *Reader { return readerOf("/", "application/json", body) }

// wantViolations compares what a reader found with lines such as "#/a is required".
func wantViolations(t *testing.T, in *Reader, want ...string) {
	t.Helper()
	var got []string
	for _, v := range in.invalid.Violations {
		got = append(got, v.String())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("violations:\n got %q\nwant %q", got, want)
	}
}

// point and readPoint are what generated code would have for an object of strings.
type rgb map[string]string

func readRGB(v Value) rgb { return Map(v, Value.Text) }
