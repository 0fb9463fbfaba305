package drill

import (
	"bytes"
	"net"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// deafToSmallLetters is a server's listener behind which no header is called idempotency-key, as in a server that looks
// headers up by their letters. Go's own server gives every name its usual capitals, so it is done before it reads.
type deafToSmallLetters struct{ net.Listener }

func (l deafToSmallLetters) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return deafConn{conn}, err
}

type deafConn struct{ net.Conn }

func (c deafConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	copy(p[:n], bytes.ReplaceAll(p[:n], []byte("\nidempotency-key:"), []byte("\nx-unknown-name1:")))
	return n, err
}

// The name of a header may be written in any letters.
func TestRun_P3_KeyInSmallLetters(t *testing.T) {
	for _, optional := range []bool{false, true} {
		b, op := newBank(""), operation("createPayment", "/payments")
		b.optional, op.Policy.Key.Required = optional, !optional
		plan := planFor(t, b, op)
		server := httptest.NewUnstartedServer(b)
		server.Listener = deafToSmallLetters{server.Listener}
		server.Start()
		t.Cleanup(server.Close)
		plan.BaseURL = server.URL
		if broken := brokenPromises(run(t, plan)); !slices.Equal(broken, []string{policydoc.PromiseKeyPlace}) {
			t.Errorf("a key that is optional: %v; broken: %v", optional, broken)
		}
	}
}
