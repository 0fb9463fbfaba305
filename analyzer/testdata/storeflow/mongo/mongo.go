// Package mongo shows what the calls of MongoDB's driver do to stores.
package mongo

import (
	"context"
	"strings"
	"time"

	v1bson "go.mongodb.org/mongo-driver/bson"
	v1 "go.mongodb.org/mongo-driver/mongo"
	v1options "go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type Payment struct {
	ID        bson.ObjectID `bson:"_id,omitempty"`
	Reference string        `bson:"ref"`
	Amount    int64
}

type Store struct {
	payments *mongo.Collection
	unknown  *mongo.Collection
	db       *mongo.Database
}

func New(db *mongo.Database, other *mongo.Collection) *Store {
	return &Store{payments: db.Collection("payments"), unknown: other, db: db}
}

func (s *Store) ledger() *mongo.Collection { return s.db.Collection("ledger") }

func (s *Store) throughHelper(ctx context.Context, ref string) {
	s.ledger().FindOne(ctx, bson.M{"ref": ref}) // want `^read ledger by ref over client$`
}

func (s *Store) eachTenant(ctx context.Context, tenant, ref string) {
	s.db.Collection(strings.ToLower("Holders_"+tenant)).FindOne(ctx, bson.M{"ref": ref}) // want `^read holders_\* by ref over client$`
}

func (s *Store) reads(ctx context.Context, ref string) {
	var p Payment
	s.payments.FindOne(ctx, bson.M{"ref": ref}).Decode(&p)                                              // want `^read payments by ref over client, entity Payment$`
	s.payments.FindOne(ctx, bson.D{{Key: "ref", Value: ref}, {"amount", 1}})                            // want `^read payments by ref,amount over client$`
	s.db.Collection("Refunds").CountDocuments(ctx, bson.M{"ref": ref, "at": bson.M{"$gt": time.Now()}}) // want `^read refunds by ref over client, always$`
	s.payments.Find(ctx, bson.M{"$or": bson.A{bson.M{"ref": ref}}})                                     // want `^read payments over client$`
	s.unknown.FindOne(ctx, map[string]any{"ref": ref})                                                  // want `^read Store.unknown by ref over client$`
	s.payments.FindOne(ctx, Payment{Reference: ref})                                                    // want `^read payments by ref over client$`
}

func (s *Store) writes(ctx context.Context, ref string) {
	s.payments.InsertOne(ctx, bson.M{"ref": ref})                                                                                                      // want `^insert payments \(ref\) over client, minted$`
	s.payments.InsertOne(ctx, Payment{ID: bson.NewObjectID(), Reference: ref})                                                                         // want `^insert payments \(_id,ref\) over client, minted entity Payment$`
	s.payments.InsertOne(ctx, bson.M{"_id": ref})                                                                                                      // want `^insert payments \(_id\) over client$`
	s.payments.InsertMany(ctx, []any{bson.M{"ref": ref}})                                                                                              // want `^insert payments \(ref\) over client, minted$`
	s.payments.UpdateOne(ctx, bson.M{"ref": ref}, bson.M{"$set": bson.M{"amount": 1}})                                                                 // want `^update payments by ref over client$`
	s.payments.UpdateOne(ctx, bson.M{"ref": ref}, bson.M{}, options.UpdateOne().SetUpsert(true))                                                       // want `^insert payments \(ref\) over client, on-conflict upsert target ref$`
	s.payments.FindOneAndUpdate(ctx, bson.M{"ref": ref}, bson.M{}, options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.Before)).Err() // want `^insert payments \(ref\) over client, on-conflict upsert target ref$`
	s.payments.DeleteOne(ctx, bson.M{"ref": ref})                                                                                                      // want `^delete payments by ref over client$`
}

func (s *Store) won(ctx context.Context, ref string) bool {
	result, err := s.payments.UpdateOne(ctx, bson.M{"ref": ref}, bson.M{"$setOnInsert": bson.M{"amount": 1}}, options.UpdateOne().SetUpsert(true)) // want `^insert payments \(ref\) over client, on-conflict result-read target ref$`
	return err == nil && result.UpsertedCount == 1
}

// finder is an interface that a house declares for its tests.
type finder interface {
	FindOne(ctx context.Context, filter any, opts ...options.Lister[options.FindOneOptions]) *mongo.SingleResult
}

func throughInterface(ctx context.Context, f finder, ref string) {
	f.FindOne(ctx, bson.M{"ref": ref}) // want `^read  by ref over client$`
}

func older(ctx context.Context, db *v1.Database, ref string) {
	db.Collection("payments").FindOne(ctx, v1bson.M{"ref": ref})                                                   // want `^read payments by ref over client$`
	db.Collection("payments").InsertOne(ctx, v1bson.D{{Key: "ref", Value: ref}})                                   // want `^insert payments \(ref\) over client, minted$`
	db.Collection("payments").UpdateOne(ctx, v1bson.M{"ref": ref}, v1bson.M{}, v1options.Update().SetUpsert(true)) // want `^insert payments \(ref\) over client, on-conflict upsert target ref$`
}
