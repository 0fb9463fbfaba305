// Package loops has retry loops of all shapes, with keys that are minted in them and keys that are not.
package loops

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	mathrand "math/rand"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
)

type client struct {
	http        *http.Client
	url         string
	maxAttempts int
}

func (c *client) request(body []byte) *http.Request {
	request, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		log.Print(err)
	}
	return request
}

func (c *client) pay(ctx context.Context, amount int, idempotencyKey string) error {
	request := c.request([]byte(strconv.Itoa(amount)))
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := c.http.Do(request.WithContext(ctx))
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// bug: a counted loop that leaves on success and goes on after an error.
func countedLoop(c *client) error {
	var err error
	for i := 0; i < 3; i++ {
		request := c.request(nil)
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want `the idempotency key \(header "Idempotency-Key"\) is minted anew in every turn of the retry loop at line 49, so a retry after a lost answer is a second operation\. Mint the key before the loop\.`
		if _, err = c.http.Do(request); err == nil {
			return nil
		}
	}
	return err
}

// bug: an integer to range over counts tries as well.
func rangeOverInt(ctx context.Context, c *client) error {
	for attempt := range 5 {
		key := uuid.New() // want "minted"
		if err := c.pay(ctx, 100, key.String()); err != nil {
			time.Sleep(time.Duration(attempt) * time.Second)
			continue
		}
		return nil
	}
	return errors.New("gave up")
}

// bug: pauses to range over are tries.
func rangeOverPauses(ctx context.Context, c *client) (err error) {
	for _, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if err = c.pay(ctx, 100, ulid.Make().String()); err == nil { // want "minted"
			return nil
		}
		time.Sleep(pause)
	}
	return err
}

// bug: for ever, with a pause.
func forEver(ctx context.Context, c *client) error {
	for {
		err := c.pay(ctx, 100, xid.New().String()) // want "minted"
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// bug: the loop's condition is the error.
func whileError(ctx context.Context, c *client) error {
	err := errors.New("not tried yet")
	for tries := 0; err != nil && tries < 4; tries++ {
		err = c.pay(ctx, 100, uuid.NewString()) // want "minted"
	}
	return err
}

// bug: a predicate decides whether it goes on.
func predicate(c *client) (*http.Response, error) {
	for retries := 0; ; retries++ {
		request := c.request(nil)
		request.Header.Set("X-Idempotency-Key", "pay_"+uuid.NewString()) // want "minted"
		response, err := c.http.Do(request)
		if !shouldRetry(response, err) || retries >= c.maxAttempts {
			return response, err
		}
		time.Sleep(time.Second << retries)
	}
}

func shouldRetry(response *http.Response, err error) bool {
	return err != nil || response.StatusCode >= 500
}

// bug: the number of the attempt is in the key.
func attemptInKey(ctx context.Context, c *client, order string) error {
	var err error
	for attempt := 1; attempt <= c.maxAttempts; attempt++ {
		err = c.pay(ctx, 100, fmt.Sprintf("%s-%d", order, attempt)) // want `the key of client.pay has the number of the attempt in it`
		if err == nil {
			return nil
		}
	}
	return err
}

// bug: the time is another one in each turn.
func timeInKey(ctx context.Context, c *client, order string) error {
	var err error
	for attempt := 1; attempt <= c.maxAttempts; attempt++ {
		key := order + strconv.FormatInt(time.Now().UnixNano(), 10) // want "minted"
		if err = c.pay(ctx, 100, key); err == nil {
			return nil
		}
	}
	return err
}

// bug: the counter is counted up in the body.
func countedInBody(ctx context.Context, c *client) error {
	attempts := 0
	for {
		err := c.pay(ctx, 100, uuid.NewString()) // want "minted"
		if err == nil {
			return nil
		}
		attempts++
		if attempts >= 3 {
			return err
		}
	}
}

// bug: random bytes are filled in anew.
func randomBytes(ctx context.Context, c *client) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		buffer := make([]byte, 16)
		if _, err := rand.Read(buffer); err != nil { // want "minted"
			return err
		}
		if err = c.pay(ctx, 100, hex.EncodeToString(buffer)); err == nil {
			return nil
		}
	}
	return err
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func randomText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[mathrand.Intn(len(letters))]
	}
	return string(b)
}

// bug: a home-made mint has a loop of its own, and is called in the retry.
func homeMade(ctx context.Context, c *client) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		if err = c.pay(ctx, 100, randomText(20)); err == nil { // want `minted \(loops.randomText \(loops.go:\d+\)\) anew`
			return nil
		}
	}
	return err
}

// bug: the key is minted anew for what comes after the first try.
func mintedForNextTurn(ctx context.Context, c *client) error {
	key := uuid.NewString()
	for attempt := 0; attempt < 3; attempt++ {
		if err := c.pay(ctx, 100, key); err == nil {
			return nil
		}
		key = uuid.NewString() // want "minted"
	}
	return errors.New("gave up")
}

