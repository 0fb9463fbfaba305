package wire

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// literal draws a JSON number whose exact value math/big can hold too.
var literal = rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?`)

func ratOf(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func TestDecimal_AgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := literal.Draw(t, "a"), literal.Draw(t, "b")
		x, ok := parseDecimal(a)
		y, ok2 := parseDecimal(b)
		if !ok || !ok2 {
			t.Fatalf("%s or %s is not read", a, b)
		}
		if got, want := x.compare(y), ratOf(a).Cmp(ratOf(b)); got != want {
			t.Errorf("%s to %s: %d, want %d", a, b, got, want)
		}
		if got, want := x.isInteger(), ratOf(a).IsInt(); got != want {
			t.Errorf("%s is an integer: %v, want %v", a, got, want)
		}
		n, fits := x.int64()
		if want := ratOf(a); fits != (want.IsInt() && want.Num().IsInt64()) || fits && n != want.Num().Int64() {
			t.Errorf("%s as int64: %d, %v", a, n, fits)
		}
		if ratOf(b).Sign() != 0 {
			if got, want := x.multipleOf(y), new(big.Rat).Quo(ratOf(a), ratOf(b)).IsInt(); got != want {
				t.Errorf("%s is a multiple of %s: %v, want %v", a, b, got, want)
			}
		}
		if got, want := string(x.append(nil)) == string(y.append(nil)), ratOf(a).Cmp(ratOf(b)) == 0; got != want {
			t.Errorf("%s and %s have one text: %v, want %v", a, b, got, want)
		}
	})
}

// A number of a few bytes must not cost more than a few bytes.
func TestDecimal_HugeExponents(t *testing.T) {
	for _, text := range []string{"1e999999999999999999999", "-1e-999999999999999999999", "1e1000000000", "7e-1000000000"} {
		d, ok := parseDecimal(text)
		if !ok {
			t.Errorf("%s is not read", text)
		}
		one, _ := parseDecimal("1")
		three, _ := parseDecimal("3e-7")
		if _, fits := d.int64(); fits {
			t.Errorf("%s fits", text)
		}
		if large := !strings.Contains(text, "-"); (d.compare(one) > 0) != large || d.isInteger() != large || d.multipleOf(one) != large {
			t.Errorf("%s is misread", text)
		}
		if d.multipleOf(three) {
			t.Errorf("%s is a multiple of 3e-7", text)
		}
	}
}

func TestDecimal_ManyDigits(t *testing.T) {
	start := time.Now()
	text := "1" + strings.Repeat("0", 1<<19) + strings.Repeat("7", 1<<19) + ".05"
	d, ok := parseDecimal(text)
	cent, _ := parseDecimal("0.01")
	three, _ := parseDecimal("0.03")
	if !ok || !d.multipleOf(cent) || d.multipleOf(three) != (new(big.Int).Mod(digitSum(text), big.NewInt(3)).Sign() == 0) {
		t.Error("a long number is misread")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

func digitSum(text string) *big.Int {
	sum := int64(0)
	for _, r := range text {
		if r != '.' {
			sum += int64(r - '0')
		}
	}
	return big.NewInt(sum)
}

func TestDecimal_NotANumber(t *testing.T) {
	for _, text := range []string{"", "-", "+1", "01", "1.", ".5", "1e", "0x1", "1_000", "Inf", "NaN", " 1", "1 ", "١"} {
		if _, ok := parseDecimal(text); ok {
			t.Errorf("%q is taken for a number", text)
		}
	}
}
