package drill

import (
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// What is missing is said by what the operation has: no body is asked for where none is sent, and ids come first where
// something is not found.
func TestUnaccepted(t *testing.T) {
	for _, c := range []struct {
		path   string
		body   string
		status int
		want   string
	}{
		{"/orders/{id}/cancel", "", 404, "its request is answered with 404: give an address whose ids exist with --path"},
		{"/orders/{id}/refunds", "{}", 404, "its request is answered with 404: give an address whose ids exist with --path, or a body that is accepted with --body"},
		{"/orders/{id}/refunds", "{}", 422, "its request is answered with 422: give a body that is accepted with --body, or an address whose ids exist with --path"},
		{"/orders", "{}", 422, "its request is answered with 422: give a body that is accepted with --body"},
		{"/orders", "{}", 404, "its request is answered with 404: give a body that is accepted with --body"},
		{"/run", "", 409, "its request is answered with 409: give another address with --path"},
		{"/orders/{id}/cancel", "", 401, "its request is answered with 401: give credentials with --header"},
		{"/orders", "{}", 202, "its request is answered with 202, which the policy does not keep"},
	} {
		op := &policydoc.PublishedOperation{Path: c.path}
		if got := unaccepted(op, []byte(c.body), c.status); got != c.want {
			t.Errorf("%s, %q, %d:\n got %s\nwant %s", c.path, c.body, c.status, got, c.want)
		}
	}
}
