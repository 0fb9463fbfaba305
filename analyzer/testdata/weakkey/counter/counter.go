// Package counter has keys made of numbers that go up.
package counter

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
)

type payments interface {
	Pay(ctx context.Context, amount int64, idempotencyKey string) error
}

var sequence atomic.Int64

// bug: after a restart the numbers start again.
func fromAtomic(request *http.Request) {
	request.Header.Set("Idempotency-Key", strconv.FormatInt(sequence.Add(1), 10)) // want "made of a counter"
}

var calls uint64

// bug: the same with the function.
func fromAtomicFunc(ctx context.Context, p payments) error {
	key := fmt.Sprintf("req-%06d", atomic.AddUint64(&calls, 1)) // want "made of a counter"
	return p.Pay(ctx, 1, key)
}

var plain int

// bug: a package's variable that goes up by one.
func fromGlobal(request *http.Request) {
	plain++
	request.Header.Set("Idempotency-Key", "payment-"+strconv.Itoa(plain)) // want "made of a counter"
}

type client struct {
	mu   sync.Mutex
	next int64
	runs string
}

// bug: a member that goes up, behind a lock.
func (c *client) pay(request *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%d", c.next)) // want "made of a counter"
}

// bug: the second list's first payment has the key of the first list's.
func payAll(ctx context.Context, p payments, amounts []int64) error {
	for i, amount := range amounts {
		if err := p.Pay(ctx, amount, strconv.Itoa(i)); err != nil { // want "made of a counter"
			return err
		}
	}
	return nil
}

// fine: the number of the item beside the batch's id.
func payBatch(ctx context.Context, p payments, batch string, amounts []int64) error {
	for i, amount := range amounts {
		if err := p.Pay(ctx, amount, batch+"-"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// fine: the run's id is random, and the numbers tell its calls apart.
func (c *client) payInRun(request *http.Request) {
	c.next++
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", c.runs, c.next))
}

var run = uuid.NewString()

// fine: the same with an id of the process.
func inProcess(request *http.Request) {
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", run, sequence.Add(1)))
}

// fine: a number that the database gave.
func fromRow(request *http.Request, payment int64) {
	request.Header.Set("Idempotency-Key", "payment-"+strconv.FormatInt(payment, 10))
}

type row struct{ Number int64 }

// fine: a member that nothing counts up.
func fromField(request *http.Request, r *row) {
	request.Header.Set("Idempotency-Key", strconv.FormatInt(r.Number, 10))
}

// fine: the counter is a measure, and the key is something else.
func counted(request *http.Request, key string) {
	sequence.Add(1)
	plain++
	request.Header.Set("X-Calls", strconv.Itoa(plain))
	request.Header.Set("Idempotency-Key", key)
}
