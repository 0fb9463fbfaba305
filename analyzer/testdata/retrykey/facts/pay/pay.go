// Package pay retries: what it calls mints two and three packages away.
package pay

import (
	"context"
	"errors"
	"net/http"

	"github.com/avast/retry-go/v4"

	"example.com/idemvet/retrykey/facts/gateway"
	"example.com/idemvet/retrykey/facts/ids"
	"example.com/idemvet/retrykey/facts/transport"
)

type service struct {
	client *gateway.Client
	ids    *ids.Generator
}

// bug: the callee's callee's callee mints.
func (s *service) deep(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.Charge(ctx, 100); err == nil { // want `Client.Charge mints the idempotency key that it sends \(gateway.go:\d+, Client.send \(gateway.go:\d+\), transport.PostFresh \(transport.go:\d+\), ids.New \(ids.go:\d+\)\) and is called anew in every turn`
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: a method of another package is handed to a retry.
func (s *service) handed(ctx context.Context, url string) error {
	return retry.Do(func() error { return transport.PostFresh(ctx, url) }) // want "mints the idempotency key"
}

// bug: minted here by a helper, sent two packages away.
func (s *service) across(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.ChargeWith(ctx, 100, ids.Prefixed("pay")); err == nil { // want `is minted \(ids.Prefixed \(ids.go:\d+\), ids.New \(ids.go:\d+\)\) anew`
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: the helper's value has an error beside it.
func (s *service) withError(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		key, err := ids.Hex() // want "minted"
		if err != nil {
			return err
		}
		if err := s.client.ChargeWith(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: through a member of a struct of another package.
func (s *service) member(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		ref := ids.NewRef("payment") // want "minted"
		if err := s.client.ChargeWith(ctx, 100, ref.ID); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: into a member that only its method makes a key of.
func (s *service) intoMember(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := (transport.Call{URL: "https://pay.example/", Ref: s.ids.Next()}).Do(ctx); err == nil { // want "minted"
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: the only type that implements the interface mints.
func single(ctx context.Context, charger gateway.Charger) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := charger.Charge(ctx, 100); err == nil { // want "mints the idempotency key"
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: no key is given, so the callee mints each time.
func noneGiven(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := transport.PostOr(ctx, "https://pay.example/", ""); err == nil { // want "mints the idempotency key"
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: the request that the callee looks at is new in each turn.
func newRequest(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
		if err != nil {
			return err
		}
		transport.Ensure(request) // want "mints the idempotency key"
		if _, err := http.DefaultClient.Do(request); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: the request that the callee looks at is the same in each turn.
func sameRequest(request *http.Request) error {
	for attempt := 0; attempt < 3; attempt++ {
		transport.Ensure(request)
		if _, err := http.DefaultClient.Do(request); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: minted by the helper, before the loop.
func (s *service) before(ctx context.Context) error {
	key := ids.Prefixed("pay")
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.ChargeWith(ctx, 100, key); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: the caller's key, and a new one only when the caller has none.
func (s *service) givenOr(ctx context.Context, key string) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.ChargeWith(ctx, 100, ids.Or(key)); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: the key is given as an option.
func (s *service) option(ctx context.Context, key string) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.ChargeOptions(ctx, gateway.WithRef(key)); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: each item is charged once, with no retry around.
func (s *service) items(ctx context.Context, amounts []int) error {
	for _, amount := range amounts {
		if err := s.client.Charge(ctx, amount); err != nil {
			return err
		}
	}
	return nil
}

// fine: the mint carries a directive where it stands.
func (s *service) known(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := s.client.ChargeWith(ctx, 100, ids.Known()); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// fine: the call carries a directive where it stands.
func (s *service) ignored(ctx context.Context) error {
	return retry.Do(func() error { return s.client.Ignored(ctx) })
}
