// Package watermill has handlers whose messages Watermill delivers again after an error. They are looked into when the settings ask for at-least-once handlers.
package watermill

import (
	"context"
	"net/http"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
)

func send(ctx context.Context, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// bug: the message is delivered again, and charged again.
func charge(msg *message.Message) error {
	return send(msg.Context(), watermill.NewUUID()) // want "minted"
}

// fine: the message's id stays the same.
func chargeByID(msg *message.Message) error { return send(msg.Context(), msg.UUID) }

// fine: a new message has an id of its own, which is no key.
func confirm(msg *message.Message) ([]*message.Message, error) {
	return message.Messages{message.NewMessage(watermill.NewUUID(), msg.Payload)}, nil
}

func routes(router *message.Router, subscriber message.Subscriber, publisher message.Publisher) {
	router.AddConsumerHandler("charge", "orders", subscriber, charge)
	router.AddConsumerHandler("charge-by-id", "orders", subscriber, chargeByID)
	router.AddHandler("confirm", "orders", subscriber, "confirmed", publisher, confirm)
}
