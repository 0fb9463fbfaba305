// Package looks has code that looks like a key minted for each try, and is right.
package looks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
)

type client struct {
	http    *http.Client
	key     string
	attempt int
}

func (c *client) pay(ctx context.Context, amount int, idempotencyKey string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// fine: the key is minted before the loop.
func before(ctx context.Context, c *client) error {
	key := uuid.NewString()
	for attempt := 0; attempt < 3; attempt++ {
		if err := c.pay(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: set once on the request, and the loop sends clones of it.
func clones(c *client, request *http.Request) (response *http.Response, err error) {
	request.Header.Set("Idempotency-Key", uuid.NewString())
	for attempt := 0; attempt < 3; attempt++ {
		response, err = c.http.Do(request.Clone(request.Context()))
		if err == nil {
			return response, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// fine: set only if absent, in a request that outlives the turn.
func setIfAbsent(c *client, request *http.Request) (response *http.Response, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", uuid.NewString())
		}
		if response, err = c.http.Do(request); err == nil {
			return response, nil
		}
	}
	return nil, err
}

// fine: set only in the first turn.
func firstTurn(ctx context.Context, c *client) error {
	var key string
	for attempt := 0; attempt < 3; attempt++ {
		if attempt == 0 {
			key = uuid.NewString()
		}
		if err := c.pay(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: minted when there is none yet, in a variable around the loop.
func emptyBefore(ctx context.Context, c *client, key string) error {
	for attempt := 0; attempt < 3; attempt++ {
		if key == "" {
			key = uuid.NewString()
		}
		if err := c.pay(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: kept in a field that lives as long as the client.
func keptInField(ctx context.Context, c *client) error {
	for attempt := 0; attempt < 3; attempt++ {
		if len(c.key) == 0 {
			c.key = uuid.NewString()
		}
		if err := c.pay(ctx, 100, c.key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: one key for each item of a range.
func perItem(ctx context.Context, c *client, amounts []int) error {
	for _, amount := range amounts {
		if err := c.pay(ctx, amount, uuid.NewString()); err != nil {
			return err
		}
	}
	return nil
}

// fine: each item has a key, and each item is retried with it.
func perItemWithRetry(ctx context.Context, c *client, amounts []int) error {
	for _, amount := range amounts {
		key := uuid.NewString()
		for attempt := 0; attempt < 3; attempt++ {
			if err := c.pay(ctx, amount, key); err == nil {
				break
			}
			time.Sleep(time.Second)
		}
	}
	return nil
}

// fine: items that are walked by index.
func byIndex(ctx context.Context, c *client, amounts []int) (failed []error) {
	for i := 0; i < len(amounts); i++ {
		if err := c.pay(ctx, amounts[i], uuid.NewString()); err != nil {
			failed = append(failed, err)
			continue
		}
	}
	return failed
}

// fine: the number of the item is in the key, inside of a retry of the batch.
func numberedItems(ctx context.Context, c *client, batch string, amounts []int) error {
	for attempt := 0; attempt < 3; attempt++ {
		var failed error
		for i := 0; i < len(amounts); i++ {
			failed = errors.Join(failed, c.pay(ctx, amounts[i], batch+"-"+strconv.Itoa(i)))
		}
		if failed == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// fine: a worker has a key for each job, and waits after a failure.
func worker(ctx context.Context, c *client, jobs <-chan int) error {
	for {
		amount, more := <-jobs
		if !more {
			return nil
		}
		if err := c.pay(ctx, amount, uuid.NewString()); err != nil {
			time.Sleep(time.Second)
			continue
		}
	}
}

// fine: a worker that selects among jobs and the end.
func selectingWorker(ctx context.Context, c *client, jobs <-chan int) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case amount := <-jobs:
			if err := c.pay(ctx, amount, uuid.NewString()); err != nil {
				time.Sleep(time.Second)
			}
		}
	}
}

// fine: the supervisor starts the worker again, whose items have keys of their own.
func supervisor(ctx context.Context, c *client, jobs <-chan int) error {
	for attempt := 0; attempt < 10; attempt++ {
		if err := worker(ctx, c, jobs); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// fine: each tick is a payment of its own.
func ticks(ctx context.Context, c *client) {
	ticker := time.NewTicker(time.Hour)
	for range ticker.C {
		if err := c.pay(ctx, 1, uuid.NewString()); err != nil {
			continue
		}
	}
}

// fine: a subscription is paid once a day; success goes on as well.
func daily(ctx context.Context, c *client) error {
	for {
		if err := c.pay(ctx, 1, uuid.NewString()); err != nil {
			return err
		}
		time.Sleep(24 * time.Hour)
	}
}

// fine: each connection is a request of its own.
func accept(ctx context.Context, c *client, listener net.Listener) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		if err := c.pay(ctx, 1, uuid.NewString()); err == nil {
			return connection.Close()
		}
	}
}

type page struct{ next string }

func (c *client) list(ctx context.Context, cursor, idempotencyKey string) (*page, error) {
	return &page{}, c.pay(ctx, 0, idempotencyKey)
}

// fine: a page is a request of its own.
func pages(ctx context.Context, c *client) error {
	cursor := ""
	for {
		p, err := c.list(ctx, cursor, uuid.NewString())
		if err != nil {
			return err
		}
		if p.next == "" {
			return nil
		}
		cursor = p.next
	}
}

func isDuplicate(err error) bool { return err != nil && err.Error() == "duplicate" }

// fine: draws a key until one is free.
func untilFree(ctx context.Context, c *client) (string, error) {
	for attempt := 0; attempt < 5; attempt++ {
		key := uuid.NewString()
		err := c.pay(ctx, 1, key)
		if err == nil {
			return key, nil
		}
		if !isDuplicate(err) {
			return "", err
		}
	}
	return "", errors.New("no key is free")
}

var errKeyTaken = errors.New("key is taken")

// fine: draws another key when the error says that it is taken.
func untilNotTaken(ctx context.Context, c *client) error {
	for attempt := 0; ; attempt++ {
		if err := c.pay(ctx, 1, uuid.NewString()); !errors.Is(err, errKeyTaken) || attempt > 3 {
			return err
		}
	}
}

var errExpired = errors.New("the key has expired")

// fine: only a particular answer asks for another key.
func renewed(ctx context.Context, c *client) error {
	key := uuid.NewString()
	for attempt := 0; attempt < 5; attempt++ {
		err := c.pay(ctx, 1, key)
		if err == nil {
			return nil
		}
		if errors.Is(err, errExpired) {
			key = uuid.NewString()
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// fine: request ids and trace ids must differ from try to try.
func requestIDs(c *client, key string) error {
	for attempt := 0; attempt < 3; attempt++ {
		request, err := http.NewRequest(http.MethodPost, "https://pay.example/", nil)
		if err != nil {
			return err
		}
		request.Header.Set("X-Request-Id", uuid.NewString())
		request.Header.Set("X-Trace-Id", uuid.NewString())
		request.Header.Set("Idempotency-Key", key)
		if _, err := c.http.Do(request); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: a UUID of version 5 is the same for the same order.
func derived(ctx context.Context, c *client, order string) error {
	for attempt := 0; attempt < 3; attempt++ {
		key := uuid.NewSHA1(uuid.NameSpaceURL, []byte(order))
		if err := c.pay(ctx, 1, key.String()); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: a hash of what stays the same stays the same.
func hashed(ctx context.Context, c *client, order string, amount int) error {
	for attempt := 0; attempt < 3; attempt++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", order, amount))
		if err := c.pay(ctx, amount, hex.EncodeToString(sum[:])); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: each of several requests at a time is a payment of its own.
func fanOut(ctx context.Context, c *client) {
	for attempt := 0; attempt < 3; attempt++ {
		go c.pay(ctx, 1, uuid.NewString())
		time.Sleep(time.Second)
	}
}

// fine: waits until something is ready, and then pays once on its way out.
func afterPolling(ctx context.Context, c *client, ready func() (bool, error)) error {
	for attempt := 0; attempt < 10; attempt++ {
		ok, err := ready()
		if err != nil {
			continue
		}
		if ok {
			return c.pay(ctx, 1, uuid.NewString())
		}
		time.Sleep(time.Second)
	}
	return errors.New("never ready")
}

// fine: the caller's choice, else a default; which of them it is cannot be told here.
func choice(ctx context.Context, c *client, fresh bool, given string) error {
	for attempt := 0; attempt < 3; attempt++ {
		key := given
		if fresh {
			key = uuid.NewString()
		}
		if err := c.pay(ctx, 1, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: remembered for each order in a map around the loop.
func remembered(ctx context.Context, c *client, orders []string) error {
	keys := map[string]string{}
	for attempt := 0; attempt < 3; attempt++ {
		var failed error
		for _, order := range orders {
			if _, ok := keys[order]; !ok {
				keys[order] = uuid.NewString()
			}
			failed = errors.Join(failed, c.pay(ctx, 1, keys[order]))
		}
		if failed == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// fine: nothing retries here.
func once(ctx context.Context, c *client) error {
	return c.pay(ctx, 1, uuid.NewString())
}

// fine: the first of several hosts that answers; each host has keys of its own.
func hosts(ctx context.Context, clients []*client) error {
	for _, c := range clients {
		if err := c.pay(ctx, 1, uuid.NewString()); err == nil {
			return nil
		}
	}
	return errors.New("no host")
}

type job struct{ amount int }

// fine: takes a job in each turn, waits after an error, and ends when there is none.
func jobs(ctx context.Context, c *client, unpaid func() (*job, error)) error {
	for {
		next, err := unpaid()
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		if next == nil {
			return nil
		}
		if err := c.pay(ctx, next.amount, uuid.NewString()); err != nil {
			return err
		}
	}
}

// fine: pays a number of times, and a failed payment is one that is left out.
func several(ctx context.Context, c *client, n int) (paid int) {
	for i := 0; i < n; i++ {
		if err := c.pay(ctx, 1, uuid.NewString()); err != nil {
			continue
		}
		paid++
	}
	return paid
}

// fine: the key is read from the request, else minted for it, and the request is what is sent again.
func keyOf(ctx context.Context, c *client, given *job, header http.Header) error {
	for attempt := 0; attempt < 3; attempt++ {
		key := header.Get("Idempotency-Key")
		if key == "" {
			key = uuid.NewString()
			header.Set("Idempotency-Key", key)
		}
		if err := c.pay(ctx, given.amount, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: the day is the same in all tries, but for one night.
func daykey(ctx context.Context, c *client, account string) error {
	for attempt := 0; attempt < 3; attempt++ {
		key := account + "-" + time.Now().UTC().Format("2006-01-02")
		if err := c.pay(ctx, 1, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: three payments, whose outcomes are counted: no turn makes up for another.
func measured(ctx context.Context, c *client) (failed int) {
	for attempt := 0; attempt < 3; attempt++ {
		if c.pay(ctx, 1, uuid.NewString()) != nil {
			failed++
		}
	}
	return failed
}

// fine: draws a key until one is free, by a set.
func untilUnseen(ctx context.Context, c *client, seen map[string]bool) error {
	for attempt := 0; ; attempt++ {
		key := uuid.NewString()
		if _, taken := seen[key]; taken {
			time.Sleep(time.Millisecond)
			continue
		}
		return c.pay(ctx, 1, key)
	}
}

// fine: draws a key until one is free, by an error that is compared.
func untilAnother(ctx context.Context, c *client) error {
	for attempt := 0; ; attempt++ {
		err := c.pay(ctx, 1, uuid.NewString())
		if err == errKeyTaken {
			time.Sleep(time.Millisecond)
			continue
		}
		return err
	}
}

// fine: one provider after another, each with a key of its own.
func failOver(ctx context.Context, providers []*client) (err error) {
	for i := 0; i < len(providers); i++ {
		if err = providers[i].pay(ctx, 100, uuid.NewString()); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: an order a turn, however long it takes for one to come.
func fromChannel(ctx context.Context, c *client, orders <-chan int) error {
	for {
		select {
		case amount := <-orders:
			if err := c.pay(ctx, amount, uuid.NewString()); err == nil {
				return nil
			}
		case <-time.After(time.Second):
		}
	}
}

// fine: the lines of an order have numbers, which are the same in each try.
func numbered(ctx context.Context, c *client, key string, amounts []int) (err error) {
	line := 0
	defer func() { fmt.Println(line) }()
	for attempt := 0; attempt < 3; attempt++ {
		line = 0
		for _, amount := range amounts {
			line = line + 1
			if err = c.pay(ctx, amount, key+"-"+strconv.Itoa(line)); err != nil {
				break
			}
		}
		if err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: the attempt is the order's, which its customer starts; these tries are of one attempt.
func attemptOfOrder(ctx context.Context, c *client, order string) (err error) {
	for i := 0; i < 3; i++ {
		if err = c.pay(ctx, 100, fmt.Sprintf("%s-%d", order, c.attempt)); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: one is minted each time, and used once.
func setWhenMissing(c *client, request *http.Request) (response *http.Response, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		key := uuid.NewString()
		if request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", key)
		}
		if response, err = c.http.Do(request); err == nil {
			return response, nil
		}
	}
	return nil, err
}

func rejected(err error) bool { return err != nil && err.Error() == "rejected" }

// fine: a new key is for a new payment, after the first was refused for good.
func anotherAfterRefusal(ctx context.Context, c *client) (err error) {
	key := uuid.NewString()
	for attempt := 0; attempt < 3; attempt++ {
		if err = c.pay(ctx, 100, key); err == nil {
			return nil
		}
		if rejected(err) {
			key = uuid.NewString()
		}
	}
	return err
}

// fine: the bytes are of a file, which has the same in it each time.
func fromReader(ctx context.Context, c *client, open func() io.Reader) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		buffer := make([]byte, 16)
		if _, err = io.ReadFull(open(), buffer); err != nil {
			continue
		}
		if err = c.pay(ctx, 100, hex.EncodeToString(buffer)); err == nil {
			return nil
		}
	}
	return err
}

// fine: minted when it is still the zero one, which it is once.
func zeroBefore(ctx context.Context, c *client, id uuid.UUID) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if id == uuid.Nil {
			id = uuid.New()
		}
		if err = c.pay(ctx, 100, id.String()); err == nil {
			return nil
		}
	}
	return err
}

// fine: what prepares the copy may have set a key in it.
func prepared(c *client, request *http.Request, prepare func(*http.Request)) (response *http.Response, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		again := request.Clone(request.Context())
		prepare(again)
		if again.Header.Get("Idempotency-Key") == "" {
			again.Header.Set("Idempotency-Key", uuid.NewString())
		}
		if response, err = c.http.Do(again); err == nil {
			return response, nil
		}
	}
	return nil, err
}

type paymentRow struct {
	IdempotencyKey string `db:"idempotency_key"`
}

// fine: a row that is stored, not a request: what failed was rolled back.
func stored(insert func(paymentRow) error) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = insert(paymentRow{IdempotencyKey: uuid.NewString()}); err == nil {
			return nil
		}
	}
	return err
}
