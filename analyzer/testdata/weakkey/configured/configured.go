// Package configured has a header and a mint of the house, of which the settings tell.
package configured

import (
	"net/http"
	"strconv"
	"time"
)

// stamp adds what a machine of its own drew to the time, out of view here.
func stamp() string { return strconv.FormatInt(time.Now().UnixNano(), 10) }

// bug: the header of the house holds a key.
func once(request *http.Request) {
	request.Header.Set("X-Once", strconv.FormatInt(time.Now().UnixNano(), 10)) // want "made of the time"
}

// fine: the settings vouch for the mint.
func stamped(request *http.Request) {
	request.Header.Set("X-Once", stamp())
}

// bug: a key's usual name is known beside that of the house.
func usual(request *http.Request) {
	request.Header.Set("Idempotency-Key", time.Now().String()) // want "made of the time"
}
