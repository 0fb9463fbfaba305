package example

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// parameterValue is a parameter and the value it is sent with.
type parameterValue struct {
	parameter *policy.Parameter
	value     json.RawMessage
}

// escaper encodes what a style puts between its delimiters.
type escaper func(string) string

func asIs(text string) string { return text }

// addTo writes a parameter into a call's path, query or header.
func (p parameterValue) addTo(path *string, query *[]string, header http.Header) error {
	name := p.parameter.Name
	switch p.parameter.In {
	case "path":
		text, err := p.single(url.PathEscape)
		*path = strings.ReplaceAll(*path, "{"+name+"}", text)
		return err
	case "query":
		fields, err := p.fields(url.QueryEscape)
		*query = append(*query, fields...)
		return err
	case "header":
		text, err := p.single(asIs)
		header.Set(name, text)
		return err
	default:
		fields, err := p.fields(url.PathEscape)
		for _, field := range fields {
			header["Cookie"] = []string{strings.TrimPrefix(header.Get("Cookie")+"; "+field, "; ")}
		}
		return err
	}
}

// single writes a value in the styles simple, label and matrix.
func (p parameterValue) single(escape escaper) (string, error) {
	if p.parameter.MediaType != "" {
		return escape(string(p.value)), nil
	}
	name := escape(p.parameter.Name)
	start, between := "", ","
	switch p.parameter.Style {
	case "label":
		start = "."
		between = either(p.parameter.Explode, ".", ",")
	case "matrix":
		start = ";" + name + "="
		between = either(p.parameter.Explode, ";"+name+"=", ",")
	}
	switch p.value[0] {
	case '[':
		items, err := scalars(p.value, escape)
		return start + strings.Join(items, between), err
	case '{':
		if p.parameter.Style == "matrix" && p.parameter.Explode {
			start, between = ";", ";"
		}
		pairs, err := pairsOf(p.value, escape, either(p.parameter.Explode, "=", ","))
		return start + strings.Join(pairs, between), err
	default:
		text, err := scalar(p.value)
		return start + escape(text), err
	}
}

// fields writes a value in the styles form, spaceDelimited, pipeDelimited and deepObject: name=value, as often as
// needed.
func (p parameterValue) fields(escape escaper) ([]string, error) {
	name := escape(p.parameter.Name) + "="
	if p.parameter.MediaType != "" {
		return []string{name + escape(string(p.value))}, nil
	}
	between := map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.parameter.Style]
	if between == "" {
		between = ","
	}
	switch {
	case p.value[0] == '[':
		items, err := scalars(p.value, escape)
		if !p.parameter.Explode {
			return []string{name + strings.Join(items, between)}, err
		}
		for i := range items {
			items[i] = name + items[i]
		}
		return items, err
	case p.value[0] == '{' && p.parameter.Style == "deepObject":
		var f formWriter
		err := f.write(p.parameter.Name, p.value)
		return f.fields, err
	case p.value[0] == '{' && p.parameter.Explode:
		return pairsOf(p.value, escape, "=")
	case p.value[0] == '{':
		pairs, err := pairsOf(p.value, escape, between)
		return []string{name + strings.Join(pairs, between)}, err
	default:
		text, err := scalar(p.value)
		return []string{name + escape(text)}, err
	}
}

// scalar is the text of a value that is neither array nor object; null is empty.
func scalar(value json.RawMessage) (string, error) {
	switch value[0] {
	case '[', '{':
		return "", fmt.Errorf("%w: a list within a list or an object within an object cannot be written in this style", ErrImpossible)
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case 'n':
		return "", nil
	default:
		return string(value), nil
	}
}

func scalars(value json.RawMessage, escape escaper) ([]string, error) {
	items, err := itemsOf(value)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		text, err := scalar(item)
		if err != nil {
			return nil, err
		}
		texts[i] = escape(text)
	}
	return texts, nil
}

func pairsOf(value json.RawMessage, escape escaper, between string) ([]string, error) {
	o, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, m := range o {
		text, err := scalar(m.value)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, escape(m.name)+between+escape(text))
	}
	return pairs, nil
}
