package policydoc

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"

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

// curl is an operation's example request, as a POSIX shell reads it.
func curl(doc *policy.Document, op *policy.Operation) Block {
	if op.Shape == nil || op.Webhook {
		return ""
	}
	key := op.Policy.Key
	value := exampleKey(key)
	var options []string
	option := func(name, argument string) { options = append(options, name+" "+quoteShell(argument)) }
	address := server(doc) + filledPath(op)
	switch key.In {
	case policy.InHeader:
		option("-H", key.Name+": "+headerValue(key, value))
	case policy.InQuery:
		address += "?" + url.QueryEscape(key.Name) + "=" + url.QueryEscape(value)
	}
	if content := exampleContent(op); content != nil {
		base := baseType(content.MediaType)
		switch {
		case isJSON(base):
			option("-H", "Content-Type: "+base)
			option("--data", jsonExample(*content, key, value))
		case base == "application/x-www-form-urlencoded" && key.In == policy.InForm:
			option("--data-urlencode", key.Name+"="+value)
		case base == "multipart/form-data" && key.In == policy.InForm:
			option("--form-string", key.Name+"="+value)
		}
	}
	lines := append([]string{"curl -X " + quoteShell(op.Method) + " " + quoteShell(address)}, options...)
	return Block(strings.Join(lines, " \\\n  "))
}

// exampleContent is the content to show: JSON if there is any, else the first.
func exampleContent(op *policy.Operation) *policy.Content {
	if op.Shape.Body == nil || len(op.Shape.Body.Contents) == 0 {
		return nil
	}
	contents := op.Shape.Body.Contents
	for i := range contents {
		if isJSON(baseType(contents[i].MediaType)) {
			return &contents[i]
		}
	}
	return &contents[0]
}

// jsonExample is the content's own example, or an empty object, with the key put in where it travels in the body.
func jsonExample(content policy.Content, key policy.Key, value string) string {
	example := json.RawMessage("{}")
	switch {
	case len(content.Examples) > 0:
		example = content.Examples[0]
	case content.Schema != nil && len(content.Schema.Example) > 0:
		example = content.Schema.Example
	}
	if key.In == policy.InBody {
		if with, ok := withMember(example, pointerSteps(key.Pointer), value); ok {
			example = with
		}
	}
	var out bytes.Buffer
	if err := json.Compact(&out, example); err != nil {
		return "{}"
	}
	return out.String()
}

// withMember sets a member in a JSON object, keeping the other members' text and order.
func withMember(object json.RawMessage, steps []string, value string) (json.RawMessage, bool) {
	if len(steps) == 0 {
		text, err := json.Marshal(value)
		return text, err == nil
	}
	names, members, ok := readObject(object)
	if !ok {
		return nil, false
	}
	inner, found := members[steps[0]]
	if !found {
		inner = json.RawMessage("{}")
		names = append([]string{steps[0]}, names...)
	}
	if inner, ok = withMember(inner, steps[1:], value); !ok {
		return nil, false
	}
	members[steps[0]] = inner
	var out bytes.Buffer
	for i, name := range names {
		out.WriteByte("{,"[min(i, 1)])
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, false
		}
		out.Write(quoted)
		out.WriteByte(':')
		out.Write(members[name])
	}
	out.WriteByte('}')
	return out.Bytes(), true
}

func readObject(object json.RawMessage) (names []string, members map[string]json.RawMessage, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, false
	}
	members = make(map[string]json.RawMessage)
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		var value json.RawMessage
		if err != nil || !isName || decoder.Decode(&value) != nil {
			return nil, nil, false
		}
		if _, twice := members[name]; !twice {
			names = append(names, name)
		}
		members[name] = value
	}
	return names, members, true
}

// server is the address that examples are sent to.
func server(doc *policy.Document) string {
	for _, address := range doc.Servers {
		u, err := url.Parse(address)
		if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(address, "{}") {
			return strings.TrimRight(address, "/")
		}
	}
	return "https://api.example.com"
}

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
