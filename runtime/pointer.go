package runtime

import (
	"fmt"
	"strings"
)

// parsePointer splits a JSON Pointer (RFC 6901) into its unescaped names. The empty pointer is the whole document.
func parsePointer(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("%q is not a JSON Pointer: it starts with a slash", text)
	}
	names := strings.Split(text[1:], "/")
	for i, name := range names {
		for j := range len(name) {
			if name[j] == '~' && (j+1 == len(name) || name[j+1] != '0' && name[j+1] != '1') {
				return nil, fmt.Errorf("%q is not a JSON Pointer: a tilde is written ~0", text)
			}
		}
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names, nil
}

// selection is a tree of JSON Pointers: which values of a document are captured, and which are left out.
type selection struct {
	children map[string]*selection
	capture  int // index of the capture, -1 for none
	drop     bool
}

func newSelection() *selection { return &selection{capture: -1} }

// at returns the node of path, which it makes.
func (s *selection) at(path []string) *selection {
	for _, name := range path {
		child := s.children[name]
		if child == nil {
			child = newSelection()
			if s.children == nil {
				s.children = map[string]*selection{}
			}
			s.children[name] = child
		}
		s = child
	}
	return s
}

// child returns the node of a member or an item, nil when nothing is selected at or below it.
func (s *selection) child(name string) *selection {
	if s == nil {
		return nil
	}
	return s.children[name]
}
