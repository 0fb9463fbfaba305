package sqltext

import "strings"

// scanner turns a text into tokens. Every byte is looked at a bounded number of times.
type scanner struct {
	text   string
	at     int
	tokens []token

	mysql     bool // backslash escapes in strings, "..." is a string
	backticks bool // `...` was seen outside of strings
	open      bool // the text ends inside a string

	noTemplate, noBrace bool // no "}}" or "}" is left in the text
	dollarMisses        int  // dollar quotes without an end that were looked for
	first               int  // token at which the current statement starts
}

// scan reads a text. Quoting differs between dialects, so a text that shows MySQL's signs, or that only ends well with MySQL's escapes, is read again with those.
func scan(text string) (tokens []token, mysql bool) {
	s := &scanner{text: text}
	s.run()
	escapes := strings.Contains(text, `\`)
	if s.backticks && (escapes || strings.Contains(text, `"`)) || s.open && escapes {
		m := &scanner{text: text, mysql: true}
		m.run()
		if s.open || !m.open {
			return m.tokens, true
		}
	}
	return s.tokens, s.backticks
}

func (s *scanner) run() {
	for s.at < len(s.text) {
		s.next()
	}
}

// peek gives the byte n behind the current one, 0 at the end (a hole reads the same, which no caller minds).
func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

func (s *scanner) add(k kind, text string, start int) {
	s.tokens = append(s.tokens, token{kind: k, text: text, start: start, end: s.at})
}

// next reads one token, comment or run of white space.
func (s *scanner) next() {
	start, c := s.at, s.text[s.at]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
		s.at++
	case c == '-' && s.peek(1) == '-', c == '#' && s.hashComment():
		s.skipLine()
	case c == '/' && s.peek(1) == '*':
		s.skipBlock()
	case c == Hole:
		s.name(start)
	case c == '{' && s.peek(1) == '{' && !s.noTemplate:
		s.template()
	case c == '\'':
		s.quoted('\'', s.mysql)
		s.add(str, s.text[start:s.at], start)
	case c == '"' && s.mysql:
		s.quoted('"', true)
		s.add(str, s.text[start:s.at], start)
	case c == '"':
		s.quotedName('"')
	case c == '`':
		s.backticks = true
		s.quotedName('`')
	case c == '[' && s.bracketName():
	case c == '$':
		s.dollar()
	case c == '%' && s.verb():
	case isLetter(c):
		s.wordOrString()
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		s.digits()
	default:
		s.sign()
	}
}

// hashComment reports whether a # starts a comment, as in MySQL, and is not one of PostgreSQL's operators #>, #>>, #- and #.
func (s *scanner) hashComment() bool {
	if n := s.peek(1); n == '>' || n == '-' && s.peek(2) != '-' {
		return false
	}
	return s.mysql || s.lineStart() || s.peek(1) == ' '
}

