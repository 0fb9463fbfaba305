// Package mongo has cases over MongoDB.
package mongo

import (
	"net/http"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type record struct {
	Answer string `bson:"answer"`
}

type server struct{ db *mongo.Database }

// bug: the key alone
func (s *server) alone(w http.ResponseWriter, r *http.Request) {
	var found record
	if s.db.Collection("idempotency_keys").FindOne(r.Context(), bson.M{"key": r.Header.Get("Idempotency-Key")}).Decode(&found) == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(found.Answer))
	}
}

// bug: the key is the document's id
func (s *server) asID(w http.ResponseWriter, r *http.Request) {
	var found record
	if s.db.Collection("idempotency_keys").FindOne(r.Context(), bson.D{{Key: "_id", Value: r.Header.Get("Idempotency-Key")}}).Decode(&found) == nil { // want `a record of idempotency_keys is looked up by _id alone`
		w.Write([]byte(found.Answer))
	}
}

// fine: merchant and key
func (s *server) scoped(w http.ResponseWriter, r *http.Request) {
	var found record
	if s.db.Collection("idempotency_keys").FindOne(r.Context(), bson.M{"merchant_id": r.PathValue("merchant"), "key": r.Header.Get("Idempotency-Key")}).Decode(&found) == nil {
		w.Write([]byte(found.Answer))
	}
}

// fine: a collection for each merchant
func (s *server) collectionPerMerchant(w http.ResponseWriter, r *http.Request) {
	var found record
	if s.db.Collection(r.PathValue("merchant")+"_keys").FindOne(r.Context(), bson.M{"key": r.Header.Get("Idempotency-Key")}).Decode(&found) == nil {
		w.Write([]byte(found.Answer))
	}
}
