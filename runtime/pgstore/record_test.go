package pgstore_test

import (
	"bytes"
	"net/http"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// I3: any header comes back as it was, whatever bytes its values hold.
func TestHeader_I3_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 200), func(b []byte) string { return string(b) })
		header := http.Header(rapid.MapOf(text, rapid.SliceOfN(text, 1, 4)).Draw(t, "header"))
		encoded := pgstore.EncodeHeader(header)
		got, err := pgstore.DecodeHeader(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, header) {
			t.Fatalf("got %v, want %v", got, header)
		}
		if !bytes.Equal(encoded, pgstore.EncodeHeader(got)) {
			t.Fatal("equal headers have two encodings")
		}
	})
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add(pgstore.EncodeHeader(http.Header{"Content-Type": {"text/plain"}, "Link": {"a", ""}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{1, 'a', 2, 'b'})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		header, err := pgstore.DecodeHeader(encoded)
		if err != nil {
			return
		}
		again, err := pgstore.DecodeHeader(pgstore.EncodeHeader(header))
		if err != nil || !reflect.DeepEqual(header, again) {
			t.Fatalf("%v, then %v: %v", header, again, err)
		}
	})
}
