package pgstore_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Steps come back as they were, and the encoding of more begins with that of the first of them and of no others.
func TestSteps_RoundTripAndPrefix(t *testing.T) {
	text := rapid.SliceOfN(rapid.Byte(), 0, 300)
	step := rapid.Custom(func(t *rapid.T) runtime.StepResult {
		return runtime.StepResult{Name: string(text.Draw(t, "name")), Result: text.Draw(t, "result")}
	})
	same := func(a, b runtime.StepResult) bool { return a.Name == b.Name && bytes.Equal(a.Result, b.Result) }
	steps := rapid.SliceOfN(step, 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := steps.Draw(t, "a"), steps.Draw(t, "b")
		got, err := pgstore.DecodeSteps(pgstore.EncodeSteps(a))
		if err != nil || !slices.EqualFunc(got, a, same) {
			t.Fatalf("%+v came back as %+v, %v", a, got, err)
		}
		for _, longer := range [][]runtime.StepResult{b, append(slices.Clone(a), b...)} {
			begins := len(longer) >= len(a) && slices.EqualFunc(longer[:len(a)], a, same)
			if bytes.HasPrefix(pgstore.EncodeSteps(longer), pgstore.EncodeSteps(a)) != begins {
				t.Fatalf("%+v begins with %+v: %v", longer, a, begins)
			}
		}
	})
}

func TestSteps_Damaged(t *testing.T) {
	encoded := pgstore.EncodeSteps([]runtime.StepResult{{Name: "charge", Result: []byte("ch_1")}})
	for n := 1; n < len(encoded); n++ {
		if steps, err := pgstore.DecodeSteps(encoded[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are %+v", n, len(encoded), steps)
		}
	}
	for _, damaged := range []string{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01", "\x01a", "\x01a\x7f"} {
		if steps, err := pgstore.DecodeSteps([]byte(damaged)); err == nil {
			t.Errorf("%q is %+v", damaged, steps)
		}
	}
}

// S1: a key that recovery reads is the key that was claimed.
func TestUnpackKey_S1_Inverse(t *testing.T) {
	for _, key := range []string{
		"8e03978e-40d5-43e8-bc93-6894a57f9324", "8E03978E-40D5-43E8-BC93-6894A57F9324", "order 1", "\xff", "\xfe\x00", "\xfe\xff", "\x00",
		"\xff0123456789abcdef", "é",
	} {
		if got := pgstore.UnpackKey(pgstore.PackKey(key)); got != key {
			t.Errorf("%q came back as %q", key, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		key := string(rapid.SliceOfN(rapid.SampledFrom([]byte("0a\xff\xfe-")), 1, 40).Draw(t, "key"))
		if got := pgstore.UnpackKey(pgstore.PackKey(key)); got != key {
			t.Fatalf("%q came back as %q", key, got)
		}
	})
}
