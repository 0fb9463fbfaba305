package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Go vet starts the tool once for each package, those of the standard library included, and few of these runs ask any; compiling all of them at each start took as long as reading a small package.
// It is safe for concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// New makes a pattern of an expression in package regexp's syntax. One that is not valid panics when it is first asked; the tests ask each.
func New(expression string) Pattern {
	return Pattern{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString reports whether a text contains a match.
func (p Pattern) MatchString(text string) bool { return p.compiled().MatchString(text) }

// FindStringSubmatch gives the first match and its groups; nil when there is none.
func (p Pattern) FindStringSubmatch(text string) []string {
	return p.compiled().FindStringSubmatch(text)
}

// Split cuts a text at the matches.
func (p Pattern) Split(text string) []string { return p.compiled().Split(text, -1) }
