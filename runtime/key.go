package runtime

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dunglas/httpsfv"

	"github.com/idemgen/idemgen/runtime/policy"
)

// standardHeader is the header of draft-ietf-httpapi-idempotency-key-header. Where a policy has the key elsewhere, a
// second key in this header must be the same one.
const standardHeader = "Idempotency-Key"

// errNoKey means that there is no key, which may be allowed.
var errNoKey = errors.New("no key")

// keyOutsideBody reads and checks a key in a header or in the query, before the body is read. "" means that there is none
// yet, or that the key is optional.
func (p *plan) keyOutsideBody(r *http.Request) (string, *Problem) {
	rules := &p.op.Policy.Key
	var key string
	var err error
	switch rules.In {
	case policy.InHeader:
		key, err = headerKey(r.Header[p.keyHeader], rules.Syntax)
	case policy.InQuery:
		key, err = queryKey(r.URL.RawQuery, rules.Name)
	default:
		return "", nil
	}
	key, problem := p.checked(key, err)
	if problem != nil {
		return "", problem
	}
	return key, p.sameAsHeader(r, key)
}

// keyInBody reads and checks a key in the body; a key from elsewhere is handed through.
func (p *plan) keyInBody(key string, body *content) (string, *Problem) {
	rules := &p.op.Policy.Key
	if rules.In != policy.InBody && rules.In != policy.InForm {
		return key, nil
	}
	if problem := p.mediaWithKey(body); problem != nil {
		return "", problem
	}
	var err error
	if rules.In == policy.InBody {
		key, err = body.jsonKey(p.keyCapture)
	} else {
		key, err = body.formKey(rules.Name)
	}
	key, problem := p.checked(key, err)
	if problem != nil {
		return "", problem
	}
	return key, p.sameAsHeader(body.request, key)
}

// mediaWithKey refuses a body of a type that cannot hold the key: a client that sent the key in it would be told that there
// is none. Where the key is optional, a body that is clearly of another type is one without a key, which an operation may
// take; one that does not say what it is may be taken for what holds a key, and its key must not be passed over.
func (p *plan) mediaWithKey(body *content) *Problem {
	rules := &p.op.Policy.Key
	fits, detail, accept := body.kind == kindJSON, "The key is in the JSON body. Send JSON, with its Content-Type.", "application/json"
	if rules.In == policy.InForm {
		fits, detail, accept = body.isForm(), "The key is in the form. Send a form, with its Content-Type.", formType+", "+multipartType
	}
	if len(body.body) == 0 || fits || body.mediaType != "" && !rules.Required {
		return nil
	}
	problem := p.problem(caseBadMedia, detail)
	problem.Header.Set("Accept", accept)
	return problem
}

// checked applies the policy's rules to what was read.
func (p *plan) checked(key string, err error) (string, *Problem) {
	rules := &p.op.Policy.Key
	switch {
	case errors.Is(err, errNoKey) && !rules.Required:
		return "", nil
	case errors.Is(err, errNoKey):
		return "", p.problem(caseMissing, "Send a key that is unique to this request in "+p.keyPlace()+".")
	case err != nil:
		return "", p.problem(caseMalformed, "The key in "+p.keyPlace()+" "+err.Error()+".")
	}
	if err := p.checkKeyText(key); err != nil {
		return "", p.problem(caseMalformed, "The key in "+p.keyPlace()+" "+err.Error()+".")
	}
	return key, nil
}

// keyPlace names the place of the key, from the policy alone.
func (p *plan) keyPlace() string {
	rules := &p.op.Policy.Key
	switch rules.In {
	case policy.InHeader:
		return "the " + p.keyHeader + " header"
	case policy.InQuery:
		return "the query parameter " + rules.Name
	case policy.InForm:
		return "the form field " + rules.Name
	default:
		return "the JSON body at " + rules.Pointer
	}
}

// sameAsHeader refuses a request whose Idempotency-Key header holds another key than the place of the policy: which of
// the two the client means would be a guess.
func (p *plan) sameAsHeader(r *http.Request, key string) *Problem {
	if p.keyHeader == standardHeader {
		return nil
	}
	lines := r.Header[standardHeader]
	if len(lines) == 0 {
		return nil
	}
	if second, err := headerKey(lines, policy.Either); err == nil && second == key {
		return nil
	}
	return p.problem(caseMalformed,
		"The request has an Idempotency-Key header too, which is not the key in "+p.keyPlace()+". Send one key.")
}

// headerKey reads a key from the lines of its header (RFC 9651, section 3.3.3, or bare). Both forms of one key give the
// same text. Nothing is guessed: what is not clearly one key is an error, whose text goes on from "The key ...".
func headerKey(lines []string, syntax policy.Syntax) (string, error) {
	if len(lines) == 0 {
		return "", errNoKey
	}
	if len(lines) > 1 {
		return "", errors.New("is sent in more than one header line")
	}
	text := strings.Trim(lines[0], " \t")
	if text == "" {
		return "", errors.New("is empty")
	}
	quoted := text[0] == '"'
	switch {
	case quoted && syntax == policy.Bare:
		return "", errors.New("is quoted; write it without quotation marks")
	case !quoted && syntax == policy.Structured:
		return "", errors.New("is not a quoted string; write it between quotation marks (RFC 9651, section 3.3.3)")
	case quoted:
		return structuredKey(text)
	default:
		return bareKey(text, syntax)
	}
}

