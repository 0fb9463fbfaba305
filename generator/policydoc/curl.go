package policydoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// exampleKeys are tried in this order; the first that a policy allows is shown.
var exampleKeys = []string{
	"8e03978e-40d5-43dd-bc93-6894a57f9324", // UUID version 4
	"cfbff0d1-9375-5685-968c-48ce8b15ae17", // version 5: example.com in the DNS name space
	"01890a5d-ac96-774b-bcce-b302099a8057", // version 7
	"8e03978e40d543ddbc936894a57f9324",
	"8E03978E-40D5-43DD-BC93-6894A57F9324",
	"8E03978E40D543DDBC936894A57F9324",
	"8e03978e40d543dd",
	"8e03978e",
	"40543681",
}

// exampleKey is a key that the policy accepts, as far as the examples go.
func exampleKey(key policy.Key) string {
	pattern, err := regexp.Compile(key.Pattern)
	if err != nil {
		pattern = nil
	}
	for _, candidate := range exampleKeys {
		long := key.MaxLength > 0 && len(candidate) > key.MaxLength
		if long || len(candidate) < key.MinLength || !ofFormat(candidate, key.Format) || pattern != nil && !pattern.MatchString(candidate) {
			continue
		}
		return candidate
	}
	return "YOUR-KEY"
}

// headerValue is a key as it is written in its header.
func headerValue(key policy.Key, value string) string {
	number := strings.Trim(value, "0123456789.") == "" // a bare one would be a number of RFC 9651, not a string
	if key.Syntax == policy.Structured || key.Syntax == policy.Either && number {
		return `"` + value + `"`
	}
	return value
}

func ofFormat(candidate string, format policy.Format) bool {
	if format == "" || format == policy.AnyFormat {
		return true
	}
	if len(candidate) != 36 {
		return false
	}
	version := strings.TrimPrefix(string(format), "uuid")
	return version == "" || strings.HasPrefix(candidate[14:], version)
}

// maxBody is the longest body that a command shows, in bytes; a longer one is a file of the reader's.
const maxBody = 2000

// command is a curl command under construction.
type command struct{ options []string }

func (c *command) add(option, argument string) {
	c.options = append(c.options, option+" "+quoteShell(argument))
}

// curl is an operation's example request, as a POSIX shell reads it: with everything that the operation requires, in
// capitals what only the reader knows.
func curl(doc *policy.Document, op *policy.Operation) Block {
	if op.Shape == nil || op.Webhook {
		return ""
	}
	key := op.Policy.Key
	value := exampleKey(key)
	call, err := example.NewCall(op, value)
	if err != nil {
		call = &example.Call{Header: http.Header{}} // a schema that no value satisfies
	}
	address := server(doc) + filledPath(op)
	_, query, _ := strings.Cut(call.Target, "?")
	var c command
	for _, credential := range op.Shape.Credentials {
		switch {
		case credential.In == "query":
			query = strings.TrimPrefix(query+"&"+url.QueryEscape(credential.Name)+"=YOUR-SECRET", "&")
		case credential.In == "cookie":
			c.add("-b", url.QueryEscape(credential.Name)+"=YOUR-SECRET")
		case credential.Scheme == "Basic":
			c.add("-u", "USER:PASSWORD")
		case credential.In == "header":
			call.Header.Del(credential.Name)
			c.add("-H", credential.Name+": "+strings.TrimPrefix(credential.Scheme+" YOUR-SECRET", " "))
		}
	}
	if key.In == policy.InHeader {
		call.Header.Del(key.Name)
		c.add("-H", key.Name+": "+headerValue(key, value))
	}
	mediaType := call.Header.Get("Content-Type")
	call.Header.Del("Content-Type")
	for _, name := range slices.Sorted(maps.Keys(call.Header)) {
		for _, value := range call.Header[name] {
			c.add("-H", name+": "+value)
		}
	}
	if mediaType != "" {
		c.body(mediaType, call.Body, formKey(key, value))
	}
	if query != "" {
		address += "?" + query
	}
	lines := append([]string{"curl -X " + quoteShell(op.Method) + " " + quoteShell(address)}, c.options...)
	return Block(strings.Join(lines, " \\\n  "))
}

// formKey is a key that is a form's field, as name and value; empty where it is none.
func formKey(key policy.Key, value string) [2]string {
	if key.In != policy.InForm {
		return [2]string{}
	}
	return [2]string{key.Name, value}
}

