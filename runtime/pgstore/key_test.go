package pgstore_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

func TestPackKey(t *testing.T) {
	const uuid = "8e03978e-40d5-43e8-bc93-6894a57f9324"
	for key, want := range map[string]string{
		uuid:                                    "\xff\x8e\x03\x97\x8e\x40\xd5\x43\xe8\xbc\x93\x68\x94\xa5\x7f\x93\x24",
		strings.ToUpper(uuid):                   strings.ToUpper(uuid),
		"8e03978e-40d5-43e8-bc93-6894a57f932g":  "8e03978e-40d5-43e8-bc93-6894a57f932g",
		"8e03978e040d5-43e8-bc93-6894a57f9324":  "8e03978e040d5-43e8-bc93-6894a57f9324",
		"8e03978e40d543e8bc936894a57f9324":      "8e03978e40d543e8bc936894a57f9324",
		"{8e03978e-40d5-43e8-bc93-6894a57f9324": "{8e03978e-40d5-43e8-bc93-6894a57f9324",
		"order 1":                               "order 1",
		"\xff":                                  "\xfe\xff",
		"\xfe\x00":                              "\xfe\xfe\x00",
		"\x00":                                  "\x00",
	} {
		if got := string(pgstore.PackKey(key)); got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}

// S1: two keys never meet in one row.
func TestPackKey_S1_Injective(t *testing.T) {
	digit := rapid.SampledFrom([]byte("0123456789abcdefABCDEFg-\xff\xfe"))
	part := func(n int) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(digit, n, n), func(b []byte) string { return string(b) })
	}
	uuid := rapid.Custom(func(t *rapid.T) string {
		return part(8).Draw(t, "a") + "-" + part(4).Draw(t, "b") + "-" + part(4).Draw(t, "c") + "-" + part(4).Draw(t, "d") + "-" + part(12).Draw(t, "e")
	})
	packed := rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) string { return "\xff" + string(b) })
	anyKey := rapid.OneOf(uuid, packed, rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 40), func(b []byte) string { return string(b) }),
		rapid.Just("8e03978e-40d5-43e8-bc93-6894a57f9324"))
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyKey.Draw(t, "a"), anyKey.Draw(t, "b")
		// What a packs to, taken as a key, packs to something else.
		for _, other := range []string{b, string(pgstore.PackKey(a))} {
			if (a == other) != bytes.Equal(pgstore.PackKey(a), pgstore.PackKey(other)) {
				t.Fatalf("%q and %q: %q and %q", a, other, pgstore.PackKey(a), pgstore.PackKey(other))
			}
		}
	})
}

// Time-ordered keys stay in order, which keeps them together in the index.
func TestPackKey_KeepsOrderOfUUIDs(t *testing.T) {
	hex := rapid.SampledFrom([]byte("0123456789abcdef"))
	rapid.Check(t, func(t *rapid.T) {
		var keys [2]string
		for i := range keys {
			d := string(rapid.SliceOfN(hex, 32, 32).Draw(t, "digits"))
			keys[i] = d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:]
		}
		if strings.Compare(keys[0], keys[1]) != bytes.Compare(pgstore.PackKey(keys[0]), pgstore.PackKey(keys[1])) {
			t.Fatalf("%v", keys)
		}
	})
}