// lineStart reports whether only blanks stand before the current byte in its line.
func (s *scanner) lineStart() bool {
	for i := s.at - 1; i >= 0 && s.at-i < 200; i-- {
		switch s.text[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return s.at < 200
}

func (s *scanner) skipLine() {
	end := strings.IndexByte(s.text[s.at:], '\n')
	if end < 0 {
		s.at = len(s.text)
		return
	}
	s.at += end + 1
}

// skipBlock skips a comment; PostgreSQL's nest. One without an end is the rest of the text.
func (s *scanner) skipBlock() {
	depth := 0
	for s.at < len(s.text) {
		switch {
		case s.text[s.at] == '/' && s.peek(1) == '*':
			depth++
			s.at += 2
		case s.text[s.at] == '*' && s.peek(1) == '/':
			depth--
			s.at += 2
			if depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
}

// quoted skips a string or name between two of quote, where a doubled quote is one of the text.
func (s *scanner) quoted(quote byte, escapes bool) {
	s.at++
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\\' && escapes:
			s.at = min(s.at+2, len(s.text))
		case c == quote && s.peek(1) == quote:
			s.at += 2
		case c == quote:
			s.at++
			return
		default:
			s.at++
		}
	}
	s.open = true
}

// quotedName reads a name in quotes. Only double quotes keep capitals: the other two belong to databases that take names in any case.
func (s *scanner) quotedName(quote byte) {
	start := s.at
	s.quoted(quote, false)
	inner := strings.TrimSuffix(s.text[start+1:s.at], string(quote))
	inner = strings.ReplaceAll(inner, string([]byte{quote, quote}), string(quote))
	if quote == '`' {
		inner = lower(inner)
	}
	s.add(ident, inner, start)
	s.tokens[len(s.tokens)-1].unknown = hasHole(inner)
}

// hasHole reports whether a part of a quoted name is filled in at run time.
func hasHole(name string) bool {
	return strings.IndexByte(name, Hole) >= 0 || strings.Contains(name, "%s") || strings.Contains(name, "%v") || strings.Contains(name, "{{") || strings.Contains(name, "${")
}

// bracketName reads a name in brackets, which SQLite takes over from SQL Server; an array's brackets are signs.
func (s *scanner) bracketName() bool {
	if len(s.tokens) > 0 {
		if last := s.tokens[len(s.tokens)-1]; last.end == s.at && !last.is(".", ",", "(") || last.is("array") {
			return false
		}
	}
	end := strings.IndexByte(s.text[s.at:min(s.at+130, len(s.text))], ']')
	if end < 2 || !isLetter(s.peek(1)) && !hasHole(s.text[s.at+1:s.at+end]) {
		return false
	}
	start := s.at
	inner := s.text[s.at+1 : s.at+end]
	if strings.ContainsAny(inner, "'\",;()[=\n") {
		return false
	}
	s.at += end + 1
	s.add(ident, lower(inner), start)
	s.tokens[len(s.tokens)-1].unknown = hasHole(inner)
	return true
}

// template reads {{ ... }} or ${ ... } as a hole.
func (s *scanner) template() {
	start := s.at
	end := strings.Index(s.text[s.at:], "}}")
	if end < 0 {
		s.noTemplate = true
		s.sign()
		return
	}
	s.at += end + 2
	s.holeFrom(start)
}

// verb reads a verb of package fmt as a hole. A blank or a name behind the letter tells it from a remainder.
func (s *scanner) verb() bool {
	n := 1
	if s.peek(n) == '[' && isDigit(s.peek(n+1)) && s.peek(n+2) == ']' {
		n += 3
	}
	for n < 6 && (isDigit(s.peek(n)) || s.peek(n) == '+' || s.peek(n) == '#') {
		n++
	}
	if c := s.peek(n); c == 0 || strings.IndexByte("sdvqxXtT", c) < 0 {
		return false
	}
	if c := s.peek(n + 1); isLetter(c) || isDigit(c) {
		return false
	}
	start := s.at
	s.at += n + 1
	s.holeFrom(start)
	return true
}

// holeFrom adds a hole that started at start, and joins it with the name that it touches.
func (s *scanner) holeFrom(start int) {
	if n := len(s.tokens) - 1; n >= 0 && s.tokens[n].end == start {
		if last := &s.tokens[n]; last.kind == word && !structural[last.text] || last.kind == ident && last.unknown {
			last.kind, last.unknown, last.end = ident, true, s.at
			last.text = s.text[last.start:s.at]
			return
		}
	}
	s.add(hole, s.text[start:s.at], start)
}

// name reads a run of holes and the letters that touch it, as one name when there are letters.
func (s *scanner) name(start int) {
	for s.at < len(s.text) && s.text[s.at] == Hole {
		s.at++
	}
	s.holeFrom(start)
}

// dollar reads $1, $tag$ ... $tag$, ${...} or a lone $.
func (s *scanner) dollar() {
	start := s.at
	if isDigit(s.peek(1)) {
		for s.at++; isDigit(s.peek(0)); s.at++ {
		}
		s.add(param, s.text[start:s.at], start)
		return
	}
	if s.peek(1) == '{' && !s.noBrace {
		if end := strings.IndexByte(s.text[s.at:], '}'); end > 0 {
			s.at += end + 1
			s.holeFrom(start)
			return
		}
		s.noBrace = true
	}
	n := 1
	for isLetter(s.peek(n)) || n > 1 && isDigit(s.peek(n)) {
		n++
	}
	if s.peek(n) == '$' && s.dollarMisses < 8 {
		tag := s.text[s.at : s.at+n+1]
		if end := strings.Index(s.text[s.at+n+1:], tag); end >= 0 {
			s.at += n + 1 + end + n + 1
			s.add(str, s.text[start:s.at], start)
			return
		}
		s.dollarMisses++
	}
	if n > 1 { // $name, as SQLite takes it
		s.at += n
		s.add(param, s.text[start:s.at], start)
		return
	}
	s.at++
	s.add(punct, "$", start)
}

// wordOrString reads a bare word, or a string with a letter before its quote: E”, N”, X”, B”, U&”.
func (s *scanner) wordOrString() {
	start := s.at
	if s.peek(1) == '\'' {
		switch s.text[s.at] {
		case 'e', 'E':
			s.at++
			s.quoted('\'', true)
			s.add(str, s.text[start:s.at], start)
			return
		case 'n', 'N', 'x', 'X', 'b', 'B':
			s.at++
			s.quoted('\'', s.mysql)
			s.add(str, s.text[start:s.at], start)
			return
		}
	}
	if c := s.text[s.at]; (c == 'u' || c == 'U') && s.peek(1) == '&' {
		switch s.peek(2) {
		case '\'':
			s.at += 2
			s.quoted('\'', false)
			s.add(str, s.text[start:s.at], start)
			return
		case '"':
			s.at += 2
			s.quotedName('"')
			s.tokens[len(s.tokens)-1].start = start
			return
		}
	}
	for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '$') {
		s.at++
	}
	text := lower(s.text[start:s.at])
	if n := len(s.tokens) - 1; n >= 0 && s.tokens[n].end == start && !structural[text] {
		if last := &s.tokens[n]; last.kind == hole || last.kind == ident && last.unknown && s.text[start-1] != '"' && s.text[start-1] != '`' {
			last.kind, last.unknown, last.end = ident, true, s.at
			last.text = s.text[last.start:s.at]
			return
		}
	}
	s.add(word, text, start)
}

func (s *scanner) digits() {
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		exponent := (c == '+' || c == '-') && s.at > start && (s.text[s.at-1] == 'e' || s.text[s.at-1] == 'E') && !strings.HasPrefix(s.text[start:s.at], "0x") && isDigit(s.peek(1))
		if !isLetter(c) && !isDigit(c) && c != '.' && !exponent {
			break
		}
		s.at++
	}
	s.add(number, s.text[start:s.at], start)
}

