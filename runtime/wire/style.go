package wire

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Style is how a parameter or a form field is written: one of the constants, with Explode added where the document says
// so (OpenAPI 3.1, section 4.8.12.2, and RFC 6570).
type Style uint8

// The styles. JSONText is a parameter described by `content` with a JSON media type. Spread is a query parameter that
// is an object in the style Form with Explode: its members are parameters of their own.
const (
	Simple Style = iota + 1
	Label
	Matrix
	Form
	SpaceDelimited
	PipeDelimited
	DeepObject
	Cookie
	JSONText
	Spread

	// Explode is added to a style: Form|Explode.
	Explode Style = 0x80
)

func (s Style) base() Style    { return s &^ Explode }
func (s Style) exploded() bool { return s&Explode != 0 }

func oneStyle(given []Style, byDefault Style) Style {
	if len(given) == 0 {
		return byDefault
	}
	return given[0]
}

// escape is how the text of a leaf is percent-encoded.
type escape uint8

const (
	noEscape escape = iota
	pathEscape
	queryEscape // as pathEscape, and "+" is a space
)

// leaf is one occurrence of a parameter, form field or part, as it was sent.
type leaf struct {
	raw  string
	part *File
}

const (
	notEncoded = "must be percent-encoded correctly"
	notUTF8    = "must be UTF-8 text"
)

// undo decodes text; problem says what is wrong with it.
func (e escape) undo(text string) (decoded, problem string) {
	var err error
	switch e {
	case pathEscape:
		text, err = url.PathUnescape(text)
	case queryEscape:
		text, err = url.QueryUnescape(text)
	}
	if err != nil {
		return "", notEncoded
	}
	if !utf8.ValidString(text) {
		return "", notUTF8
	}
	return text, ""
}

// scalar strips what the style puts around a single value.
func (s *source) scalar(raw string) (text, problem string) {
	switch s.style.base() {
	case Label:
		rest, ok := strings.CutPrefix(raw, ".")
		if !ok {
			return "", "must start with a full stop (style label)"
		}
		return rest, ""
	case Matrix:
		rest, ok := s.matrix(raw)
		if !ok {
			return "", "must be written as ;name=value (style matrix)"
		}
		return rest, ""
	default:
		return raw, ""
	}
}

// matrix strips ";name=" from a value of style matrix; ";name" alone is the empty value (RFC 6570, section 3.2.7).
func (s *source) matrix(raw string) (rest string, ok bool) {
	raw, ok = strings.CutPrefix(raw, ";")
	if !ok {
		return "", false
	}
	name, rest, _ := strings.Cut(raw, "=")
	decoded, problem := s.escape.undo(name)
	return rest, problem == "" && decoded == s.name
}

// list splits the occurrences of an array into its items, still encoded.
func (s *source) list() (items []leaf, problem string) {
	if s.style.exploded() {
		switch s.style.base() {
		case Form, SpaceDelimited, PipeDelimited, Cookie, DeepObject:
			return s.leaves, ""
		}
	}
	if len(s.leaves) > 1 && s.in != "header" && s.in != "" {
		return nil, "must be given once"
	}
	for _, l := range s.leaves {
		if l.part != nil {
			items = append(items, l)
			continue
		}
		texts, problem := s.split(l.raw)
		if problem != "" {
			return nil, problem
		}
		for _, text := range texts {
			items = append(items, leaf{raw: text})
		}
	}
	return items, ""
}

// split splits one occurrence at the style's delimiter. The empty text is the empty list.
func (s *source) split(raw string) (texts []string, problem string) {
	switch s.style.base() {
	case Label:
		text, problem := s.scalar(raw)
		if problem != "" || text == "" {
			return nil, problem
		}
		return strings.Split(text, s.delimiter(".")), ""
	case Matrix:
		if !s.style.exploded() {
			text, problem := s.scalar(raw)
			if problem != "" || text == "" {
				return nil, problem
			}
			return strings.Split(text, ","), ""
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(raw, ";"), ";") {
			text, problem := s.scalar(";" + part)
			if problem != "" {
				return nil, problem
			}
			texts = append(texts, text)
		}
		return texts, ""
	case SpaceDelimited:
		return cut(raw, "+", "%20", " "), ""
	case PipeDelimited:
		return cut(raw, "|", "%7C", "%7c"), ""
	default:
		texts = cut(raw, ",")
		if s.in == "header" {
			for i := range texts {
				texts[i] = strings.Trim(texts[i], " \t")
			}
		}
		return texts, ""
	}
}

func (s *source) delimiter(exploded string) string {
	if s.style.exploded() {
		return exploded
	}
	return ","
}

// cut splits text at any of the delimiters.
func cut(text string, delimiters ...string) []string {
	if text == "" {
		return nil
	}
	for _, other := range delimiters[1:] {
		text = strings.ReplaceAll(text, other, delimiters[0])
	}
	return strings.Split(text, delimiters[0])
}

// members splits the occurrences of an object into names and values, still encoded.
func (s *source) members() (pairs [][2]string, problem string) {
	if len(s.leaves) > 1 && s.in != "header" {
		return nil, "must be given once"
	}
	for _, l := range s.leaves {
		found, problem := s.splitMembers(l.raw)
		if problem != "" {
			return nil, problem
		}
		pairs = append(pairs, found...)
	}
	return pairs, ""
}

func (s *source) splitMembers(raw string) (pairs [][2]string, problem string) {
	var texts []string
	if s.style == Matrix|Explode {
		rest, ok := strings.CutPrefix(raw, ";")
		if !ok {
			return nil, "must be written as ;name=value (style matrix)"
		}
		texts = strings.Split(rest, ";")
	} else if texts, problem = s.split(raw); problem != "" {
		return nil, problem
	}
	if s.style.exploded() {
		for _, text := range texts {
			name, value, ok := strings.Cut(text, "=")
			if !ok && s.style.base() != Matrix {
				return nil, "must be a list of name=value"
			}
			pairs = append(pairs, [2]string{name, value})
		}
		return pairs, ""
	}
	if len(texts)%2 != 0 {
		return nil, "must be a list of names and values in turn"
	}
	for i := 0; i < len(texts); i += 2 {
		pairs = append(pairs, [2]string{texts[i], texts[i+1]})
	}
	return pairs, ""
}
