package drill

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// node is a JSON value that keeps the order of members and the way in which numbers are written.
type node struct {
	raw     string // of a scalar
	object  bool
	array   bool
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

var errNotJSON = errors.New("the body is not JSON")

func parseJSON(text []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	n, err := parseNode(decoder, 0)
	if err != nil {
		return nil, errNotJSON
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return n, nil
}

// maxDepth is how deep a body may be nested to be changed; a deeper one is sent as it is.
const maxDepth = 1000

func parseNode(decoder *json.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errNotJSON
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		n := &node{object: token == '{', array: token == '['}
		for decoder.More() {
			name := ""
			if n.object {
				next, err := decoder.Token()
				if err != nil {
					return nil, err
				}
				name, _ = next.(string)
			}
			value, err := parseNode(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			if n.object {
				n.members = append(n.members, member{name, value})
			} else {
				n.items = append(n.items, value)
			}
		}
		_, err := decoder.Token()
		return n, err
	case json.Number:
		return &node{raw: token.String()}, nil
	default:
		raw, err := json.Marshal(token)
		return &node{raw: string(raw)}, err
	}
}

func quoted(text string) *node {
	raw, _ := json.Marshal(text) // a string always encodes
	return &node{raw: string(raw)}
}

func (n *node) text() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	switch {
	case n.object:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(m.name).raw)
			b.WriteByte(':')
			m.value.write(b)
		}
		b.WriteByte('}')
	case n.array:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.raw)
	}
}

// reordered has the members of every object in the opposite order; ok is false where no object has two.
func (n *node) reordered() (changed *node, ok bool) {
	copied := &node{raw: n.raw, object: n.object, array: n.array}
	ok = len(n.members) > 1
	for _, m := range n.members {
		value, inside := m.value.reordered()
		copied.members, ok = append(copied.members, member{m.name, value}), ok || inside
	}
	slices.Reverse(copied.members)
	for _, item := range n.items {
		value, inside := item.reordered()
		copied.items, ok = append(copied.items, value), ok || inside
	}
	return copied, ok
}

// replaced is a copy whose scalars are what change makes of them; change returns "" to leave one as it is and is asked no
// more once it has changed one.
func (n *node) replaced(place string, change func(place, raw string) string) (*node, bool) {
	copied := &node{raw: n.raw, object: n.object, array: n.array, members: slices.Clone(n.members), items: slices.Clone(n.items)}
	if !n.object && !n.array {
		raw := change(place, n.raw)
		if raw != "" {
			copied.raw = raw
		}
		return copied, raw != ""
	}
	for i, m := range copied.members {
		if value, ok := m.value.replaced(place+"/"+escapePointer(m.name), change); ok {
			copied.members[i].value = value
			return copied, true
		}
	}
	for i, item := range copied.items {
		if value, ok := item.replaced(place+"/"+strconv.Itoa(i), change); ok {
			copied.items[i] = value
			return copied, true
		}
	}
	return copied, false
}

// put sets the value at a JSON Pointer among objects, which are made where they are absent; false where something else
// stands in the way.
func (n *node) put(pointer string, value *node) bool {
	step, rest, more := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	name := strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	if !n.object {
		return false
	}
	for i := range n.members {
		if n.members[i].name != name {
			continue
		}
		if !more {
			n.members[i].value = value
			return true
		}
		return n.members[i].value.put("/"+rest, value)
	}
	if !more {
		n.members = append(n.members, member{name, value})
		return true
	}
	inner := &node{object: true}
	n.members = append(n.members, member{name, inner})
	return inner.put("/"+rest, value)
}

// has reports whether an object stands at a JSON Pointer.
func (n *node) has(pointer string) bool {
	if pointer == "" {
		return n.object
	}
	for _, m := range n.members {
		if place := "/" + escapePointer(m.name); under(pointer, place) {
			return m.value.has(pointer[len(place):])
		}
	}
	return false
}

func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// under reports whether place is at a pointer or below it.
func under(place, pointer string) bool {
	return place == pointer || strings.HasPrefix(place, pointer+"/")
}

func isInteger(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// exact is the least integer that a double cannot tell from its neighbour.
var exact = new(big.Int).Lsh(big.NewInt(1), 53)

// neighbour is an integer that is the same double as raw, "" where raw is small enough to have none.
func neighbour(raw string) string {
	n, ok := new(big.Int).SetString(raw, 10)
	if !ok || !isInteger(raw) || n.CmpAbs(exact) < 0 || len(raw) > 300 {
		return ""
	}
	double, _ := new(big.Float).SetInt(n).Float64()
	for _, step := range []int64{1, -1} {
		other := new(big.Int).Add(n, big.NewInt(step))
		if same, _ := new(big.Float).SetInt(other).Float64(); same == double {
			return other.String()
		}
	}
	return ""
}