func structuredKey(text string) (string, error) {
	item, err := httpsfv.UnmarshalItem([]string{text})
	if err != nil {
		return "", errors.New("is not one quoted string (RFC 9651, section 3.3.3)")
	}
	key, ok := item.Value.(string)
	if !ok {
		return "", errors.New("is not a quoted string (RFC 9651, section 3.3.3)")
	}
	if len(item.Params.Names()) > 0 {
		return "", errors.New("has parameters after it")
	}
	return key, nil
}

// bareKey takes visible ASCII without what separates or quotes in a header: lists, parameters and strings. Where both
// syntaxes are allowed, a number, a boolean, a date or a byte sequence of RFC 9651 is refused too: it is a structured
// field, of the wrong type.
func bareKey(text string, syntax policy.Syntax) (string, error) {
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c > '~':
			return "", errors.New("has a character that is not visible ASCII")
		case c == ',' || c == ';' || c == '"' || c == '\\':
			return "", errors.New("has a comma, a semicolon, a quotation mark or a backslash, which only a quoted key may have")
		}
	}
	if syntax != policy.Either || isLetter(text[0]) { // what begins with a letter can be a token only
		return text, nil
	}
	if item, err := httpsfv.UnmarshalItem([]string{text}); err == nil {
		if _, token := item.Value.(httpsfv.Token); !token {
			return "", errors.New("is a number, a boolean, a date or a byte sequence; write it between quotation marks")
		}
	}
	return text, nil
}

// queryKey reads a key from a raw query.
func queryKey(raw, name string) (string, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return "", errors.New("cannot be read, because the query is not well-formed")
	}
	return single(values[name])
}

func single(values []string) (string, error) {
	switch {
	case len(values) == 0:
		return "", errNoKey
	case len(values) > 1:
		return "", errors.New("is sent more than once")
	}
	return values[0], nil
}

// checkKeyText applies the policy's rules for a key's text. The error goes on from "The key ...".
func (p *plan) checkKeyText(key string) error {
	rules := &p.op.Policy.Key
	if key == "" {
		return errors.New("is empty")
	}
	if len(key) > maxKeyBytes {
		return errors.New("is too long")
	}
	if !utf8.ValidString(key) {
		return errors.New("is not valid UTF-8")
	}
	for _, r := range key {
		if unicode.IsControl(r) {
			return errors.New("has a control character")
		}
	}
	length := len(key)
	if rules.LengthUnit != policy.Bytes {
		length = utf8.RuneCountInString(key)
	}
	switch {
	case length > rules.MaxLength:
		return errors.New("is longer than the policy allows")
	case length < rules.MinLength:
		return errors.New("is shorter than the policy allows")
	case !hasFormat(key, rules.Format):
		return errors.New("is not a " + formatName(rules.Format))
	case p.keyPattern != nil && !p.keyPattern.MatchString(key):
		return errors.New("does not match the pattern of the policy")
	case rules.RefusePersonalData && holdsEmail(key):
		return errors.New("holds an e-mail address; use a random key, such as a UUID")
	}
	return nil
}

func hasFormat(key string, format policy.Format) bool {
	switch format {
	case policy.UUID:
		return uuidVersion(key) >= 0
	case policy.UUID4:
		return uuidVersion(key) == 4
	case policy.UUID5:
		return uuidVersion(key) == 5
	case policy.UUID7:
		return uuidVersion(key) == 7
	default:
		return true
	}
}

func formatName(format policy.Format) string {
	switch format {
	case policy.UUID4, policy.UUID5, policy.UUID7:
		return "UUID of version " + string(format[len(format)-1])
	default:
		return "UUID"
	}
}

// uuidVersion returns the version of a UUID in its usual form (RFC 9562, section 4), -1 when text is none. A UUID whose
// variant is not RFC 9562's has version 0 here.
func uuidVersion(text string) int {
	if len(text) != 36 {
		return -1
	}
	for i := range len(text) {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return -1
			}
			continue
		}
		if hexDigit(c) < 0 {
			return -1
		}
	}
	if hexDigit(text[19])&0b1100 != 0b1000 {
		return 0
	}
	return hexDigit(text[14])
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// holdsEmail reports whether a name, an at sign (or its percent-encoding) and a domain with a dot stand in key.
func holdsEmail(key string) bool {
	key = strings.ReplaceAll(key, "%40", "@")
	for at := strings.IndexByte(key, '@'); at >= 0; {
		local, domain := key[:at], key[at+1:]
		next := strings.IndexByte(domain, '@')
		if next >= 0 {
			domain = domain[:next]
		}
		if local != "" && isNameByte(local[len(local)-1]) && isDomain(domain) {
			return true
		}
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// isDomain reports whether text begins with two labels and a dot between them, the second of two characters or more.
func isDomain(text string) bool {
	dot := strings.IndexByte(text, '.')
	if dot < 1 || !isNameByte(text[dot-1]) || len(text) < dot+3 {
		return false
	}
	return isNameByte(text[dot+1]) && isNameByte(text[dot+2])
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isNameByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '+' || c >= 0x80
}
