// Package grpc has keys that travel in gRPC metadata.
package grpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/metadata"
)

type ledger interface {
	Post(ctx context.Context, entry string) error
}

// bug: the metadata is made anew for each try.
func post(ctx context.Context, l ledger, entry string) error {
	var err error
	for attempt := range 3 {
		call := metadata.AppendToOutgoingContext(ctx, "idempotency-key", uuid.NewString()) // want "minted"
		if err = l.Post(call, entry); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * time.Second)
	}
	return err
}

// fine: the metadata is made before the tries.
func postOnce(ctx context.Context, l ledger, entry string) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "idempotency-key", uuid.NewString())
	var err error
	for attempt := range 3 {
		if err = l.Post(ctx, entry); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * time.Second)
	}
	return err
}

// fine: the second of the pairs is a request id, which may differ.
func postTraced(ctx context.Context, l ledger, entry, key string) error {
	var err error
	for attempt := range 3 {
		call := metadata.AppendToOutgoingContext(ctx, "idempotency-key", key, "x-request-id", uuid.NewString())
		if err = l.Post(call, entry); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * time.Second)
	}
	return err
}

// bug: the key is the second of the pairs.
func postSecond(ctx context.Context, l ledger, entry string) error {
	var err error
	for attempt := range 3 {
		pairs := metadata.Pairs("x-source", "billing", "idempotency-key", uuid.NewString()) // want "minted"
		if err = l.Post(metadata.NewOutgoingContext(ctx, pairs), entry); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * time.Second)
	}
	return err
}
