package extension

import (
	"math"
	"regexp/syntax"

	"github.com/idemgen/idemgen/runtime/policy"
)

// minKeyBits is the least room that a key needs: with 64 random bits, a thousand million keys have a chance of a few
// percent that any two are alike; with 40, a million keys are enough for that.
const minKeyBits = 64

// keyBits estimates, from above, how many bits of randomness a key can carry under the policy's length and pattern.
func keyBits(key policy.Key) float64 {
	// A client that draws at random uses letters, digits and two more, as base64url does: six bits for each character.
	bits := 6 * float64(key.MaxLength)
	if key.Pattern == "" {
		return bits
	}
	expression, err := syntax.Parse(key.Pattern, syntax.Perl)
	if err != nil || !anchored(expression) {
		return bits
	}
	return math.Min(bits, expressionBits(expression.Simplify()))
}

// anchored reports whether the expression bounds the whole key: one that is open at either end bounds nothing.
func anchored(e *syntax.Regexp) bool {
	if e.Op == syntax.OpCapture {
		return anchored(e.Sub[0])
	}
	if e.Op != syntax.OpConcat || len(e.Sub) < 2 {
		return false
	}
	first, last := e.Sub[0].Op, e.Sub[len(e.Sub)-1].Op
	return (first == syntax.OpBeginText || first == syntax.OpBeginLine) && (last == syntax.OpEndText || last == syntax.OpEndLine)
}

// expressionBits is the binary logarithm of how many texts e matches, or more.
func expressionBits(e *syntax.Regexp) float64 {
	switch e.Op {
	case syntax.OpCharClass:
		return classBits(e.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 6
	case syntax.OpStar, syntax.OpPlus:
		if expressionBits(e.Sub[0]) == 0 {
			return 0
		}
		return math.Inf(1)
	case syntax.OpQuest:
		return expressionBits(e.Sub[0]) + 1
	case syntax.OpCapture, syntax.OpConcat:
		sum := 0.0
		for _, sub := range e.Sub {
			sum += expressionBits(sub)
		}
		return sum
	case syntax.OpAlternate:
		most := 0.0
		for _, sub := range e.Sub {
			most = math.Max(most, expressionBits(sub))
		}
		return most + math.Log2(float64(len(e.Sub)))
	default:
		return 0 // literals and anchors
	}
}

func classBits(ranges []rune) float64 {
	count := 0.0
	for i := 0; i+1 < len(ranges); i += 2 {
		count += float64(ranges[i+1]-ranges[i]) + 1
	}
	if count <= 1 {
		return 0
	}
	return math.Min(math.Log2(count), 6)
}