// bug: what is looked at is declared in the turn, so it is always empty.
func emptyEachTurn(ctx context.Context, c *client) error {
	for attempt := 0; attempt < 3; attempt++ {
		var key string
		if key == "" {
			key = uuid.NewString() // want "minted"
		}
		if err := c.pay(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: a batch that is tried again as a whole sends all of its items again.
func batchInRetry(ctx context.Context, c *client, amounts []int) error {
	for attempt := 0; attempt < 3; attempt++ {
		var failed error
		for _, amount := range amounts {
			failed = errors.Join(failed, c.pay(ctx, amount, uuid.NewString())) // want "minted"
		}
		if failed == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// bug: goto makes loops too.
func withGoto(ctx context.Context, c *client) error {
	tries := 0
again:
	err := c.pay(ctx, 100, uuid.NewString()) // want "minted"
	if err != nil && tries < 3 {
		tries++
		time.Sleep(time.Second)
		goto again
	}
	return err
}

type order struct {
	ID     string
	Amount int
	ref    string
}

// bug: through a field of a struct that is made in the turn.
func throughStruct(ctx context.Context, c *client) error {
	for attempt := 0; attempt < 3; attempt++ {
		o := order{ID: "o-1", Amount: 100, ref: uuid.NewString()} // want "minted"
		if err := c.pay(ctx, o.Amount, o.ref); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: through a map of headers.
func throughMap(c *client) error {
	for attempt := 0; attempt < 3; attempt++ {
		headers := map[string]string{
			"Content-Type":    "application/json",
			"Idempotency-Key": uuid.NewString(), // want "minted"
		}
		request := c.request(nil)
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		if _, err := c.http.Do(request); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: the status of the answer decides whether it goes on.
func untilStatus(c *client) (*http.Response, error) {
	for {
		request := c.request(nil)
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		response, err := c.http.Do(request)
		if err == nil && response.StatusCode < 500 {
			return response, nil
		}
		time.Sleep(time.Second)
	}
}

// bug: without a pause, a counter or a name.
func bare(ctx context.Context, c *client) {
	for {
		if err := c.pay(ctx, 1, uuid.NewString()); err == nil { // want `minted.*\(retrykey: error, medium confidence\)`
			return
		}
	}
}

type gateway interface {
	Charge(ctx context.Context, amount int, idempotencyKey string) error
}

// bug: an interface says by a parameter's name what becomes of it.
func throughInterface(ctx context.Context, g gateway) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := g.Charge(ctx, 1, uuid.NewString()); err == nil { // want `parameter idempotencyKey of gateway.Charge.*medium confidence`
			return nil
		}
	}
	return errors.New("gave up")
}

func transient(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// bug: it goes on as long as the error is one that passes.
func whileTransient(ctx context.Context, c *client) error {
	for {
		err := c.pay(ctx, 100, uuid.NewString()) // want "minted.*high confidence"
		if transient(err) {
			time.Sleep(time.Second)
			continue
		}
		return err
	}
}

// bug: with a pause and an end, no name is needed to be sure.
func plainPause(ctx context.Context, c *client) error {
	for {
		if err := c.pay(ctx, 100, uuid.NewString()); err == nil { // want "minted.*high confidence"
			return nil
		}
		time.Sleep(time.Second)
	}
}

// bug: so it is with a bound.
func plainBound(ctx context.Context, c *client) (err error) {
	for i := 0; i < 3; i++ {
		if err = c.pay(ctx, 100, uuid.NewString()); err == nil { // want "minted.*high confidence"
			return nil
		}
	}
	return err
}

// bug: so it is with a question whether to go on.
func plainPredicate(ctx context.Context, c *client) error {
	for {
		err := c.pay(ctx, 100, uuid.NewString()) // want "minted.*high confidence"
		if err == nil {
			return nil
		}
		if !transient(err) {
			return err
		}
	}
}

// bug: pauses that are picked by index are tries.
func pausesByIndex(ctx context.Context, c *client, pauses []time.Duration) (err error) {
	for i := 0; i < len(pauses); i++ {
		if err = c.pay(ctx, 100, uuid.NewString()); err == nil { // want "minted"
			return nil
		}
		time.Sleep(pauses[i])
	}
	return err
}

// bug: counted inside of the loop.
func countedInside(ctx context.Context, c *client) error {
	failures, attempts := 0, 0
	for failures < 10 {
		attempts++
		if err := c.pay(ctx, 100, uuid.NewString()); err != nil { // want "minted.*high confidence"
			if attempts > 3 {
				return err
			}
			failures++
			continue
		}
		break
	}
	return nil
}

// bug: the time at which it woke up is no item.
func wokenAt(ctx context.Context, c *client) error {
	for {
		err := c.pay(ctx, 100, uuid.NewString()) // want "minted"
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-time.After(time.Second):
			println(now.String())
		}
	}
}

func orNew(key string) string {
	if key == "" {
		return uuid.NewString()
	}
	return key
}

// bug: there is never a key, so one is made each time.
func neverGiven(ctx context.Context, c *client) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = c.pay(ctx, 100, orNew("")); err == nil { // want "minted"
			return nil
		}
	}
	return err
}
