package extension

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// checkStoredRequest looks at what a request in lease mode is stored with, to be read again without its client.
func (c *checker) checkStoredRequest() {
	if c.op.Policy.Mode != policy.LeaseMode {
		return
	}
	for i := range c.op.Shape.Parameters {
		p := &c.op.Shape.Parameters[i]
		if p.IsKey || !p.Required || !c.lost(p) {
			continue
		}
		c.reportAt(ruleParameterLost, p.Pos, "make it optional, or read it in the principal function, and leave it out of the document's parameters",
			"%s needs the %s parameter %s, with which no request is stored, so work that is left unfinished could never be read again", operationName(c.op), p.In, show(p.Name))
	}
	for _, credential := range c.op.Shape.Credentials {
		if credential.In == "query" {
			c.report(ruleCredentialStored, "mode", "take the credential in a header, or seal what is stored",
				"%s takes the credential %s in the query, and in lease mode a request is stored with its query until its work is finished", operationName(c.op), show(credential.Name))
		}
	}
}

// lost reports whether a parameter is a cookie, or a credential in a header. Authorization is none that a handler is given.
func (c *checker) lost(p *policy.Parameter) bool {
	if p.In != "header" {
		return p.In == "cookie"
	}
	if sameHeader(p.Name, "Authorization") {
		return false
	}
	return sameHeader(p.Name, "Cookie") || sameHeader(p.Name, "Proxy-Authorization") ||
		slices.ContainsFunc(c.op.Shape.Credentials, func(credential policy.Credential) bool {
			return credential.In == "header" && sameHeader(credential.Name, p.Name)
		})
}
