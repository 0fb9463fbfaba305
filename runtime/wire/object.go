package wire

import "strings"

// Object is the members of a JSON object, of a nested form field, or of a parameter that is an object.
type Object struct{ v Value }

// Object understands the value as an object. When it is none, which is reported unless it is absent, every member is
// absent and nothing more is said about them.
func (v Value) Object() Object {
	v.members()
	if v.kind() != object {
		v.wrong("an object")
		return Object{Value{in: v.in}}
	}
	return Object{v}
}

// Member returns the member called name.
func (o Object) Member(name string) Value {
	n := o.v.n
	if n == nil {
		return Value{in: o.v.in, n: &node{kind: spoiled}}
	}
	if at, found := n.find(name); found {
		kid := n.child(at)
		kid.asked = true
		return Value{in: o.v.in, n: kid}
	}
	if n.source != nil && n.source.form != nil {
		if v, found := o.literal(name); found {
			return v
		}
	}
	return Value{in: o.v.in, up: n, name: name}
}

// literal returns the form field that is called exactly name although it has brackets, such as "expand[]".
func (o Object) literal(name string) (v Value, found bool) {
	src := o.v.n.source
	leaves := src.form.literal(name)
	if len(leaves) == 0 {
		return Value{}, false
	}
	head, _, _ := strings.Cut(name, "[")
	if at, found := o.v.n.find(head); found {
		o.v.n.kids[at].asked = true
	}
	field := (&branch{name: name, leaves: leaves}).node(Form|Explode, src.escape)
	field.parent = o.v.n
	return Value{in: o.v.in, n: &field}, true
}

// Closed reports members that were not asked for.
func (o Object) Closed() {
	for _, v := range o.others() {
		v.report("is not a member that is known here")
	}
}

// others returns the members that were not asked for.
func (o Object) others() []Value {
	if o.v.n == nil {
		return nil
	}
	var others []Value
	for i := range o.v.n.kids {
		if !o.v.n.kids[i].asked {
			others = append(others, o.v.at(i))
		}
	}
	return others
}

// Rest reads the members that were not asked for, by name; nil when there are none.
func Rest[T any](o Object, read func(Value) T) map[string]T {
	others := o.others()
	if len(others) == 0 {
		return nil
	}
	rest := make(map[string]T, len(others))
	for _, v := range others {
		rest[v.n.name] = read(v)
	}
	return rest
}

// Map reads an object whose members are all alike. It is nil when the value is absent, and empty when the object is.
func Map[T any](v Value, read func(Value) T) map[string]T {
	if !v.Present() {
		return nil
	}
	o := v.Object()
	if o.v.n == nil {
		return nil
	}
	members := make(map[string]T, len(o.v.n.kids))
	for i := range o.v.n.kids {
		kid := o.v.at(i)
		members[kid.n.name] = read(kid)
	}
	return members
}

// List reads an array. It is nil when the value is absent, and empty when the array is.
func List[T any](v Value, read func(Value) T) []T {
	v.list()
	if v.kind() != array {
		v.wrong("an array")
		return nil
	}
	items := make([]T, len(v.n.kids))
	for i := range items {
		items[i] = read(v.at(i))
	}
	return items
}

// Optional reads a value that may be absent; it is nil then.
func Optional[T any](v Value, read func(Value) T) *T {
	if !v.Present() || v.kind() == spoiled {
		return nil
	}
	return Ref(read(v))
}

// OptionalOrNull reads a value that may be absent or null; it is nil in both cases. Where the two mean different
// things, use [ReadNullable].
func OptionalOrNull[T any](v Value, read func(Value) T) *T {
	if !v.Present() || v.kind() == spoiled || v.IsNull() {
		return nil
	}
	return Ref(read(v))
}

// OrNull takes null for absence, for types that have a nil of their own: lists, maps and bytes.
func (v Value) OrNull() Value {
	if !v.IsNull() {
		return v
	}
	return Value{in: v.in, up: v.n.parent, name: v.n.name}
}

