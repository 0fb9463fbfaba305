package spec

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
)

// Overlay is an OpenAPI Overlay document (version 1.0 or 1.1), YAML or JSON.
type Overlay struct {
	// Name stands for the document in findings, usually its path.
	Name    string
	Content []byte
}

// The application is our own: the libraries that bring one do not work on this tree, or append to an array what the
// specification says to merge, and none keeps the origin of what it inserts.

// action is one step of an overlay.
type action struct {
	node         *yaml.Node // the action itself
	target       *yaml.Node // its target, as written
	query        *jsonpath.Path
	update, copy *yaml.Node
	source       *jsonpath.Path // parsed copy
	remove       bool
}

var overlayVersion = regexp.MustCompile(`^1\.[01]\.\d+$`)

// readOverlay reads an overlay's actions; a faulty one is reported and left out.
func readOverlay(f *source, rep *reporter) []action {
	version := get(f.root, "overlay")
	if !isText(version) || !overlayVersion.MatchString(version.Value) {
		at := version
		if at == nil {
			at = f.root
		}
		rep.fail(at, ruleOverlay, "write overlay: 1.0.0 at the top of the file", "this is not an OpenAPI Overlay of version 1.0 or 1.1")
		return nil
	}
	list := get(f.root, "actions")
	if !isList(list) {
		at := list
		if at == nil {
			at = f.root
		}
		rep.fail(at, ruleOverlay, "", "an overlay needs a list of actions")
		return nil
	}
	var actions []action
	for _, node := range list.Content {
		if a, ok := readAction(node, rep); ok {
			actions = append(actions, a)
		}
	}
	return actions
}

func readAction(node *yaml.Node, rep *reporter) (action, bool) {
	a := action{node: node, target: get(node, "target"), update: get(node, "update"), copy: get(node, "copy"),
		remove: isTrue(get(node, "remove"))}
	if !isText(a.target) {
		rep.fail(node, ruleOverlay, "write target: $.paths['/path'].post", "an overlay action needs a target, a JSONPath expression")
		return a, false
	}
	var ok bool
	if a.query, ok = parseQuery(a.target, rep); !ok {
		return a, false
	}
	if a.copy != nil {
		if a.source, ok = parseQuery(a.copy, rep); !ok {
			return a, false
		}
	}
	if !a.remove && a.update == nil && a.copy == nil {
		rep.fail(node, ruleOverlay, "give it an update, or remove: true", "the overlay action changes nothing")
		return a, false
	}
	return a, true
}

func parseQuery(n *yaml.Node, rep *reporter) (*jsonpath.Path, bool) {
	query, err := jsonpath.Parse(text(n))
	if err != nil {
		message := err.Error()
		if errors.Is(err, jsonpath.ErrPathParse) {
			message = strings.TrimPrefix(message, jsonpath.ErrPathParse.Error()+": ")
		}
		rep.fail(n, ruleOverlay, "JSONPath is that of RFC 9535; write names with special characters as ['name']",
			"%s is not a JSONPath expression: %s", quoteShort(text(n)), message)
		return nil, false
	}
	return query, true
}

// apply lays actions over a tree, in their order, and gives the tree's root.
func apply(root *yaml.Node, actions []action, rep *reporter) *yaml.Node {
	room := maxExpansion
	for i := range actions {
		a := &actions[i]
		places := selectNodes(a.query, root)
		if len(places) == 0 {
			a.missed(rep)
			continue
		}
		if a.remove {
			for _, at := range places {
				removeNode(at)
			}
			continue
		}
		update := a.update
		if a.source != nil {
			from := selectNodes(a.source, root)
			if len(from) != 1 {
				rep.fail(a.copy, ruleOverlay, "", "the source %s of a copy must select one node, it selects %d", shown(text(a.copy)), len(from))
				continue
			}
			if !a.fits(&room, from[0].node, len(places), rep) {
				return root
			}
			copied := cloneTree(from[0].node)
			for _, at := range places {
				merge(at.node, copied)
			}
		}
		if update == nil {
			continue
		}
		if !a.fits(&room, update, len(places), rep) {
			return root
		}
		for _, at := range places {
			if isList(at.node) && !isList(update) {
				at.node.Content = append(at.node.Content, cloneTree(update))
				continue
			}
			merge(at.node, update)
		}
	}
	return root
}

// fits reports whether there is room for the nodes that an action adds at its places. A few actions, each of which adds to
// what the ones before have added, come to more than any memory holds.
func (a *action) fits(room *int, added *yaml.Node, places int, rep *reporter) bool {
	*room -= countNodes(added, *room/places+1) * places
	if *room < 0 {
		rep.fail(a.target, ruleOverlay, "name fewer places, or add less", "the overlay adds more than %d values to the document", maxExpansion)
	}
	return *room >= 0
}

// countNodes is how many nodes a tree has, or a little more than most.
func countNodes(n *yaml.Node, most int) int {
	count := 1
	for _, child := range n.Content {
		if count > most {
			break
		}
		count += countNodes(child, most-count)
	}
	return count
}

// missed reports an action whose target selects nothing. The overlay specification takes no offence, but it is nearly always
// a typo, or a document that has moved on, and an operation that somebody decided would go without its protection. What
// was to be removed and is not there is as it should be.
func (a *action) missed(rep *reporter) {
	severity := diag.Error
	if a.remove {
		severity = diag.Warning
	}
	rep.add(severity, rep.src.at(a.target), ruleOverlayMiss, "compare the target with the document; take the action out when there is nothing for it any more",
		"the target %s selects nothing", shown(a.target.Value))
}

func removeNode(at place) {
	if at.parent == nil {
		at.node.Content = nil
		return
	}
	i := slices.Index(at.parent.Content, at.node)
	switch {
	case i < 0: // selected twice
	case at.parent.Kind == yaml.MappingNode:
		at.parent.Content = slices.Delete(at.parent.Content, i-1, i+1)
	default:
		at.parent.Content = slices.Delete(at.parent.Content, i, i+1)
	}
}

// merge lays update over target: objects by member, lists one behind the other, everything else replaced.
func merge(target, update *yaml.Node) {
	switch {
	case isMap(target) && isMap(update):
		for key, value := range members(update) {
			if _, existing := lookup(target, key.Value); existing != nil {
				merge(existing, value)
				continue
			}
			target.Content = append(target.Content, cloneTree(key), cloneTree(value))
		}
	case isList(target) && isList(update):
		for _, item := range update.Content {
			target.Content = append(target.Content, cloneTree(item))
		}
	default:
		*target = *cloneTree(update)
	}
}

// cloneTree copies a tree. The copy's nodes keep their lines, and with them the file they came from.
func cloneTree(n *yaml.Node) *yaml.Node {
	c := *n
	if n.Content != nil {
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			c.Content[i] = cloneTree(child)
		}
	}
	return &c
}
