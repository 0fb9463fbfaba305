package wire

import (
	"strings"
)

// Bounds of what a query, a form or a JSON document may hold, so that a small request cannot become a large one in
// memory.
const (
	// MaxFields bounds the fields of a query, a form or a multipart body, and the names that are nested in theirs.
	MaxFields = 10_000
	// MaxDepth bounds how deep JSON values and the names of form fields may be nested.
	MaxDepth = 128
	// MaxValues bounds the values of a JSON document.
	MaxValues = 250_000
)

// form is a parsed query, form or multipart body: its fields as they are called, and as the trees that names such as
// "card[number]" make.
type form struct {
	fields map[string][]leaf
	asked  map[string]bool
	heads  []*branch
	byName map[string]*branch
	nodes  int // branches in all
}

// branch is one name within a tree of fields, with its occurrences and what is nested in it.
type branch struct {
	name   string
	leaves []leaf
	kids   []*branch
	byName map[string]*branch
}

func newForm() *form {
	return &form{fields: map[string][]leaf{}, asked: map[string]bool{}, byName: map[string]*branch{}}
}

// parseForm reads application/x-www-form-urlencoded text (WHATWG URL, section 5.1). Names are decoded, values are kept
// as they were sent. The form is usable even when there is a problem.
func parseForm(text string) (f *form, problem string) {
	f = newForm()
	if text == "" {
		return f, ""
	}
	count := 0
	for field := range strings.SplitSeq(text, "&") {
		if field == "" {
			continue
		}
		if count++; count > MaxFields {
			return f, "holds too many fields"
		}
		rawName, value, _ := strings.Cut(field, "=")
		name, bad := queryEscape.undo(rawName)
		if bad != "" {
			problem = "has a field whose name " + bad
			continue
		}
		if bad := f.add(name, leaf{raw: value}); bad != "" {
			problem = bad
		}
	}
	return f, problem
}

// add files a field under its name and in the tree.
func (f *form) add(name string, l leaf) (problem string) {
	f.fields[name] = append(f.fields[name], l)
	head, rest := name, ""
	if open := strings.IndexByte(name, '['); open > 0 && strings.HasSuffix(name, "]") {
		head, rest = name[:open], name[open+1:len(name)-1]
	}
	at, known := f.byName[head]
	if !known {
		at = &branch{name: head}
		f.byName[head] = at
		f.heads = append(f.heads, at)
	}
	if len(head) != len(name) {
		steps := strings.Split(rest, "][")
		if len(steps) > MaxDepth {
			return "has a field that is nested too deep"
		}
		if f.nodes += len(steps); f.nodes > MaxFields {
			return "has too many nested fields"
		}
		for _, step := range steps {
			at = at.kid(step)
		}
	}
	at.leaves = append(at.leaves, l)
	return ""
}

func (b *branch) kid(name string) *branch {
	if kid, known := b.byName[name]; known {
		return kid
	}
	if b.byName == nil {
		b.byName = map[string]*branch{}
	}
	kid := &branch{name: name}
	b.byName[name] = kid
	b.kids = append(b.kids, kid)
	return kid
}

// literal returns the occurrences of the field that is called exactly name.
func (f *form) literal(name string) []leaf {
	f.asked[name] = true
	return f.fields[name]
}

// nested returns what is nested in name: the members of a deepObject.
func (f *form) nested(name string) []*branch {
	f.asked[name] = true
	if head := f.byName[name]; head != nil {
		return head.kids
	}
	return nil
}

// rest returns the fields that were not asked for.
func (f *form) rest() []*branch {
	var rest []*branch
	for _, head := range f.heads {
		if !f.asked[head.name] {
			rest = append(rest, head)
		}
	}
	return rest
}

// Form reads the body as application/x-www-form-urlencoded. Names with brackets are nested: card[number] is a member of
// card, items[] and items[0] are items of a list. fields names the fields whose `encoding` is not the default, Form
// with Explode.
func (in *Reader) Form(fields ...Field) Value {
	f, problem := parseForm(string(in.body))
	if problem != "" {
		in.add(Violation{Pointer: "#", Detail: "the form " + problem})
	}
	return in.whole(f.root(queryEscape, fields))
}

// Field says how one field of a form or multipart body is written.
type Field struct {
	Name  string
	Style Style
}

// root makes the object that a form is.
func (f *form) root(esc escape, fields []Field) *node {
	root := &node{kind: object, kids: make([]node, 0, len(f.heads)), source: &source{form: f, escape: esc}}
	for _, head := range f.heads {
		style := Form | Explode
		for _, field := range fields {
			if field.Name == head.name {
				style = field.Style
			}
		}
		root.kids = append(root.kids, head.node(style, esc))
	}
	return root
}

func (b *branch) node(style Style, esc escape) node {
	return node{kind: lazy, name: b.name, source: &source{style: style, escape: esc, leaves: b.leaves, branches: b.kids}}
}
