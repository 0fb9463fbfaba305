// Package person has keys made of personal data.
package person

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/customer"
)

type user struct {
	ID    string
	Email string
	Phone string
}

// bug: the address is in the logs of every server that sees the key, and a second sign-up is taken for the first.
func register(email string) (*stripe.Customer, error) {
	params := &stripe.CustomerParams{Email: stripe.String(email)}
	params.SetIdempotencyKey("register-" + email) // want "email"
	return customer.New(params)
}

// bug: a member of a struct is the same data.
func call(request *http.Request, u *user) {
	request.Header.Set("Idempotency-Key", u.ID+":"+u.Phone) // want "Phone"
}

// bug: one address of a list.
func all(request func() *http.Request, emails []string) {
	for _, email := range emails {
		request().Header.Set("Idempotency-Key", email) // want "emails"
	}
}

// fine: the id says nothing of who it is.
func byID(request *http.Request, u *user) {
	request.Header.Set("Idempotency-Key", "welcome-"+u.ID)
}

// fine: a keyed hash can be told apart and not read.
func keyed(request *http.Request, secret []byte, u *user) {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(u.Email))
	request.Header.Set("Idempotency-Key", hex.EncodeToString(mac.Sum(nil)))
}

// fine: a plain hash can at least not be read at a glance.
func hashed(request *http.Request, email string) {
	sum := sha256.Sum256([]byte("register:" + email))
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:]))
}

// fine: neither can a name-based UUID.
func named(request *http.Request, email string) {
	request.Header.Set("Idempotency-Key", uuid.NewSHA1(uuid.NameSpaceURL, []byte("mailto:"+email)).String())
}

// fine: the address is in the body.
func inBody(email, key string) (*stripe.Customer, error) {
	params := &stripe.CustomerParams{Email: stripe.String(email)}
	params.SetIdempotencyKey(key)
	return customer.New(params)
}
