// Package mongo looks and inserts through MongoDB's driver.
package mongo

import (
	"context"
	"errors"

	v1bson "go.mongodb.org/mongo-driver/bson"
	v1 "go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type Order struct {
	ID        bson.ObjectID `bson:"_id,omitempty"`
	Reference string        `bson:"reference"`
	Amount    int64         `bson:"amount"`
}

type Store struct {
	orders  *mongo.Collection
	tenants *mongo.Collection
	client  *mongo.Client
}

func New(client *mongo.Client) *Store {
	db := client.Database("shop")
	return &Store{orders: db.Collection("orders"), tenants: db.Collection("tenants"), client: client}
}

var ErrTaken = errors.New("taken")

// bug: ErrNoDocuments, then InsertOne.
func (s *Store) NoDocumentsInsert(ctx context.Context, ref string, amount int64) error {
	var o Order
	err := s.orders.FindOne(ctx, bson.M{"reference": ref}).Decode(&o)
	if errors.Is(err, mongo.ErrNoDocuments) {
		_, err = s.orders.InsertOne(ctx, Order{Reference: ref, Amount: amount}) // want `orders is looked up by reference`
	}
	return err
}

// bug: a count of zero.
func (s *Store) CountInsert(ctx context.Context, ref string) error {
	n, err := s.orders.CountDocuments(ctx, bson.D{{Key: "reference", Value: ref}})
	if err != nil {
		return err
	}
	if n > 0 {
		return ErrTaken
	}
	_, err = s.orders.InsertOne(ctx, bson.M{"reference": ref}) // want `orders is looked up by reference`
	return err
}

// bug: found means return; the id is minted in the insert.
func (s *Store) FoundReturns(ctx context.Context, ref string) (*Order, error) {
	var o Order
	err := s.orders.FindOne(ctx, bson.D{{Key: "reference", Value: ref}}).Decode(&o)
	if err == nil {
		return &o, nil
	}
	if err != mongo.ErrNoDocuments {
		return nil, err
	}
	o = Order{ID: bson.NewObjectID(), Reference: ref}
	if _, err := s.orders.InsertOne(ctx, o); err != nil { // want `orders is looked up by reference.*the primary key is minted`
		return nil, err
	}
	return &o, nil
}

// bug: a transaction does not see what another one inserts.
func (s *Store) InTransaction(ctx context.Context, ref string) error {
	session, err := s.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
		err := s.orders.FindOne(ctx, bson.M{"reference": ref}).Err()
		if err == nil {
			return nil, ErrTaken
		}
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return nil, err
		}
		return s.orders.InsertOne(ctx, bson.M{"reference": ref}) // want `orders is looked up by reference`
	})
	return err
}

// bug: the older driver, the collection taken by its name each time.
func Older(ctx context.Context, db *v1.Database, ref string) error {
	err := db.Collection("orders").FindOne(ctx, v1bson.M{"reference": ref}).Err()
	if err == v1.ErrNoDocuments {
		_, err = db.Collection("orders").InsertOne(ctx, v1bson.M{"reference": ref}) // want `orders is looked up by reference`
	}
	return err
}

// fine: an upsert with $setOnInsert decides.
func (s *Store) Upsert(ctx context.Context, ref string) (bool, error) {
	result, err := s.orders.UpdateOne(ctx, bson.M{"reference": ref}, bson.M{"$setOnInsert": bson.M{"amount": 1}}, options.UpdateOne().SetUpsert(true))
	if err != nil {
		return false, err
	}
	return result.UpsertedCount == 1, nil
}

// fine: a look for speed, and then the upsert.
func (s *Store) LookThenUpsert(ctx context.Context, ref string) error {
	err := s.orders.FindOne(ctx, bson.M{"reference": ref}).Err()
	if err == nil {
		return nil
	}
	_, err = s.orders.UpdateOne(ctx, bson.M{"reference": ref}, bson.M{"$setOnInsert": bson.M{"amount": 1}}, options.UpdateOne().SetUpsert(true))
	return err
}

// fine: the duplicate is told apart.
func (s *Store) DuplicateTold(ctx context.Context, ref string) error {
	if err := s.orders.FindOne(ctx, bson.M{"reference": ref}).Err(); err == nil {
		return ErrTaken
	}
	_, err := s.orders.InsertOne(ctx, bson.M{"reference": ref})
	if mongo.IsDuplicateKeyError(err) {
		return ErrTaken
	}
	return err
}

// fine: the tenant is checked and the order is written.
func (s *Store) OtherCollection(ctx context.Context, tenant, ref string) error {
	err := s.tenants.FindOne(ctx, bson.M{"reference": tenant}).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		_, err = s.orders.InsertOne(ctx, bson.M{"reference": ref})
	}
	return err
}

// fine: only when it is there.
func (s *Store) OnlyWhenThere(ctx context.Context, ref string) error {
	if err := s.orders.FindOne(ctx, bson.M{"reference": ref}).Err(); err != nil {
		return err
	}
	_, err := s.orders.InsertOne(ctx, bson.M{"reference": ref + "-copy"})
	return err
}

// fine: nothing found is only told.
func (s *Store) Validate(ctx context.Context, ref string) error {
	n, err := s.orders.CountDocuments(ctx, bson.M{"reference": ref})
	if err != nil {
		return err
	}
	if n > 0 {
		return ErrTaken
	}
	return nil
}
