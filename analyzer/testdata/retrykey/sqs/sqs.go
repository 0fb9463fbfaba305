// Package sqs has senders to a queue that drops repeated messages for five minutes, and receivers.
package sqs

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"
)

// bug: the queue cannot tell that the second message is the first one again.
func publish(ctx context.Context, client *sqs.Client, queue, body string) error {
	return backoff.Retry(func() error {
		_, err := client.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl:               &queue,
			MessageBody:            &body,
			MessageGroupId:         aws.String("orders"),
			MessageDeduplicationId: aws.String(uuid.NewString()), // want "minted"
		})
		return err
	}, backoff.WithContext(backoff.NewExponentialBackOff(), ctx))
}

// fine: the id of the event is what tells messages apart.
func publishEvent(ctx context.Context, client *sqs.Client, queue, event, body string) error {
	return backoff.Retry(func() error {
		_, err := client.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl:               &queue,
			MessageBody:            &body,
			MessageDeduplicationId: aws.String("event-" + event),
		})
		return err
	}, backoff.WithContext(backoff.NewExponentialBackOff(), ctx))
}

// fine: a receiver forwards each message once; the loop is not a retry.
func forward(ctx context.Context, client *sqs.Client, from, to string) error {
	for {
		received, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &from, WaitTimeSeconds: 20})
		if err != nil {
			return err
		}
		for _, message := range received.Messages {
			_, err := client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &to, MessageBody: message.Body, MessageDeduplicationId: aws.String(uuid.NewString())})
			if err != nil {
				return err
			}
		}
	}
}

// fine: the receiver waits after an error and goes on with the next message.
func forwardPatiently(ctx context.Context, client *sqs.Client, from, to string) {
	for ctx.Err() == nil {
		received, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &from})
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		for _, message := range received.Messages {
			_, _ = client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &to, MessageBody: message.Body, MessageDeduplicationId: message.MessageId})
		}
	}
}
