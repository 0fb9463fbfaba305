// Package clienttest helps tests, as its name says.
package clienttest

import "net/http"

// fine: a test wants to know the key.
func Request(url string) (*http.Request, error) {
	request, err := http.NewRequest(http.MethodPost, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Idempotency-Key", "key-of-the-test")
	return request, nil
}
