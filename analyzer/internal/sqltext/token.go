package sqltext

import "strings"

// kind is what a token is.
type kind uint8

const (
	word   kind = iota + 1 // a bare name or keyword; text is in lower case
	ident                  // a quoted name; text is the name
	str                    // a string of any quoting
	number                 //
	param                  // a placeholder: $1, ?, :name, @name
	hole                   // a part filled in at run time
	punct                  // an operator, a bracket or another sign
)

// token is one token of a text.
type token struct {
	kind       kind
	text       string
	start, end int
	unknown    bool // part of the name is a hole
}

// is reports whether the token is one of these bare words or signs.
func (t token) is(texts ...string) bool {
	if t.kind != word && t.kind != punct {
		return false
	}
	for _, text := range texts {
		if t.text == text {
			return true
		}
	}
	return false
}

// named reports whether the token can be a name or a part of one.
func (t token) named() bool { return t.kind == word || t.kind == ident }

// endsOperand reports whether a value or a name can end here, so that a hole right behind hides more than a value.
func (t token) endsOperand() bool {
	switch t.kind {
	case word:
		return !opensOperand[t.text]
	case punct:
		return t.text == ")" || t.text == "]" || t.text == "*"
	}
	return true
}

// opensOperand are the words behind which a value, a name or a list is still to come.
var opensOperand = set(`select distinct from where and or not in like ilike between is as by on using set values value limit offset
	having union all except intersect into update delete insert join returning when then else case exists any some do conflict
	constraint for of only lateral recursive with order group add drop column table index unique key primary check references interval`)

// structural are the words that never are a part of a name, so that a hole next to one is a part of its own.
var structural = set(`select from where and or not in on using set values limit offset having union except intersect into update
	delete insert join left right inner outer cross full returning when then else case end exists do conflict for order group by as is null
	like between asc desc`)

// set makes a set of the words of a text.
func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
