// Package house sends what a helper in another package mints.
package house

import (
	"net/http"

	"example.com/idemvet/weakkey/house/ids"
)

type request struct {
	IdempotencyKey string
	Amount         int64
}

func post(r *http.Request, key string) { r.Header.Set("Idempotency-Key", key) }

// bug: the helper gives the time.
func stamped(r *http.Request) {
	post(r, ids.Stamp()) // want "made of the time"
}

// bug: the helper's helper does.
func prefixed(r *http.Request) {
	post(r, ids.Of("pay")) // want "made of the time"
}

// bug: the helper draws from a generator that is not for keys.
func short() request {
	return request{IdempotencyKey: ids.Short(), Amount: 1} // want "math/rand"
}

// fine: the helper gives a random key.
func long(r *http.Request) { post(r, ids.Long()) }

// fine: the caller gives it.
func given(r *http.Request, key string) request {
	post(r, key)
	return request{IdempotencyKey: key}
}

// fine: the helper in the other package gives the day.
func daily(r *http.Request, account string) { post(r, account+"-"+ids.Day()) }
