package wire

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is an exact decimal number: sign, digits without leading or trailing zeros, and the power of ten of the last
// digit. Zero has no digits. An exponent, however large, costs nothing.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// maxExponent is where exponents are cut off. Two numbers beyond it compare by their digits.
const maxExponent = 1 << 40

// parseDecimal reads a JSON number.
func parseDecimal(text string) (d decimal, ok bool) {
	if text == "" || jsonNumber(text) != len(text) {
		return decimal{}, false
	}
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa := text
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa = text[:at]
		d.exponent = clampExponent(text[at+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= int64(len(fraction))
	d.digits = whole
	if fraction != "" {
		d.digits += fraction
	}
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += int64(len(d.digits) - len(trimmed))
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

func clampExponent(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	switch {
	case n > maxExponent || err != nil && text[0] != '-':
		return maxExponent
	case n < -maxExponent || err != nil:
		return -maxExponent
	default:
		return n
	}
}

// compare returns -1, 0 or 1 as d is less than, equal to or greater than e.
func (d decimal) compare(e decimal) int {
	switch {
	case d.sign() != e.sign():
		if d.sign() < e.sign() {
			return -1
		}
		return 1
	case d.negative:
		return e.magnitude(d)
	default:
		return d.magnitude(e)
	}
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// magnitude compares without sign.
func (d decimal) magnitude(e decimal) int {
	if a, b := int64(len(d.digits))+d.exponent, int64(len(e.digits))+e.exponent; a != b && d.digits != "" {
		if a < b {
			return -1
		}
		return 1
	}
	return strings.Compare(d.digits, e.digits)
}

func (d decimal) isInteger() bool { return d.exponent >= 0 }

// int64 returns an integer that fits.
func (d decimal) int64() (n int64, fits bool) {
	const most = 19 // digits of an int64
	if d.digits == "" {
		return 0, true
	}
	if !d.isInteger() || d.exponent > most {
		return 0, false
	}
	text := d.digits + strings.Repeat("0", int(d.exponent))
	if d.negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// multipleOf reports whether d is f times an integer. Powers of ten are reduced modulo f's digits, so that the
// exponents of a hostile number are never written out.
func (d decimal) multipleOf(f decimal) bool {
	if d.digits == "" {
		return true
	}
	if f.digits == "" {
		return false
	}
	if d.exponent < f.exponent {
		return false // d's last digit is not 0 and stands below the last place that a multiple of f can have
	}
	if f.digits == "1" {
		return true // cents and the like
	}
	var modulus, power, rest big.Int
	modulus.SetString(f.digits, 10)
	power.Exp(big.NewInt(10), big.NewInt(d.exponent-f.exponent), &modulus)
	rest.Mul(remainder(d.digits, &modulus), &power)
	return rest.Mod(&rest, &modulus).Sign() == 0
}

// remainder divides digits by a modulus piece by piece, as on paper, so that a number of a million digits takes no
// longer than reading it.
func remainder(digits string, modulus *big.Int) *big.Int {
	const piece = 18 // digits of an int64
	rest, shift := new(big.Int), big.NewInt(1_000_000_000_000_000_000)
	for len(digits) > 0 {
		n := min(piece, len(digits))
		if n < piece {
			shift.Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
		}
		value, _ := strconv.ParseInt(digits[:n], 10, 64)
		rest.Mul(rest, shift)
		rest.Add(rest, big.NewInt(value))
		rest.Mod(rest, modulus)
		digits = digits[n:]
	}
	return rest
}

// append writes d so that equal numbers have equal texts.
func (d decimal) append(to []byte) []byte {
	if d.digits == "" {
		return append(to, '0')
	}
	if d.negative {
		to = append(to, '-')
	}
	to = append(append(to, d.digits...), 'e')
	return strconv.AppendInt(to, d.exponent, 10)
}
