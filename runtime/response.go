package runtime

import "net/http"

// Response is an answer that is complete before any of it is sent, so that it can be stored with the work it stands for.
type Response struct {
	Status int
	Header http.Header // may be nil
	Body   []byte      // may be nil
}
