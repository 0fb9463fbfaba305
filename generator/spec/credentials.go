package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// credentials is what the first of an operation's security requirements asks for. A scheme that cannot be told, or that
// puts nothing into the request, is left out: this is for readers, and who asks is the runtime's own question.
func (l *loading) credentials(op *operation) []policy.Credential {
	requirements := get(l.asWritten(op), "security")
	if requirements == nil {
		requirements = get(l.written, "security")
	}
	if len(items(requirements)) == 0 {
		return nil
	}
	var found []policy.Credential
	for name := range members(items(requirements)[0]) {
		scheme := walk(l.written, "components", "securitySchemes", name.Value)
		if scheme == nil {
			scheme = walk(l.written, "securityDefinitions", name.Value)
		}
		scheme, _ = l.refs.deref(scheme, looking)
		if c, ok := credential(scheme); ok {
			found = append(found, c)
		}
	}
	return found
}

// asWritten is the operation before a Swagger document was rewritten.
func (l *loading) asWritten(op *operation) *yaml.Node {
	n := l.written
	for _, token := range pointerTokens(op.out.Pointer) {
		n = child(n, token)
	}
	if n == nil || op.out.Pointer == "" {
		return op.node
	}
	return n
}

func credential(scheme *yaml.Node) (c policy.Credential, ok bool) {
	switch text(get(scheme, "type")) {
	case "apiKey":
		c = policy.Credential{In: text(get(scheme, "in")), Name: text(get(scheme, "name"))}
		return c, c.In != "" && c.Name != ""
	case "basic": // Swagger 2.0
		return policy.Credential{In: "header", Name: "Authorization", Scheme: "Basic"}, true
	case "http":
		name := text(get(scheme, "scheme"))
		switch strings.ToLower(name) {
		case "basic":
			name = "Basic"
		case "bearer", "":
			name = "Bearer"
		}
		return policy.Credential{In: "header", Name: "Authorization", Scheme: name}, true
	case "oauth2", "openIdConnect":
		return policy.Credential{In: "header", Name: "Authorization", Scheme: "Bearer"}, true
	}
	return c, false
}
