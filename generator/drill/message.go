package drill

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// message is a request in parts, so that a check can change one of them.
type message struct {
	method, path, query string
	header              http.Header
	contentType         string
	body                []byte // without the key
	key                 key
	firstSent           string // of the header that the policy names; empty leaves it out
	other               bool   // with the credentials of the second account
}

// key is what stands at the key's place; the zero value is no key.
type key struct {
	// values are as the place holds them: header lines, or texts of a query, form or JSON member. More than one is a
	// duplicate.
	values []string
	// raw is JSON in place of a text, for a key in a JSON body.
	raw string
	// small has the header's name in small letters.
	small bool
}

// written is a key as a well-behaved client writes it.
func written(rules *policy.Key, text string) key {
	if rules.In != policy.InHeader {
		return key{values: []string{text}}
	}
	number := strings.Trim(text, "0123456789.") == ""
	if rules.Syntax == policy.Structured || rules.Syntax == policy.Either && number {
		return key{values: []string{`"` + text + `"`}}
	}
	return key{values: []string{text}}
}

var errNoPath = errors.New("its path does not begin with /, so nobody can tell which server it is at")

var errCannotPlace = errors.New("the key cannot be put into this body")

// request is m for the client.
func (s *session) request(ctx context.Context, m message) (*http.Request, error) {
	rules := &s.op.Key
	body, contentType, query := m.body, m.contentType, m.query
	var err error
	switch rules.In {
	case policy.InQuery:
		for _, value := range m.key.values {
			query = strings.TrimPrefix(query+"&"+url.QueryEscape(rules.Name)+"="+url.QueryEscape(value), "&")
		}
	case policy.InBody:
		body, err = withJSONKey(body, rules.Pointer, m.key)
	case policy.InForm:
		body, contentType, err = withFormKey(body, contentType, rules.Name, m.key.values)
	}
	if err != nil {
		return nil, err
	}
	// The path comes from a policy that anybody may have written: http://localhost:8080 and @example.com is another server.
	if !strings.HasPrefix(m.path, "/") {
		return nil, errNoPath
	}
	address := s.run.plan.BaseURL + m.path
	if query != "" {
		address += "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, m.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // the transport must not send anything twice by itself
	if len(body) == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("User-Agent", "idemgen-drill")
	for name, values := range m.header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if m.firstSent != "" {
		request.Header.Set(rules.FirstSent.Header, m.firstSent)
	}
	credentials := s.run.plan.Credentials
	if m.other {
		credentials = s.run.plan.OtherCredentials
	}
	for name, values := range credentials {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if rules.In == policy.InHeader && len(m.key.values) > 0 {
		name := http.CanonicalHeaderKey(rules.Name)
		if m.key.small {
			name = strings.ToLower(name)
		}
		request.Header[name] = m.key.values
	}
	return request, nil
}

func withJSONKey(body []byte, pointer string, k key) ([]byte, error) {
	if len(k.values) == 0 && k.raw == "" {
		return body, nil
	}
	document, err := parseJSON(body)
	if len(body) == 0 {
		document, err = &node{object: true}, nil
	}
	if err != nil {
		return nil, errCannotPlace
	}
	value := &node{raw: k.raw}
	if k.raw == "" {
		value = quoted(k.values[0])
	}
	if !document.put(pointer, value) {
		return nil, errCannotPlace
	}
	return document.text(), nil
}

func withFormKey(body []byte, contentType, name string, values []string) ([]byte, string, error) {
	base, parameters, err := mime.ParseMediaType(contentType)
	if contentType == "" {
		contentType, base, err = "application/x-www-form-urlencoded", "application/x-www-form-urlencoded", nil
	}
	switch {
	case len(values) == 0:
		return body, contentType, nil
	case err != nil:
		return nil, "", errCannotPlace
	case base == "application/x-www-form-urlencoded":
		form := string(body)
		for _, value := range values {
			form = strings.TrimPrefix(form+"&"+url.QueryEscape(name)+"="+url.QueryEscape(value), "&")
		}
		return []byte(form), contentType, nil
	case base == "multipart/form-data":
		var all bytes.Buffer
		w := multipart.NewWriter(&all)
		if err := w.SetBoundary(parameters["boundary"]); err != nil {
			return nil, "", errCannotPlace
		}
		for _, value := range values {
			if err := w.WriteField(name, value); err != nil {
				return nil, "", errCannotPlace
			}
		}
		// The parts that were there follow in the same multipart.
		return append(append(all.Bytes(), "\r\n"...), body...), contentType, nil
	default:
		return nil, "", errCannotPlace
	}
}
