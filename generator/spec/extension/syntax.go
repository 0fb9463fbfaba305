package extension

import (
	"errors"
	"fmt"
	"math"
	"net/textproto"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseSize reads a size with a unit.
func parseSize(text string) (int64, error) {
	number, unit := text, int64(1)
	for suffix, factor := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = strings.TrimRight(n, " "), factor
		}
	}
	if rest := strings.TrimLeft(number, "0123456789"); rest != "" && rest != number && !strings.ContainsAny(rest, "-.,") {
		return 0, errors.New("has a unit that is not KiB, MiB or GiB")
	}
	if !isDigits(number) {
		return 0, errors.New("is not a size")
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return 0, errors.New("is too large")
	}
	return n * unit, nil
}

// checkPointer checks the syntax of a JSON Pointer (RFC 6901, section 3) that names a member, not the whole document.
func checkPointer(pointer string) error {
	switch {
	case pointer == "":
		return errors.New("names the whole body")
	case strings.HasPrefix(pointer, "#"):
		return fmt.Errorf("is a URI fragment; write %s", strings.TrimPrefix(pointer, "#"))
	case strings.HasPrefix(pointer, "$"):
		return errors.New("is a JSONPath")
	case pointer[0] != '/':
		return fmt.Errorf("does not start with a slash; write /%s", strings.ReplaceAll(pointer, ".", "/"))
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return errors.New("has a ~ that is neither ~0 nor ~1")
		}
	}
	if !utf8.ValidString(pointer) || strings.ContainsRune(pointer, 0) {
		return errors.New("holds characters that JSON member names cannot have")
	}
	return nil
}

// pointerTokens splits a well-formed pointer into its unescaped reference tokens.
func pointerTokens(pointer string) []string {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// canonicalHeader writes a header name as Go's http.Header does, for comparison only: names keep their own spelling where
// they are printed.
func canonicalHeader(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }

func sameHeader(a, b string) bool { return canonicalHeader(a) == canonicalHeader(b) }

// isFieldValue reports whether text can be sent as a header value: visible ASCII with inner blanks.
func isFieldValue(text string) bool {
	if text == "" || text != strings.TrimSpace(text) {
		return false
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// reservedHeaders have a meaning of their own in HTTP or in authentication.
var reservedHeaders = headerSet("Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
	"Date", "Expect", "Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Set-Cookie", "Set-Cookie2", "TE",
	"Trailer", "Transfer-Encoding", "Upgrade", "WWW-Authenticate")

// unstorableHeaders are never replayed (requirement R1): they belong to one connection, one client or one moment.
var unstorableHeaders = headerSet("Connection", "Content-Length", "Date", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authentication-Info", "Proxy-Connection", "Set-Cookie", "Set-Cookie2", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
	"WWW-Authenticate", "Authentication-Info")

// answersOwnHeaders are those, and what describes the body that is sent.
var answersOwnHeaders = headerSet("Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Date", "Keep-Alive",
	"Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection", "Set-Cookie", "Set-Cookie2", "TE", "Trailer",
	"Transfer-Encoding", "Upgrade", "WWW-Authenticate", "Authentication-Info")

// volatileHeaders differ between the attempts of one client, so that a retry would be taken for another request.
var volatileHeaders = headerSet("Age", "Authorization", "Baggage", "Cookie", "Date", "Forwarded", "Traceparent", "Tracestate",
	"User-Agent", "Via", "X-Amzn-Trace-Id", "X-B3-Traceid", "X-Correlation-Id", "X-Forwarded-For", "X-Real-Ip", "X-Request-Id")

func headerSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[canonicalHeader(name)] = true
	}
	return set
}

// maxIdentifier is PostgreSQL's limit for a name, in bytes.
const maxIdentifier = 63

// checkIdentifier checks a name that is to stand in SQL. Only plain names are taken: a name that needs quoting is one that
// a migration, a page and a person will each write differently.
func checkIdentifier(name string) error {
	if name == "" {
		return errors.New("is empty")
	}
	if len(name) > maxIdentifier {
		return fmt.Errorf("has more than PostgreSQL's %d bytes", maxIdentifier)
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return errors.New("has characters other than letters, digits and _, or starts with a digit")
		}
	}
	return nil
}

// checkPattern tries an expression and says, when Go's RE2 cannot compile it, which construct it lacks.
func checkPattern(pattern string) error {
	_, err := regexp.Compile(pattern)
	if err == nil {
		return nil
	}
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	if construct := lacking(bad); construct != "" {
		return fmt.Errorf("RE2 has no %s: %s", construct, show(bad.Expr))
	}
	return fmt.Errorf("%s: %s", bad.Code, show(bad.Expr))
}

// lacksConstruct reports whether a pattern fails because of something that RE2 lacks on purpose.
func lacksConstruct(pattern string) bool {
	_, err := regexp.Compile(pattern)
	var bad *syntax.Error
	return errors.As(err, &bad) && lacking(bad) != ""
}

// lacking translates regexp/syntax's complaint into the construct that the author used, "" for a plain mistake.
func lacking(bad *syntax.Error) string {
	constructs := []struct{ prefix, name string }{
		{"(?=", "lookahead"}, {"(?!", "negative lookahead"},
		{"(?<=", "lookbehind"}, {"(?<!", "negative lookbehind"},
		{"(?>", "atomic group"}, {"(?|", "branch reset"}, {`\u`, `\u escape (write \x{...})`},
		{`\c`, "control escape"}, {`\k`, "backreference"}, {`\G`, `\G anchor`}, {`\Z`, `\Z anchor (write \z)`},
	}
	for _, construct := range constructs {
		if strings.HasPrefix(bad.Expr, construct.prefix) {
			return construct.name
		}
	}
	if bad.Code == syntax.ErrInvalidEscape && len(bad.Expr) == 2 && bad.Expr[1] >= '1' && bad.Expr[1] <= '9' {
		return "backreference"
	}
	if bad.Code == syntax.ErrInvalidRepeatOp {
		return "possessive or doubled repetition"
	}
	if bad.Code == syntax.ErrInvalidRepeatSize || bad.Code == syntax.ErrLarge {
		return "repetition beyond 1000 times"
	}
	return ""
}