// signs are the operators of more than one byte that must be read whole, longest first.
var signs = []string{"->>", "#>>", "<=>", "!~*", "::", "||", "&&", "->", "#>", "@>", "<@", "<=", ">=", "<>", "!=", "==", "=>", ":=", "?|", "?&", "~*", "!~", "<<", ">>"}

// sign reads a placeholder that starts with a sign, an operator or a bracket.
func (s *scanner) sign() {
	start, c := s.at, s.text[s.at]
	rest := s.text[s.at:]
	switch {
	case c == '?' && !strings.HasPrefix(rest, "?&") && (!strings.HasPrefix(rest, "?|") || strings.HasPrefix(rest, "?||")):
		s.question()
		return
	case (c == '@' || c == ':') && (isLetter(s.peek(1)) || isDigit(s.peek(1))) || strings.HasPrefix(rest, "@@") && isLetter(s.peek(2)):
		for s.at++; isLetter(s.peek(0)) || isDigit(s.peek(0)) || s.peek(0) == '@'; s.at++ {
		}
		s.add(param, s.text[start:s.at], start)
		return
	}
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign) {
			s.at += len(sign)
			s.add(punct, sign, start)
			return
		}
	}
	s.at++
	s.add(punct, rest[:1], start)
	if c == ';' {
		s.skipCopyData()
		s.first = len(s.tokens)
	}
}

// skipCopyData skips the rows behind COPY ... FROM stdin, as dumps have them, up to the line that ends them.
func (s *scanner) skipCopyData() {
	statement := s.tokens[s.first : len(s.tokens)-1]
	if len(statement) < 4 || !statement[0].is("copy") {
		return
	}
	for i := 2; i < len(statement); i++ {
		if statement[i].is("stdin") && statement[i-1].is("from") {
			if end := strings.Index(s.text[s.at:], "\n\\."); end >= 0 {
				s.at += end + len("\n\\.")
			}
			return
		}
	}
}

// question reads ?, ?1 or bun's ?Name. A keyword right behind is none of it: a = ?AND b = ?.
func (s *scanner) question() {
	start := s.at
	for s.at++; isDigit(s.peek(0)); s.at++ {
	}
	end := s.at
	for end < len(s.text) && (isLetter(s.text[end]) || isDigit(s.text[end])) && end-s.at < 80 {
		end++
	}
	if !structural[lower(s.text[s.at:end])] {
		s.at = end
	}
	s.add(param, s.text[start:s.at], start)
}

// lower folds the letters of ASCII only, as the databases do for bare names.
func lower(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			b := []byte(text)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetter reports whether a name can start with c; bytes of other alphabets count.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
