package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
)

// strays reports x-idempotency where nothing reads it, and what is spelt nearly like it: a policy that its author believes
// to be in force.
func (l *loading) strays(root *yaml.Node) {
	eachMember(root, func(_, key, value *yaml.Node) bool {
		switch key.Value {
		case "paths", "responses": // whose members have names of the author's, or are extensions
			for inner, value := range members(value) {
				l.stray(inner, value)
			}
		case "pathItems":
			return false // those that are referred to have been read; another document may refer to the others
		}
		l.stray(key, value)
		return true
	})
}

func (l *loading) stray(key, value *yaml.Node) {
	if l.decided[value] || len(key.Value) < len("x-") || !strings.Contains("xX", key.Value[:1]) || !strings.Contains("-_", key.Value[1:2]) {
		return
	}
	if d, ok := extension.NotRead(key.Value, l.src.at(key)); ok {
		l.rep.list = append(l.rep.list, d)
	}
}
