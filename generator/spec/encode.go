package spec

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// rawJSON is a tree as compact JSON, nil for no tree.
func rawJSON(n *yaml.Node) json.RawMessage {
	if n == nil {
		return nil
	}
	return appendJSON(nil, n, "", "")
}

// appendJSON writes a tree as JSON. With an indent each member and item has a line of its own, behind prefix.
func appendJSON(b []byte, n *yaml.Node, prefix, indent string) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		return appendCollection(b, n, '{', '}', 2, prefix, indent)
	case yaml.SequenceNode:
		return appendCollection(b, n, '[', ']', 1, prefix, indent)
	case yaml.ScalarNode:
		return appendScalar(b, n)
	case yaml.DocumentNode:
		if len(n.Content) > 0 {
			return appendJSON(b, n.Content[0], prefix, indent)
		}
	}
	return append(b, "null"...)
}

func appendCollection(b []byte, n *yaml.Node, open, end byte, step int, prefix, indent string) []byte {
	b = append(b, open)
	if len(n.Content) < step {
		return append(b, end)
	}
	inner := prefix + indent
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 {
			b = append(b, ',')
		}
		if indent != "" {
			b = append(append(b, '\n'), inner...)
		}
		if step == 2 {
			b = append(appendString(b, n.Content[i].Value), ':')
			if indent != "" {
				b = append(b, ' ')
			}
		}
		b = appendJSON(b, n.Content[i+step-1], inner, indent)
	}
	if indent != "" {
		b = append(append(b, '\n'), prefix...)
	}
	return append(b, end)
}

func appendScalar(b []byte, n *yaml.Node) []byte {
	switch n.Tag {
	case intTag, floatTag:
		if numberTag(n.Value) != "" {
			return append(b, n.Value...)
		}
	case boolTag:
		return strconv.AppendBool(b, isTrue(n))
	case nullTag:
		return append(b, "null"...)
	}
	return appendString(b, n.Value)
}

// appendString writes a JSON string. Unlike encoding/json it leaves <, > and & alone: the result is read by people.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, width := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && width == 1 {
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + 1
			}
			i += width
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// plainValue is a tree as Go's JSON values, for what works on those.
func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for key, value := range members(n) {
			object[key.Value] = plainValue(value)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = plainValue(item)
		}
		return list
	}
	switch {
	case isNull(n):
		return nil
	case isBool(n):
		return isTrue(n)
	case isNumber(n):
		if whole, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return whole
		}
		if number, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return number
		}
	}
	return n.Value
}
