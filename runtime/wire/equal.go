package wire

import (
	"slices"
	"strings"
)

// equal compares two values as JSON Schema does: numbers by value, objects without order.
func equal(a, b *node) bool {
	return string(a.appendCanonical(nil)) == string(b.appendCanonical(nil))
}

// appendCanonical writes a value so that two are equal exactly when their texts are. It is not meant to be sent.
func (n *node) appendCanonical(to []byte) []byte {
	switch n.kind {
	case number:
		d, _ := parseDecimal(n.text)
		return d.append(to)
	case str, loose:
		return appendJSONString(to, n.text)
	case array:
		to = append(to, '[')
		for i := range n.kids {
			to = append(n.kids[i].appendCanonical(to), ',')
		}
		return append(to, ']')
	case object:
		order := make([]*node, len(n.kids))
		for i := range n.kids {
			order[i] = &n.kids[i]
		}
		slices.SortFunc(order, func(a, b *node) int { return strings.Compare(a.name, b.name) })
		to = append(to, '{')
		for _, kid := range order {
			to = append(appendJSONString(to, kid.name), ':')
			to = append(kid.appendCanonical(to), ',')
		}
		return append(to, '}')
	default:
		return append(to, n.text...)
	}
}

// appendJSONString writes a JSON string without escaping what need not be: HTML is none of its business.
func appendJSONString(to []byte, text string) []byte {
	const hex = "0123456789abcdef"
	to = append(to, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c < 0x20:
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			to = append(to, c)
		}
	}
	return append(to, '"')
}
