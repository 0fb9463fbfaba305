package drill

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// unaccepted says what is missing where the first answer, to a request with body, has a status by which nothing can be
// judged.
func unaccepted(op *policydoc.PublishedOperation, body []byte, status int) string {
	answered := fmt.Sprintf("its request is answered with %d", status)
	ids := strings.Contains(op.Path, "{")
	const address, accepted = "an address whose ids exist with --path", "a body that is accepted with --body"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return answered + ": give credentials with --header"
	case status/100 == 2:
		return answered + ", which the policy does not keep"
	case ids && len(body) == 0:
		return answered + ": give " + address
	case ids && status == http.StatusNotFound:
		return answered + ": give " + address + ", or " + accepted
	case ids:
		return answered + ": give " + accepted + ", or " + address
	case len(body) > 0:
		return answered + ": give " + accepted
	default:
		return answered + ": give another address with --path"
	}
}
