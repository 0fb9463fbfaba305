package example

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// maxExponent is the largest power of ten in a limit for which a number is made.
const maxExponent = 400

// ratOf reads a JSON number exactly.
func ratOf(text string) (*big.Rat, error) {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(text[at+1:], "+")); err != nil || n > maxExponent || n < -maxExponent {
			return nil, fmt.Errorf("the limit %.40s is too large to make a number for", text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "/_xX") {
		return nil, fmt.Errorf("the limit %.40q is not a number", text)
	}
	return r, nil
}

// compareNumbers is 0 where one is not a number that ratOf reads.
func compareNumbers(a, b string) int {
	x, errX := ratOf(a)
	y, errY := ratOf(b)
	if errX != nil || errY != nil {
		return 0
	}
	return x.Cmp(y)
}

// number makes the n-th number of a schema: the n-th multiple of its step from the lowest limit on, downwards from the
// highest when there is no lowest, and from 1 when there is neither.
func number(s *policy.Schema, n int) (string, error) {
	low, high, step, err := limits(s)
	if err != nil {
		return "", err
	}
	var value *big.Rat
	switch {
	case low != nil:
		value = nextMultiple(low, step, s.ExclusiveMinimum)
		value.Add(value, times(step, n))
	case high != nil:
		value = nextMultiple(new(big.Rat).Neg(high), step, s.ExclusiveMaximum)
		value.Neg(value.Add(value, times(step, n)))
	default:
		value = times(step, n+1)
	}
	if low != nil && high != nil && value.Cmp(high) >= 0 && s.Kind == policy.Number && s.MultipleOf == "" {
		value = between(low, high, n)
	}
	return decimal(value), nil
}

// limits reads the limits of a schema; low and high are nil where there is none.
func limits(s *policy.Schema) (low, high, step *big.Rat, err error) {
	read := func(text string) *big.Rat {
		if text == "" || err != nil {
			return nil
		}
		var r *big.Rat
		r, err = ratOf(text)
		return r
	}
	low, high, step = read(s.Minimum), read(s.Maximum), read(s.MultipleOf)
	if err != nil {
		return nil, nil, nil, err
	}
	if step == nil || step.Sign() <= 0 {
		step = big.NewRat(1, 1)
	}
	if s.Kind == policy.Integer && !step.IsInt() {
		step = new(big.Rat).SetInt(step.Num()) // the smallest multiple of p/q that is an integer
	}
	// Where 1 is allowed it is what a reader expects: 0 and less is where rules that a schema does not say begin.
	if one := nextMultiple(new(big.Rat), step, true); low != nil && low.Cmp(one) < 0 && (high == nil || one.Cmp(high) < 0) {
		low = one
	}
	return low, high, step, nil
}

// nextMultiple is the smallest multiple of step that is at least low, or more than low.
func nextMultiple(low, step *big.Rat, more bool) *big.Rat {
	quotient := new(big.Rat).Quo(low, step)
	whole := new(big.Int).Div(quotient.Num(), quotient.Denom()) // rounds down, as the denominator is positive
	value := new(big.Rat).Mul(new(big.Rat).SetInt(whole), step)
	if order := value.Cmp(low); order < 0 || order == 0 && more {
		value.Add(value, step)
	}
	return value
}

func times(step *big.Rat, n int) *big.Rat {
	return new(big.Rat).Mul(step, big.NewRat(int64(n), 1))
}

// between halves the interval n+1 times, each time towards low.
func between(low, high *big.Rat, n int) *big.Rat {
	value := new(big.Rat).Set(high)
	for range min(n, 20) + 1 {
		value.Add(low, value)
		value.Mul(value, big.NewRat(1, 2))
	}
	return value
}

// decimal writes a number whose denominator has no prime factors but 2 and 5.
func decimal(value *big.Rat) string {
	if value.IsInt() {
		return value.Num().String()
	}
	text := value.FloatString(value.Denom().BitLen() + 1)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
