package runtime

import "net/http"

// Response is an answer that is complete before any of it is sent, so that it can be stored with the work it stands for.
// The runtime goes on using its Header and its Body after the handler has returned it, for other requests too: nothing in
// them may be changed or used again, by a pool of buffers for example.
type Response struct {
	Status int
	Header http.Header // may be nil
	Body   []byte      // may be nil
}
