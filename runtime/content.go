package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// The media types of a form (HTML Living Standard, section 4.10.21.8).
const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// maxParts bounds the parts of a multipart body.
const maxParts = 1000

// content is a request's body, read as far as key and fingerprint need it.
type content struct {
	request *http.Request
	// contentType is the canonical text of the Content-Type header: "type/subtype;name=value" with sorted parameters.
	contentType string
	mediaType   string // in lower case; empty when there is none
	kind        contentKind
	canonical   []byte   // JSON: the canonical form
	captured    [][]byte // JSON: the canonical form of each captured value, nil where there is none
	parts       []part   // multipart
	body        []byte
}

type contentKind byte

const (
	kindBytes contentKind = iota
	kindJSON
	kindMultipart
)

// part is one part of a multipart body.
type part struct {
	name   string
	isFile bool
	header []string // "Name: value", sorted by name
	data   []byte
}

// parseBody reads body by its media type. JSON is read strictly whatever the policy's fingerprint is, so that no two
// readers of one body can disagree about it.
func (p *plan) parseBody(r *http.Request, body []byte) (*content, *Problem) {
	if p.op.WithoutBody {
		return p.noContent(r, body)
	}
	c := &content{request: r, body: body}
	lines := r.Header["Content-Type"]
	if len(lines) > 1 {
		return nil, p.problem(caseBadBody, "The Content-Type header is sent in more than one line.")
	}
	var params map[string]string
	if len(lines) == 1 {
		c.contentType = lines[0]
		mediaType, parsed, err := mime.ParseMediaType(lines[0])
		switch {
		case err == nil:
			c.mediaType, params = mediaType, parsed
			c.contentType = canonicalType(mediaType, params)
		case errors.Is(err, mime.ErrInvalidMediaParameter): // the type itself is clear, and JSON is read as JSON
			c.mediaType = mediaType
		}
	}
	if len(body) == 0 {
		return c, nil
	}
	switch {
	case isJSON(c.mediaType):
		canonical, captured, err := canonicalJSON(body, p.body, p.captures)
		if err != nil {
			return nil, p.problem(caseBadBody, "The body is not well-formed JSON: "+err.Error()+".")
		}
		c.kind, c.canonical, c.captured = kindJSON, canonical, captured
	case strings.HasPrefix(c.mediaType, "multipart/") && p.needsParts():
		parts, err := readParts(body, params["boundary"])
		if err != nil {
			return nil, p.problem(caseBadBody, "The body is not a well-formed multipart body.")
		}
		c.kind, c.parts = kindMultipart, parts
	}
	return c, nil
}

// noContent is the content of a request that has to have none. An empty object counts as none: clients that always send
// JSON send it, and nothing can be meant by it.
func (p *plan) noContent(r *http.Request, body []byte) (*content, *Problem) {
	if said := bytes.Join(bytes.Fields(body), nil); len(said) > 0 && string(said) != "{}" {
		return nil, p.problem(caseBadRequest, "The operation takes no body. Send the request without one.")
	}
	return &content{request: r}, nil
}

func (p *plan) needsParts() bool {
	return p.op.Policy.Fingerprint.Body == policy.CanonicalBody || p.op.Policy.Key.In == policy.InForm
}

// isJSON reports whether a media type is JSON (RFC 6839, section 3.1).
func isJSON(mediaType string) bool {
	return mediaType == "application/json" || mediaType == "text/json" || strings.HasSuffix(mediaType, "+json")
}

// canonicalType writes a media type, or a disposition, and its parameters in one way. A boundary is chosen anew for each attempt, and
// charset has no meaning for JSON, which is UTF-8 (RFC 8259, section 11).
func canonicalType(mediaType string, params map[string]string) string {
	names := make([]string, 0, len(params))
	for name, value := range params {
		if name == "boundary" && strings.HasPrefix(mediaType, "multipart/") {
			continue
		}
		if name == "charset" && isJSON(mediaType) && strings.EqualFold(value, "utf-8") {
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return mediaType
	}
	slices.Sort(names)
	var text strings.Builder
	text.WriteString(mediaType)
	for _, name := range names {
		text.WriteString(";" + name + "=" + strconv.Quote(params[name])) // quoted, so that no value passes for two
	}
	return text.String()
}

func readParts(body []byte, boundary string) ([]part, error) {
	if boundary == "" {
		return nil, errors.New("no boundary")
	}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	var parts []part
	for {
		// Raw: a transfer encoding is part of what was sent, and is not undone.
		next, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		if len(parts) == maxParts {
			return nil, errors.New("too many parts")
		}
		data, err := io.ReadAll(next)
		if err != nil {
			return nil, err
		}
		name, isFile := disposed(next.Header)
		parts = append(parts, part{name: name, isFile: isFile, header: partHeader(next.Header), data: data})
	}
}

// disposed is the name that a part has in a form, and whether it is a file.
func disposed(header textproto.MIMEHeader) (name string, isFile bool) {
	_, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil {
		return "", false
	}
	_, isFile = params["filename"]
	return params["name"], isFile
}

// partHeader are the lines of a part's header, with those that several texts mean the same in written in one way.
func partHeader(header textproto.MIMEHeader) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			if name == "Content-Disposition" {
				if kind, params, err := mime.ParseMediaType(value); err == nil {
					value = canonicalType(kind, params)
				}
			}
			lines = append(lines, name+": "+value)
		}
	}
	return lines
}

// jsonKey returns the captured key of a JSON body; null counts as absent.
func (c *content) jsonKey(capture int) (string, error) {
	if c.kind != kindJSON {
		return "", errNoKey
	}
	value := c.captured[capture]
	switch {
	case value == nil || string(value) == "null":
		return "", errNoKey
	case value[0] != '"':
		return "", errors.New("is not a string")
	}
	var key string
	if err := json.Unmarshal(value, &key); err != nil {
		return "", errors.New("is not a string")
	}
	return key, nil
}

// isForm reports whether the body is a form, of either type.
func (c *content) isForm() bool {
	return c.mediaType == formType || c.mediaType == multipartType && c.kind == kindMultipart
}

// formKey returns the field of a form that holds the key.
func (c *content) formKey(name string) (string, error) {
	if c.mediaType == formType {
		values, err := url.ParseQuery(string(c.body))
		if err != nil {
			return "", errors.New("cannot be read, because the form is not well-formed")
		}
		return single(values[name])
	}
	if !c.isForm() {
		return "", errNoKey
	}
	var values []string
	for _, part := range c.parts {
		if part.name != name {
			continue
		}
		if part.isFile {
			return "", errors.New("is a file")
		}
		values = append(values, string(part.data))
	}
	return single(values)
}
