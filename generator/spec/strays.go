package spec

import (
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
)

// strays reports x-idempotency where nothing reads it, and what is spelt nearly like it: a policy that its author believes
// to be in force. parent is the member that n is the value of; names is true where n's members are named by the author.
func (l *loading) strays(n *yaml.Node, parent string, names bool) {
	for _, item := range items(n) {
		l.strays(item, "", false)
	}
	for key, value := range members(n) {
		switch {
		case names:
			l.strays(value, "", false)
		case parent == "components" && key.Value == "pathItems":
			// Those that are referred to have been read; another document may refer to the others.
		case startsLikeExtension(key.Value):
			if d, ok := extension.NotRead(key.Value, l.src.at(key)); ok && !l.decided[value] {
				l.rep.list = append(l.rep.list, d)
			}
		case !isData(key.Value) || parent == "responses": // `default` is a response there
			l.strays(value, key.Value, hasNames(parent, key.Value, value))
		}
	}
}

func startsLikeExtension(name string) bool {
	return len(name) > 1 && (name[0] == 'x' || name[0] == 'X') && (name[1] == '-' || name[1] == '_')
}

// hasNames reports whether a member's value is an object whose members have names of the author's.
func hasNames(parent, member string, value *yaml.Node) bool {
	if parent == "components" {
		return true
	}
	switch member {
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "headers", "encoding", "mapping",
		"links", "callbacks", "securityDefinitions", "scopes", "variables":
		return true
	case "parameters": // Swagger's shared ones; an operation's are a list
		return isMap(value)
	}
	return false
}
