package policy

import (
	"fmt"
	"strings"
)

// JSONPath is the query (RFC 9535) that selects the operation in the document, as the target of an Overlay action names
// it. Simple implementations understand it: members of OpenAPI's own follow a dot, names of the author's are in brackets.
func (op *Operation) JSONPath() string {
	pointer := op.Pointer
	if pointer == "" {
		pointer = op.ownPointer()
	}
	var path strings.Builder
	path.WriteByte('$')
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if fields[token] || methods[strings.ToUpper(token)] && token == strings.ToLower(token) {
			path.WriteString("." + token)
		} else {
			path.WriteString("[" + QuoteJSONPath(token) + "]")
		}
	}
	return path.String()
}

// ownPointer is where an operation stands that no reference leads to.
func (op *Operation) ownPointer() string {
	escape := strings.NewReplacer("~", "~0", "/", "~1").Replace
	pointer := "/paths/"
	if op.Webhook {
		pointer = "/webhooks/"
	}
	pointer += escape(op.Path) + "/"
	if methods[op.Method] {
		return pointer + strings.ToLower(op.Method)
	}
	return pointer + "additionalOperations/" + escape(op.Method)
}

// fields are the members of OpenAPI's own on the way to an operation, and methods those that a path item has a member for,
// in lower case (OpenAPI 3.2, sections 4.1, 4.7 and 4.9).
var (
	fields  = map[string]bool{"paths": true, "webhooks": true, "components": true, "pathItems": true, "additionalOperations": true}
	methods = map[string]bool{"GET": true, "PUT": true, "POST": true, "DELETE": true, "OPTIONS": true, "HEAD": true, "PATCH": true, "TRACE": true, "QUERY": true}
)

// QuoteJSONPath writes a name, or a text to compare with, in single quotes (RFC 9535, section 2.3.1.1).
func QuoteJSONPath(name string) string {
	var quoted strings.Builder
	quoted.WriteByte('\'')
	for _, r := range name {
		switch {
		case r == '\'' || r == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	quoted.WriteByte('\'')
	return quoted.String()
}
