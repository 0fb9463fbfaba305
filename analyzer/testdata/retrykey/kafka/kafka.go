// Package kafka has consumers of three clients and a producer that tries again. Their handlers are looked into when the settings ask for at-least-once handlers.
package kafka

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/IBM/sarama"
	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
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

type consumer struct{}

func (consumer) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (consumer) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// bug: a claim that is consumed again after a rebalance charges again.
func (consumer) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		if err := send(session.Context(), uuid.NewString()); err != nil { // want "minted"
			return err
		}
		session.MarkMessage(message, "")
	}
	return nil
}

type steady struct{ consumer }

// fine: where the message stands is the same whenever it is read.
func (steady) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		if err := send(session.Context(), fmt.Sprintf("%s/%d/%d", message.Topic, message.Partition, message.Offset)); err != nil {
			return err
		}
		session.MarkMessage(message, "")
	}
	return nil
}

// fine: each turn of a reader's loop is a message of its own; the loop itself is no retry.
func read(ctx context.Context, reader *kafkago.Reader) error {
	for {
		message, err := reader.FetchMessage(ctx)
		if err != nil {
			return err
		}
		if err := send(ctx, string(message.Key)); err != nil {
			continue
		}
		if err := reader.CommitMessages(ctx, message); err != nil {
			return err
		}
	}
}

// bug: the message that failed is tried again, each time with another key.
func readPatiently(ctx context.Context, reader *kafkago.Reader) error {
	message, err := reader.FetchMessage(ctx)
	if err != nil {
		return err
	}
	for attempt := 0; attempt < 5; attempt++ {
		if err = send(ctx, uuid.NewString()); err == nil { // want "minted"
			return reader.CommitMessages(ctx, message)
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: records are polled and forwarded with what tells them apart.
func poll(ctx context.Context, client *kgo.Client) error {
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(record *kgo.Record) {
			_ = send(ctx, fmt.Sprint(record.Topic, record.Partition, record.Offset))
		})
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
	}
}

// bug: records that were not committed come again, and are charged again.
func pollMinting(ctx context.Context, client *kgo.Client) error {
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(record *kgo.Record) {
			_ = send(ctx, uuid.NewString()) // want "minted"
		})
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
	}
}
