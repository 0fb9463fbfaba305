package sdktest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
)

// network is a client's way to a service. It sees each attempt, and can lose what comes back.
type network struct {
	// key finds the idempotency key of a request.
	key func(r *http.Request, body []byte) string
	// lose has the answer to an attempt, counted from 1, lost after the service has given it.
	lose func(attempt int) bool

	mu       sync.Mutex
	keys     []string
	bodies   []string
	statuses []int
}

var errLost = errors.New("connection reset by peer")

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	n.mu.Lock()
	n.keys = append(n.keys, n.key(r, body))
	n.bodies = append(n.bodies, string(body))
	attempt := len(n.keys)
	n.mu.Unlock()
	answer, err := http.DefaultTransport.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.statuses = append(n.statuses, answer.StatusCode)
	n.mu.Unlock()
	if n.lose != nil && n.lose(attempt) {
		_ = answer.Body.Close()
		return nil, errLost
	}
	return answer, nil
}

// wantOneKey checks that there were so many attempts, with one key and one body.
func (n *network) wantOneKey(t *testing.T, attempts int) string {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.keys) != attempts {
		t.Fatalf("%d attempts (%v), want %d", len(n.keys), n.statuses, attempts)
	}
	for i := range n.keys {
		if n.keys[i] == "" || n.keys[i] != n.keys[0] || n.bodies[i] != n.bodies[0] {
			t.Errorf("attempt %d has key %q and body %s; the first %q and %s", i+1, n.keys[i], n.bodies[i], n.keys[0], n.bodies[0])
		}
	}
	return n.keys[0]
}
