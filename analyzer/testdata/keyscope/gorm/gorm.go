// Package gorm has cases over gorm.
package gorm

import (
	"net/http"

	"gorm.io/gorm"
)

// IdempotencyKey is a record.
type IdempotencyKey struct {
	Key    string `gorm:"primaryKey"`
	UserID string
	Answer string
}

type server struct{ db *gorm.DB }

// bug: First by the key alone
func (s *server) first(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	if s.db.Where("key = ?", r.Header.Get("Idempotency-Key")).First(&record).Error == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(record.Answer))
	}
}

// bug: conditions of a struct with the key alone
func (s *server) structCondition(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	if s.db.Where(&IdempotencyKey{Key: r.Header.Get("Idempotency-Key")}).Take(&record).Error == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(record.Answer))
	}
}

// fine: user and key
func (s *server) scoped(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	if s.db.Where("user_id = ? AND key = ?", r.Header.Get("X-User"), r.Header.Get("Idempotency-Key")).First(&record).Error == nil {
		w.Write([]byte(record.Answer))
	}
}

// fine: user and key in two conditions
func (s *server) scopedChain(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	q := s.db.Where("user_id = ?", r.Header.Get("X-User"))
	if q.Where("key = ?", r.Header.Get("Idempotency-Key")).First(&record).Error == nil {
		w.Write([]byte(record.Answer))
	}
}

// fine: a scope that a function adds
func (s *server) scopes(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	if s.db.Scopes(ofUser(r.Header.Get("X-User"))).Where("key = ?", r.Header.Get("Idempotency-Key")).First(&record).Error == nil {
		w.Write([]byte(record.Answer))
	}
}

func ofUser(id string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("user_id = ?", id) }
}

// fine: the record's user is compared with who asks before the answer is given
func (s *server) comparedAfterwards(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	caller := r.Header.Get("X-Caller")
	if s.db.Where("key = ?", r.Header.Get("Idempotency-Key")).First(&record).Error == nil && record.UserID == caller {
		w.Write([]byte(record.Answer))
	}
}

// bug: a map with the key alone
func (s *server) mapCondition(w http.ResponseWriter, r *http.Request) {
	var record IdempotencyKey
	if s.db.Where(map[string]any{"key": r.Header.Get("Idempotency-Key")}).First(&record).Error == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(record.Answer))
	}
}