// body adds a body in the way that keeps curl from reading files that a value happens to name: "@" begins a file's name
// in --data and in -F.
func (c *command) body(mediaType string, body []byte, key [2]string) {
	base := baseType(mediaType)
	switch {
	case base == "application/x-www-form-urlencoded":
		c.form(string(body))
		return
	case base == "multipart/form-data" && c.multipart(mediaType, body, key):
		return
	}
	c.add("-H", "Content-Type: "+base)
	var compact bytes.Buffer
	switch {
	case media.IsJSON(base) && json.Compact(&compact, body) == nil && compact.Len() <= maxBody:
		c.add("--data", compact.String())
	case strings.HasPrefix(base, "text/") && len(body) <= maxBody:
		c.add("--data-raw", string(body))
	default:
		c.add("--data-binary", "@FILE")
	}
}

// form writes a field with a value that a person can read; curl encodes it.
func (c *command) form(body string) {
	for field := range strings.SplitSeq(body, "&") {
		name, value, _ := strings.Cut(field, "=")
		if name == "" {
			continue
		}
		if decoded, err := url.QueryUnescape(value); err == nil {
			value = decoded
		}
		c.add("--data-urlencode", brackets.Replace(name)+"="+value)
	}
}

// brackets are plain in the names of nested fields.
var brackets = strings.NewReplacer("%5B", "[", "%5D", "]")

// multipart writes each part, the key's in place of one of its name; false when the body cannot be read.
func (c *command) multipart(mediaType string, body []byte, key [2]string) bool {
	_, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	var parts command
	if key[0] != "" {
		parts.add("--form-string", key[0]+"="+key[1])
	}
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			c.options = append(c.options, parts.options...)
			return true
		}
		if err != nil {
			return false
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return false
		}
		kind := ""
		if contentType := part.Header.Get("Content-Type"); contentType != "" {
			kind = ";type=" + contentType
		}
		switch {
		case part.FormName() == key[0]:
		case part.FileName() != "":
			parts.add("-F", part.FormName()+"=@FILE"+kind)
		case kind != "":
			parts.add("-F", part.FormName()+`="`+quotes.Replace(string(value))+`"`+kind)
		default:
			parts.add("--form-string", part.FormName()+"="+string(value))
		}
	}
}

// quotes keep what stands in a part from being read as curl's own.
var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// server is the address that examples are sent to.
func server(doc *policy.Document) string {
	for _, address := range doc.Servers {
		u, err := url.Parse(address)
		if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(address, "{}") {
			return strings.TrimRight(address, "/")
		}
	}
	// A relative address, or one with variables, still has the path that every request begins with.
	for _, address := range doc.Servers {
		if u, err := url.Parse(variables.ReplaceAllString(address, "x")); err == nil && !strings.ContainsAny(strings.TrimPrefix(address, beforePath.FindString(address)), "{}") {
			return "https://api.example.com" + strings.TrimRight("/"+strings.TrimLeft(u.EscapedPath(), "/"), "/")
		}
	}
	return "https://api.example.com"
}

var (
	variables  = regexp.MustCompile(`\{[^{}]*\}`)
	beforePath = regexp.MustCompile(`^[a-z{}A-Z0-9+.-]*://[^/]*`)
)

var pathParameter = regexp.MustCompile(`\{([^{}]*)\}`)

// filledPath is the path with an example, or the name in capitals, for each parameter.
func filledPath(op *policy.Operation) string {
	return pathParameter.ReplaceAllStringFunc(op.Path, func(match string) string {
		name := match[1 : len(match)-1]
		for i := range op.Shape.Parameters {
			parameter := &op.Shape.Parameters[i]
			if parameter.In != "path" || parameter.Name != name {
				continue
			}
			var text string
			if json.Unmarshal(parameter.Example, &text) == nil && text != "" {
				return url.PathEscape(text)
			}
			if number := string(parameter.Example); number != "" && strings.Trim(number, "0123456789") == "" {
				return number
			}
		}
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return r - 'a' + 'A'
			case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
				return r
			default:
				return '_'
			}
		}, name)
	})
}

// quoteShell quotes text for a POSIX shell. Control characters, which a terminal would act on, and invisible ones are
// dropped.
func quoteShell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, text)
	if text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
