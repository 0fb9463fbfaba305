package runtime

import "net/http"

// StoredRequest is a request as a record in progress keeps it, for whoever has to look at one. It holds what a client sent.
type StoredRequest struct {
	Method, Host string
	// Target is the path and the query, as sent.
	Target string
	// Header has the headers that are kept. There are no credentials among them.
	Header         http.Header
	Body           []byte
	Principal, Key string
}

// ReadStoredRequest reads [Intent].Request. It fails for one that is sealed: see [SealedBy].
func ReadStoredRequest(stored []byte) (StoredRequest, error) {
	e, err := decodeEnvelope(stored)
	if err != nil {
		return StoredRequest{}, err
	}
	r := StoredRequest{Method: e.method, Host: e.host, Target: e.path, Header: e.header, Body: e.body, Principal: e.principal, Key: e.key}
	if e.query != "" {
		r.Target += "?" + e.query
	}
	return r, nil
}

// SealedBy is the id of the key that something stored was sealed with, by a store that [Sealed] made. It needs the
// beginning only; ok is false for what is not sealed.
func SealedBy(stored []byte) (keyID string, ok bool) {
	if len(stored) <= len(sealedMark) || string(stored[:len(sealedMark)]) != string(sealedMark) {
		return "", false
	}
	rest := stored[len(sealedMark):]
	if len(rest) < 1+int(rest[0]) {
		return "", false
	}
	return string(rest[1 : 1+int(rest[0])]), true
}
