// Package mongo has cases over MongoDB's sessions.
package mongo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type service struct {
	client *mongo.Client
	db     *mongo.Database
}

// bug: the session's context goes to the payment and not to the key
func (s *service) keyWithoutSession(ctx context.Context, key, id string) error {
	session, err := s.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(sc context.Context) (any, error) {
		if _, err := s.db.Collection("payments").InsertOne(sc, bson.M{"_id": id}); err != nil {
			return nil, err
		}
		return s.db.Collection("idempotency_keys").InsertOne(ctx, bson.M{"_id": key}) // want `idempotency_keys is written without the session, beside the transaction of line \d+ that writes payments`
	})
	return err
}

// bug: the key is inserted after the transaction
func (s *service) keyAfter(ctx context.Context, key, id string) error {
	session, err := s.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(sc context.Context) (any, error) {
		return s.db.Collection("payments").InsertOne(sc, bson.M{"_id": id})
	})
	if err != nil {
		return err
	}
	_, err = s.db.Collection("idempotency_keys").InsertOne(ctx, bson.M{"_id": key}) // want `idempotency_keys is written after the commit that keeps payments`
	return err
}

// fine: both get the session's context
func (s *service) together(ctx context.Context, key, id string) error {
	session, err := s.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(sc context.Context) (any, error) {
		if _, err := s.db.Collection("idempotency_keys").InsertOne(sc, bson.M{"_id": key}); err != nil {
			return nil, err
		}
		return s.db.Collection("payments").InsertOne(sc, bson.M{"_id": id})
	})
	return err
}

// fine: a look before the session
func (s *service) lookFirst(ctx context.Context, key, id string) error {
	if err := s.db.Collection("idempotency_keys").FindOne(ctx, bson.M{"_id": key}).Err(); err == nil {
		return nil
	}
	return s.together(ctx, key, id)
}