// Ref returns a pointer to a value.
func Ref[T any](value T) *T { return &value }

// members understands a lazy value as an object.
func (v Value) members() {
	if v.kind() != lazy || v.fromJSON() {
		return
	}
	src := v.n.source
	var kids []node
	switch {
	case len(src.branches) > 0 && len(src.leaves) > 0:
		v.spoil("must be either a single value or nested, not both")
		return
	case len(src.branches) > 0:
		kids = make([]node, 0, len(src.branches))
		for _, b := range src.branches {
			kids = append(kids, b.node(Form|Explode, src.escape))
		}
	default:
		pairs, problem := src.members()
		if problem != "" {
			v.spoil(problem)
			return
		}
		for _, pair := range pairs {
			name, problem := src.escape.undo(pair[0])
			if problem != "" {
				v.spoil(problem)
				return
			}
			for i := range kids {
				if kids[i].name == name {
					v.spoil("must not have a member twice")
					return
				}
			}
			kids = append(kids, lazyLeaf(leaf{raw: pair[1]}, src.escape))
			kids[len(kids)-1].name = name
		}
	}
	v.n.kind, v.n.kids = object, kids
}

// lazyLeaf is an item or member of a parameter that was split: a single value without a style.
func lazyLeaf(l leaf, esc escape) node {
	return node{kind: lazy, source: &source{style: Form | Explode, escape: esc, leaves: []leaf{l}}}
}

// list understands a lazy value as an array.
func (v Value) list() {
	if v.kind() != lazy {
		return
	}
	src := v.n.source
	if v.fromJSON() {
		if src.leaves[0].part != nil && v.kind() != array && v.kind() != spoiled {
			v.wrap() // each item of a list is a part of its own, and there is one
		}
		return
	}
	var kids []node
	switch {
	case len(src.branches) > 0 && len(src.leaves) > 0:
		v.spoil("must be either plain values or numbered ones, not both")
		return
	case len(src.branches) > 0:
		var problem string
		if kids, problem = numbered(src); problem != "" {
			v.spoil(problem)
			return
		}
	default:
		leaves, problem := src.list()
		if problem != "" {
			v.spoil(problem)
			return
		}
		for _, l := range leaves {
			item := lazyLeaf(l, src.escape)
			if l.part != nil {
				item.source.style = src.style
			}
			kids = append(kids, item)
		}
	}
	for i := range kids {
		kids[i].index = int32(i)
	}
	v.n.kind, v.n.kids = array, kids
}

// wrap makes a list of the value alone.
func (v Value) wrap() {
	item := *v.n
	item.name, item.source, item.parent = "", nil, nil
	v.n.kind, v.n.raw, v.n.text, v.n.kids = array, "["+item.raw+"]", "", []node{item}
}

// numbered makes the items of a[]=x&a[]=y or of a[0]=x&a[1][b]=y. Numbers may come in any order but must leave no gap,
// so that a place in an answer is the place in the request.
func numbered(src *source) (kids []node, problem string) {
	if only := src.branches[0]; len(src.branches) == 1 && only.name == "" {
		if len(only.kids) > 0 {
			return nil, "must number its items, as in [0], where they are not plain values"
		}
		for _, l := range only.leaves {
			kids = append(kids, lazyLeaf(l, src.escape))
		}
		return kids, ""
	}
	kids = make([]node, len(src.branches))
	for _, b := range src.branches {
		at, ok := parseIndex(b.name)
		if !ok || at >= len(kids) {
			return nil, "must number its items from 0 without a gap"
		}
		kids[at] = b.node(Form|Explode, src.escape)
	}
	return kids, ""
}

func isIndex(name string) bool {
	_, ok := parseIndex(name)
	return ok || name == ""
}

// parseIndex reads an index without sign or leading zeros.
func parseIndex(name string) (at int, ok bool) {
	if name == "" || len(name) > 6 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	for i := range len(name) {
		if !isDigit(name[i]) {
			return 0, false
		}
		at = at*10 + int(name[i]-'0')
	}
	return at, true
}
