package example

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// boundary parts a made multipart body.
const boundary = "idemgen-example-boundary"

// contentTypeOf is the media type that a request with a body has.
func contentTypeOf(c *policy.Content) string {
	if strings.Contains(c.MediaType, "*") && media.OfContent(c) == media.JSON {
		return "application/json"
	}
	return concrete(c.MediaType)
}

// concrete is a media type that a request can have in place of a range.
func concrete(mediaType string) string {
	switch {
	case mediaType == "multipart/form-data":
		return mediaType + "; boundary=" + boundary
	case strings.HasPrefix(mediaType, "*/"):
		return "application/octet-stream"
	case strings.HasSuffix(mediaType, "/*"):
		return strings.TrimSuffix(mediaType, "*") + either(strings.HasPrefix(mediaType, "text/"), "plain", "octet-stream")
	default:
		return mediaType
	}
}

// write encodes a value as the body of a content.
func write(c *policy.Content, value json.RawMessage) ([]byte, error) {
	switch media.OfContent(c) {
	case media.JSON:
		return value, nil
	case media.Form:
		return writeForm(c, value)
	case media.Multipart:
		return writeMultipart(c, value)
	default:
		text, err := scalar(value)
		return []byte(text), err
	}
}

// formWriter writes fields whose names nest: a[b], a[0].
type formWriter struct{ fields []string }

func (f *formWriter) write(name string, value json.RawMessage) error {
	switch value[0] {
	case '[':
		items, err := itemsOf(value)
		if err != nil {
			return err
		}
		for i, item := range items {
			if err := f.write(name+"["+strconv.Itoa(i)+"]", item); err != nil {
				return err
			}
		}
		return nil
	case '{':
		o, err := membersOf(value)
		if err != nil {
			return err
		}
		for _, m := range o {
			if err := f.write(name+"["+m.name+"]", m.value); err != nil {
				return err
			}
		}
		return nil
	default:
		text, err := scalar(value)
		f.fields = append(f.fields, url.QueryEscape(name)+"="+url.QueryEscape(text))
		return err
	}
}

func writeForm(c *policy.Content, value json.RawMessage) ([]byte, error) {
	o, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	var f formWriter
	for _, m := range o {
		if e := encodingFor(c, m.name); e != nil && (media.Of(e.ContentType) == media.JSON || e.Style != "" && e.Style != "deepObject") {
			if err := f.writeStyled(e, m); err != nil {
				return nil, err
			}
			continue
		}
		if err := f.writeDefault(m); err != nil {
			return nil, err
		}
	}
	return []byte(strings.Join(f.fields, "&")), nil
}

// writeDefault repeats the name of a list of plain values (form, explode) and nests anything else.
func (f *formWriter) writeDefault(m member) error {
	if items, err := itemsOf(m.value); err == nil && !slices.ContainsFunc(items, nests) {
		for _, item := range items {
			if err := f.write(m.name, item); err != nil {
				return err
			}
		}
		return nil
	}
	return f.write(m.name, m.value)
}

func nests(value json.RawMessage) bool { return value[0] == '[' || value[0] == '{' }

// writeStyled writes a field as its encoding says.
func (f *formWriter) writeStyled(e *policy.Encoding, m member) error {
	p := policy.Parameter{Name: m.name, Style: e.Style, Explode: e.Explode}
	if media.Of(e.ContentType) == media.JSON {
		p.MediaType = e.ContentType
	} else if e.Explode {
		return f.writeDefault(m) // an exploded object would lose its name
	}
	fields, err := parameterValue{&p, m.value}.fields(url.QueryEscape)
	f.fields = append(f.fields, fields...)
	return err
}

func encodingFor(c *policy.Content, name string) *policy.Encoding {
	for i := range c.Encodings {
		if c.Encodings[i].Name == name {
			return &c.Encodings[i]
		}
	}
	return nil
}

func writeMultipart(c *policy.Content, value json.RawMessage) ([]byte, error) {
	o, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(value, []byte(boundary)) {
		return nil, fmt.Errorf("%w: the value holds the boundary of its parts", ErrImpossible)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, err
	}
	for _, m := range o {
		s := property(c.Schema, m.name)
		values := []json.RawMessage{m.value}
		if s != nil && s.Kind == policy.Array {
			if values, err = itemsOf(m.value); err != nil {
				return nil, err
			}
			s = s.Items
		}
		for _, item := range values {
			if err := writePart(w, c, m.name, s, item); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writePart writes a member: a file, JSON, or text.
func writePart(w *multipart.Writer, c *policy.Content, name string, s *policy.Schema, value json.RawMessage) error {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A").Replace(name)
	header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + quoted + `"`}}
	contentType := ""
	if e := encodingFor(c, name); e != nil {
		contentType, _, _ = strings.Cut(e.ContentType, ",")
	}
	text := string(value)
	var err error
	switch {
	case nests(value), contentType != "" && media.Of(contentType) == media.JSON:
		contentType = either(contentType == "", "application/json", contentType)
	case s != nil && s.Format == "binary":
		header["Content-Disposition"][0] += `; filename="example"`
		contentType = concrete(either(contentType == "", "application/octet-stream", contentType))
		text, err = scalar(value)
	default:
		text, err = scalar(value)
	}
	if err != nil {
		return err
	}
	if contentType != "" {
		header.Set("Content-Type", strings.TrimSpace(contentType))
	}
	part, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = part.Write([]byte(text))
	return err
}

// property is the schema of a member, nil when it has none.
func property(s *policy.Schema, name string) *policy.Schema {
	if s == nil {
		return nil
	}
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return s.Properties[i].Schema
		}
	}
	return s.Additional
}
