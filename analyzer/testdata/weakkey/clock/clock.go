// Package clock has keys made of the time.
package clock

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/paymentintent"
)

type order struct {
	ID        string
	CreatedAt time.Time
}

// bug: two payments in the same instant have one key.
func nanoseconds(request *http.Request) {
	request.Header.Set("Idempotency-Key", strconv.FormatInt(time.Now().UnixNano(), 10)) // want "made of the time"
}

// bug: a second is long.
func seconds(amount int64) (*stripe.PaymentIntent, error) {
	params := &stripe.PaymentIntentParams{Amount: stripe.Int64(amount)}
	params.SetIdempotencyKey(fmt.Sprintf("pay-%d", time.Now().Unix())) // want "made of the time"
	return paymentintent.New(params)
}

// bug: a format makes a text of it, and nothing else.
func formatted(request *http.Request) {
	now := time.Now().UTC() // want "made of the time"
	request.Header.Set("X-Idempotency-Key", "key_"+now.Format("20060102150405"))
}

// bug: a hash of the time is the time.
func hashed(request *http.Request) {
	key := uuid.NewSHA1(uuid.NameSpaceOID, []byte(time.Now().String())).String() // want "made of the time"
	request.Header.Set("Idempotency-Key", key)
}

// bug: the time beside the order's id makes each call another operation.
func besideOrder(request *http.Request, o *order) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", o.ID, time.Now().UnixMilli())) // want "time is part"
}

// bug: the key is made when there is none, of the time.
func fallback(request *http.Request, key string) {
	if key == "" {
		key = fmt.Sprint(time.Now().UnixNano()) // want "made of the time"
	}
	request.Header.Set("Idempotency-Key", key)
}

// fine: one report a day is what is meant.
func daily(request *http.Request, account string) {
	request.Header.Set("Idempotency-Key", "report-"+account+"-"+time.Now().Format("2006-01-02"))
}

// fine: so is one an hour.
func hourly(request *http.Request, account string) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("report-%s-%d", account, time.Now().Truncate(time.Hour).Unix()))
}

// fine: the same by division.
func hourlyByDivision(request *http.Request, account string) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("report-%s-%d", account, time.Now().Unix()/3600))
}

// fine: a random part tells two keys apart.
func withRandom(request *http.Request) error {
	part := make([]byte, 16)
	if _, err := rand.Read(part); err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%d-%s", time.Now().UnixNano(), hex.EncodeToString(part)))
	return nil
}

// fine: when the order was made does not change.
func createdAt(request *http.Request, o *order) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", o.ID, o.CreatedAt.UnixNano()))
}

// fine: the time goes into another header.
func sentAt(request *http.Request, o *order) {
	request.Header.Set("X-Sent-At", time.Now().Format(time.RFC3339Nano))
	request.Header.Set("X-Request-Id", strconv.FormatInt(time.Now().UnixNano(), 36))
	request.Header.Set("Idempotency-Key", o.ID)
}

// fine: version 7 has the time in front and enough random bits behind.
func ordered(request *http.Request) {
	request.Header.Set("Idempotency-Key", uuid.Must(uuid.NewV7()).String())
}

// fine: version 1 is time and node, and no two are the same.
func versionOne(request *http.Request) {
	request.Header.Set("Idempotency-Key", uuid.Must(uuid.NewUUID()).String())
}

type watch interface{ Now() time.Time }

type service struct{ clock watch }

// bug: a clock that can be set in tests is a clock.
func (s *service) pay(request *http.Request) {
	request.Header.Set("Idempotency-Key", strconv.FormatInt(s.clock.Now().UnixMilli(), 10)) // want "made of the time"
}

// bug: a format that is not in view may be as fine as it likes.
func inLayout(request *http.Request, layout string) {
	request.Header.Set("Idempotency-Key", time.Now().Format(layout)) // want "made of the time"
}

// bug: the minute in the middle does not make the second at the end coarser.
func inPieces(request *http.Request) {
	now := time.Now() // want "made of the time"
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s/%d", now.Format("15:04"), now.UnixNano()))
}

// fine: five minutes are a window in which a second click is the first one.
func window(account string) *stripe.CheckoutSessionParams {
	params := &stripe.CheckoutSessionParams{}
	params.SetIdempotencyKey(fmt.Sprintf("checkout:%s:%d", account, time.Now().Unix()/300))
	return params
}

type paymentCreate struct{ key string }

func (c *paymentCreate) SetIdempotencyKey(key string) *paymentCreate {
	c.key = key
	return c
}

// fine: a builder of rows stores a value, and sends no key.
func store(c *paymentCreate) *paymentCreate {
	return c.SetIdempotencyKey(strconv.FormatInt(time.Now().UnixNano(), 10))
}

func today() string { return time.Now().UTC().Format("2006-01-02") }

// fine: a helper gives the day, and the day is meant.
func dailyByHelper(request *http.Request, account string) {
	request.Header.Set("Idempotency-Key", "report-"+account+"-"+today())
}
