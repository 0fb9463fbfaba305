// Package retrygo has calls that avast/retry-go repeats.
package retrygo

import (
	"context"
	"net/http"
	"strconv"

	retry4 "github.com/avast/retry-go/v4"
	retry5 "github.com/avast/retry-go/v5"
	"github.com/google/uuid"
	"github.com/rs/xid"
)

type payments interface {
	Pay(ctx context.Context, amount int64, idempotencyKey string) (string, error)
}

// bug: the call mints the key that it hands over.
func pay(ctx context.Context, p payments, amount int64) error {
	return retry4.Do(func() error {
		_, err := p.Pay(ctx, amount, uuid.New().String()) // want "minted"
		return err
	}, retry4.Attempts(3), retry4.Context(ctx))
}

// fine: a fresh key for each payment, the same for each try of it.
func payEach(ctx context.Context, p payments, amounts []int64) error {
	for _, amount := range amounts {
		key := uuid.NewString()
		err := retry4.Do(func() error {
			_, err := p.Pay(ctx, amount, key)
			return err
		}, retry4.Attempts(3))
		if err != nil {
			return err
		}
	}
	return nil
}

// bug: what the data comes back in changes nothing.
func payWithData(ctx context.Context, p payments, amount int64) (string, error) {
	return retry4.DoWithData(func() (string, error) {
		key := xid.New().String() // want "minted"
		return p.Pay(ctx, amount, key)
	})
}

// bug: the number of the try is in the key, so that each try is a payment.
func payNumbered(ctx context.Context, p payments, order string, amount int64) error {
	attempt := 0
	return retry4.Do(func() error {
		attempt++
		_, err := p.Pay(ctx, amount, order+"-"+strconv.Itoa(attempt)) // want "attempt"
		return err
	})
}

// fine: version 5 with the key of the order.
func payOrder(ctx context.Context, p payments, order string, amount int64) error {
	return retry5.New(retry5.Attempts(5)).Do(func() error {
		_, err := p.Pay(ctx, amount, "order-"+order)
		return err
	})
}

// bug: version 5 has a retrier whose method is handed the function.
func payV5(ctx context.Context, p payments, amount int64) error {
	retrier := retry5.New(retry5.Attempts(5), retry5.Context(ctx))
	return retrier.Do(func() error {
		_, err := p.Pay(ctx, amount, uuid.NewString()) // want "minted"
		return err
	})
}

// bug: so has the one with data.
func payV5WithData(client *http.Client, url string) (*http.Response, error) {
	return retry5.NewWithData[*http.Response]().Do(func() (*http.Response, error) {
		request, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Add("Idempotency-Key", xid.New().String()) // want "minted"
		return client.Do(request)
	})
}

// fine: the try is numbered in a header of its own.
func payTraced(client *http.Client, url, key string) error {
	attempt := 0
	return retry4.Do(func() error {
		attempt++
		request, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			return err
		}
		request.Header.Set("X-Attempt", strconv.Itoa(attempt))
		request.Header.Set("X-Trace-Id", uuid.NewString())
		request.Header.Set("Idempotency-Key", key)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
}

// fine: a mint in the function that reports a retry goes into a log.
func payLogged(ctx context.Context, p payments, key string, logged func(id string, err error)) error {
	return retry4.Do(func() error {
		_, err := p.Pay(ctx, 1, key)
		return err
	}, retry4.OnRetry(func(_ uint, err error) { logged(uuid.NewString(), err) }))
}
