// Package mathrand has keys made by generators that are not for keys.
package mathrand

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

type payments interface {
	Pay(ctx context.Context, amount int64, idempotencyKey string) error
}

// bug: six digits are drawn twice within a thousand payments or so.
func digits(ctx context.Context, p payments) error {
	return p.Pay(ctx, 1, fmt.Sprintf("%06d", rand.Intn(1000000))) // want "math/rand"
}

// bug: version 2 is no better at it.
func version2(request *http.Request) {
	request.Header.Set("Idempotency-Key", strconv.FormatUint(randv2.Uint64(), 16)) // want "math/rand"
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func randomText(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = letters[rand.Intn(len(letters))]
	}
	return string(text)
}

// bug: a helper draws letters.
func helper(request *http.Request) {
	request.Header.Set("Idempotency-Key", randomText(12)) // want "math/rand"
}

// bug: a generator of one's own that starts with the time.
func seeded(request *http.Request) {
	generator := rand.New(rand.NewSource(time.Now().UnixNano()))
	request.Header.Set("Idempotency-Key", strconv.Itoa(generator.Int())) // want "math/rand"
}

// bug: bytes of it.
func filled(request *http.Request) {
	buffer := make([]byte, 8)
	rand.Read(buffer) // want "math/rand"
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", buffer))
}

// fine: drawn by the operating system.
func drawn(request *http.Request) error {
	number, err := crand.Int(crand.Reader, new(big.Int).Lsh(big.NewInt(1), 128))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", number.String())
	return nil
}

// fine: letters drawn by the operating system.
func text(request *http.Request) { request.Header.Set("Idempotency-Key", crand.Text()) }

// fine: the wait is drawn, the key is not.
func jittered(request *http.Request, key string) {
	time.Sleep(time.Duration(rand.Int63n(1000)) * time.Millisecond)
	request.Header.Set("Idempotency-Key", key)
}

// fine: the time and a random part together: not good, and not wrong enough to shout.
func together(request *http.Request) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%d-%d", time.Now().UnixNano(), rand.Int63()))
}

// fine: the order's id tells the keys apart.
func besideOrder(request *http.Request, order string) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", order, rand.Int63()))
}

// fine: a nonce is to differ, not to be kept.
func nonce(request *http.Request) {
	request.Header.Set("X-Nonce", strconv.Itoa(rand.Int()))
}
