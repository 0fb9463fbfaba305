package example

import (
	"iter"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matches proposes texts that an expression matches, within the lengths; none when Go cannot parse it. Whether one
// matches indeed, word boundaries and all, is for the caller to check.
func matches(expression string, b bounds, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		parsed, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			return
		}
		for choice := range 3 {
			for _, repeats := range []int{0, 1, 2, 4, 8, b.least, b.least + 1, min(b.most, 1024)} {
				w := patternWriter{choice: choice + n, repeats: repeats, budget: b.most}
				w.write(parsed)
				for _, text := range fitted(w.out.String(), b) {
					if !yield(text) {
						return
					}
				}
			}
		}
	}
}

// fitted is a text of the lengths: itself, or, where it is too short, filled up on either side, as an expression
// without an anchor still matches then.
func fitted(text string, b bounds) []string {
	length := utf8.RuneCountInString(text)
	switch {
	case length > b.most:
		return nil
	case length < b.least:
		filler := letters(b.least-length, 0)
		return []string{text + filler, filler + text}
	default:
		return []string{text}
	}
}

// patternWriter writes one text that an expression matches.
type patternWriter struct {
	out     strings.Builder
	choice  int // which alternative and which character, counted round
	repeats int // how often what may be repeated is, within its limits
	budget  int // characters that may still be written
}

func (w *patternWriter) write(e *syntax.Regexp) {
	switch e.Op {
	case syntax.OpLiteral:
		for _, r := range e.Rune {
			w.rune(r)
		}
	case syntax.OpCharClass:
		w.rune(oneOf(e.Rune, w.choice))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.rune(rune('a' + w.choice%26))
	case syntax.OpCapture:
		w.write(e.Sub[0])
	case syntax.OpStar:
		w.repeat(e.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.repeat(e.Sub[0], 1, -1)
	case syntax.OpQuest:
		w.repeat(e.Sub[0], 0, 1)
	case syntax.OpRepeat:
		w.repeat(e.Sub[0], e.Min, e.Max)
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(e.Sub[w.choice%len(e.Sub)])
	}
	// What is left matches an empty text: anchors and boundaries.
}

func (w *patternWriter) rune(r rune) {
	w.budget--
	w.out.WriteRune(r)
}

// repeat writes e at least least times, and as often as wanted while there is room. most is -1 where there is no limit.
func (w *patternWriter) repeat(e *syntax.Regexp, least, most int) {
	times := max(least, w.repeats)
	if most >= 0 {
		times = min(times, most)
	}
	for i := range times {
		if w.budget <= 0 && i >= least || w.out.Len() > maxText {
			return
		}
		w.write(e)
	}
}

// readable are the characters that are tried first, so that made texts can be read.
const readable = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. "

// oneOf takes a character out of a class, which is pairs of first and last.
func oneOf(class []rune, choice int) rune {
	inClass := func(r rune) bool {
		for i := 0; i+1 < len(class); i += 2 {
			if r >= class[i] && r <= class[i+1] {
				return true
			}
		}
		return false
	}
	var nice []rune
	for _, r := range readable {
		if inClass(r) {
			nice = append(nice, r)
		}
	}
	if len(nice) > 0 {
		return nice[choice%len(nice)]
	}
	if len(class) == 0 {
		return utf8.RuneError // a class that holds nothing
	}
	return class[0]
}
