package runtime

import (
	"bytes"
	"errors"
	"net/http"
	"reflect"
	"testing"
)

func anEnvelope() *envelope {
	return &envelope{
		method: "POST", host: "api.example", path: "/orders/a%2Fb/payouts", query: "x=1&x=2",
		pathValues: [][2]string{{"order", "a/b"}},
		header:     http.Header{"Content-Type": {"application/json"}, "X-Two": {"1", "2"}, "X-Empty": {""}},
		body:       []byte("{}\x00\xff"), principal: "acct_1", key: "k", secret: "2026",
	}
}

func TestEnvelope_A5_RoundTrip(t *testing.T) {
	for name, e := range map[string]*envelope{
		"full":  anEnvelope(),
		"empty": {header: http.Header{}},
	} {
		got, err := decodeEnvelope(e.encode())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(e.body) == 0 {
			got.body = e.body
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%s: got %+v, want %+v", name, got, e)
		}
	}
	r, err := anEnvelope().request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.URL.Path != "/orders/a/b/payouts" || r.URL.EscapedPath() != "/orders/a%2Fb/payouts" || r.URL.RawQuery != "x=1&x=2" ||
		r.PathValue("order") != "a/b" || r.Host != "api.example" || r.Method != "POST" {
		t.Errorf("%+v", r)
	}
}

// The bytes stand here so that what is stored today is read tomorrow.
func TestEnvelope_A5_Golden(t *testing.T) {
	e := &envelope{method: "POST", path: "/p", header: http.Header{"A": {"b"}}, body: []byte("{}"), principal: "me", key: "k"}
	want := "\x01" + prefixed("POST") + prefixed("") + prefixed("/p") + prefixed("") + num(0) + num(1) + prefixed("A") + num(1) + prefixed("b") +
		prefixed("{}") + prefixed("me") + prefixed("k") + prefixed("")
	if got := string(e.encode()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func num(n byte) string           { return "\x00\x00\x00\x00\x00\x00\x00" + string(rune(n)) }
func prefixed(text string) string { return num(byte(len(text))) + text }

func TestEnvelope_A5_IsNeverMisread(t *testing.T) {
	whole := anEnvelope().encode()
	for n := range whole {
		if _, err := decodeEnvelope(whole[:n]); err == nil {
			t.Fatalf("cut off after %d of %d bytes, it is read", n, len(whole))
		}
	}
	if _, err := decodeEnvelope(append(bytes.Clone(whole), 0)); !errors.Is(err, errEnvelopeBroken) {
		t.Errorf("with a byte too many: %v", err)
	}
	other := bytes.Clone(whole)
	other[0]++
	if _, err := decodeEnvelope(other); !errors.Is(err, errEnvelopeVersion) {
		t.Errorf("of another version: %v", err)
	}
	huge := append([]byte{envelopeVersion}, bytes.Repeat([]byte{0xff}, 100)...)
	if _, err := decodeEnvelope(huge); !errors.Is(err, errEnvelopeBroken) {
		t.Errorf("with a huge length: %v", err)
	}
	for _, path := range []string{"x y", "\x00", "%zz"} {
		e := anEnvelope()
		e.path = path
		if _, err := e.request(t.Context()); err == nil {
			t.Errorf("path %q is taken", path)
		}
	}
}

// What is decoded is what was encoded, or an error.
func FuzzEnvelope_A5(f *testing.F) {
	f.Add(anEnvelope().encode())
	f.Add((&envelope{}).encode())
	f.Add([]byte{envelopeVersion})
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, stored []byte) {
		e, err := decodeEnvelope(stored)
		if err != nil {
			return
		}
		again, err := decodeEnvelope(e.encode())
		if err != nil || !reflect.DeepEqual(e, again) {
			t.Errorf("%q decodes as %+v, and that as %+v, %v", stored, e, again, err)
		}
		_, _ = e.request(t.Context())
	})
}
