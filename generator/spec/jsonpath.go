package spec

import (
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
	"go.yaml.in/yaml/v4"
)

// place is a node that a JSONPath query selects, and where it hangs.
type place struct {
	node   *yaml.Node
	parent *yaml.Node // nil for the root
}

// selectNodes evaluates an RFC 9535 query on a tree. The library parses queries and judges filters; the walking is done
// here, as it must end at nodes that can be changed, and as converting a whole document into the library's values would
// cost more than everything else that is done to it.
func selectNodes(query *jsonpath.Path, root *yaml.Node) []place {
	found := []place{{node: root}}
	s := selection{root: root}
	for _, segment := range query.Query().Segments() {
		var next []place
		for _, at := range found {
			if segment.IsDescendant() {
				s.descend(at.node, segment.Selectors(), &next)
			} else {
				s.children(at.node, segment.Selectors(), &next)
			}
		}
		found = next
		if segment.IsDescendant() {
			found = once(next)
		}
	}
	return found
}

// once leaves out places that stand in the list already: what lies below two selected nodes is selected twice, and with
// each further such segment more often. A node that is selected twice is changed once.
func once(places []place) []place {
	seen := make(map[*yaml.Node]struct{}, len(places))
	return slices.DeleteFunc(places, func(at place) bool {
		_, again := seen[at.node]
		seen[at.node] = struct{}{}
		return again
	})
}

type selection struct {
	root      *yaml.Node
	converted any // root as the library's values, once a filter needs it
}

func (s *selection) descend(n *yaml.Node, selectors []spec.Selector, into *[]place) {
	s.children(n, selectors, into)
	switch n.Kind {
	case yaml.MappingNode:
		for _, value := range members(n) {
			s.descend(value, selectors, into)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			s.descend(item, selectors, into)
		}
	}
}

func (s *selection) children(n *yaml.Node, selectors []spec.Selector, into *[]place) {
	for _, selector := range selectors {
		switch selector := selector.(type) {
		case spec.Name:
			if value := get(n, string(selector)); value != nil {
				*into = append(*into, place{value, n})
			}
		case spec.Index:
			i := int(selector)
			if isList(n) && i < 0 {
				i += len(n.Content)
			}
			if isList(n) && i >= 0 && i < len(n.Content) {
				*into = append(*into, place{n.Content[i], n})
			}
		case spec.SliceSelector:
			s.slice(n, selector, into)
		case spec.WildcardSelector:
			s.each(n, func(value *yaml.Node) bool { return true }, into)
		case *spec.FilterSelector:
			var root any
			if strings.Contains(selector.String(), "$") {
				if s.converted == nil {
					s.converted = plainValue(s.root)
				}
				root = s.converted
			}
			s.each(n, func(value *yaml.Node) bool { return selector.Eval(plainValue(value), root) }, into)
		}
	}
}

func (s *selection) slice(n *yaml.Node, slice spec.SliceSelector, into *[]place) {
	if !isList(n) {
		return
	}
	lower, upper := slice.Bounds(len(n.Content))
	switch step := slice.Step(); {
	case step > 0:
		for i := lower; i < upper; i += step {
			*into = append(*into, place{n.Content[i], n})
		}
	case step < 0:
		for i := upper; i > lower; i += step {
			*into = append(*into, place{n.Content[i], n})
		}
	}
}

func (s *selection) each(n *yaml.Node, wanted func(*yaml.Node) bool, into *[]place) {
	switch n.Kind {
	case yaml.MappingNode:
		for _, value := range members(n) {
			if wanted(value) {
				*into = append(*into, place{value, n})
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if wanted(item) {
				*into = append(*into, place{item, n})
			}
		}
	}
}
