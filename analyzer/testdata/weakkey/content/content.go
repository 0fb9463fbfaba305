// Package content has keys that are a hash of what is sent.
package content

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
)

type purchase struct {
	Customer string
	Amount   int64
	Currency string
}

type payment struct {
	OrderID  string
	Amount   int64
	Currency string
}

// bug: a second coffee at the same price is the first one again.
func ofPurchase(request *http.Request, p purchase) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:])) // want "hash of"
	return nil
}

// bug: the same with what it is made of.
func ofParts(request *http.Request, customerID string, amount int64, currency string) {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s|%d|%s", customerID, amount, currency)))
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:])) // want "hash of"
}

// fine: the order is paid once.
func ofPayment(request *http.Request, p payment) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:]))
	return nil
}

// fine: so is the invoice.
func ofInvoice(request *http.Request, invoice string, amount int64) {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s|%d", invoice, amount)))
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:]))
}

// fine: what the bytes are is not in view.
func ofBytes(request *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	request.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:]))
}
