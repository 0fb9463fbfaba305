// Package gorm has cases over gorm.
package gorm

import (
	"context"
	"log"

	"gorm.io/gorm"
)

// IdempotencyRecord is kept in idempotency_records.
type IdempotencyRecord struct {
	Key    string `gorm:"primaryKey"`
	Answer string
}

// Payment is kept in payments.
type Payment struct {
	ID     string
	Amount int64
}

// AuditLog is kept in audit_logs.
type AuditLog struct {
	ID   uint
	What string
}

type service struct{ db *gorm.DB }

// bug: s.db instead of tx in the closure
func (s *service) wrongDB(ctx context.Context, key string, p Payment) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&p).Error; err != nil {
			return err
		}
		return s.db.Create(&IdempotencyRecord{Key: key}).Error // want `idempotency_records is written over the pool, beside the transaction of line \d+ that writes payments`
	})
}

// bug: the record is made after the transaction
func (s *service) afterTransaction(ctx context.Context, key string, p Payment) error {
	err := s.db.Transaction(func(tx *gorm.DB) error { return tx.Create(&p).Error })
	if err != nil {
		return err
	}
	if err := s.db.Create(&IdempotencyRecord{Key: key}).Error; err != nil { // want `idempotency_records is written after the commit that keeps payments, and its error does not leave the function`
		log.Println(err)
	}
	return nil
}

// bug: no transaction around payment and record
func (s *service) noTransaction(ctx context.Context, key string, p Payment) error {
	if err := s.db.WithContext(ctx).Create(&p).Error; err != nil {
		return err
	}
	return s.db.WithContext(ctx).Create(&IdempotencyRecord{Key: key}).Error // want `idempotency_records and payments are written without a transaction`
}

// bug: the payment is saved through the pool, the record in tx
func (s *service) businessBeside(ctx context.Context, key string, p Payment) error {
	tx := s.db.Begin()
	defer tx.Rollback()
	if err := tx.Create(&IdempotencyRecord{Key: key}).Error; err != nil {
		return err
	}
	if err := s.db.Save(&p).Error; err != nil { // want `payments is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_records`
		return err
	}
	return tx.Commit().Error
}

// fine: both on tx
func (s *service) together(ctx context.Context, key string, p Payment) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&IdempotencyRecord{Key: key}).Error; err != nil {
			return err
		}
		return tx.Create(&p).Error
	})
}

// fine: tx goes through WithContext and Session
func (s *service) togetherSession(ctx context.Context, key string, p Payment) error {
	tx := s.db.Begin()
	defer tx.Rollback()
	session := tx.WithContext(ctx)
	if err := session.Create(&IdempotencyRecord{Key: key}).Error; err != nil {
		return err
	}
	if err := session.Session(&gorm.Session{}).Model(&p).Update("amount", 5).Error; err != nil {
		return err
	}
	return tx.Commit().Error
}

type repository struct{ db *gorm.DB }

func newRepository(db *gorm.DB) *repository { return &repository{db: db} }

func (r *repository) savePayment(p *Payment) error { return r.db.Create(p).Error }

func (r *repository) saveRecord(k *IdempotencyRecord) error { return r.db.Create(k).Error }

// fine: the repository is bound to tx
func (s *service) boundRepository(ctx context.Context, key string, p Payment) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		r := newRepository(tx)
		if err := r.savePayment(&p); err != nil {
			return err
		}
		return r.saveRecord(&IdempotencyRecord{Key: key})
	})
}

// bug: one repository is bound to tx, the other to the pool
func (s *service) oneRepositoryBound(ctx context.Context, key string, p Payment) error {
	records := newRepository(s.db)
	return s.db.Transaction(func(tx *gorm.DB) error {
		if err := newRepository(tx).savePayment(&p); err != nil {
			return err
		}
		return records.saveRecord(&IdempotencyRecord{Key: key}) // want `idempotency_records is written over the pool, beside the transaction of line \d+ that writes payments`
	})
}

// fine: an audit line on the pool
func (s *service) audited(ctx context.Context, key string, p Payment) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&IdempotencyRecord{Key: key}).Error; err != nil {
			return err
		}
		if err := s.db.Create(&AuditLog{What: "payment"}).Error; err != nil {
			log.Println(err)
		}
		return tx.Create(&p).Error
	})
}

// fine: a function that takes the db it works on
func saveBoth(db *gorm.DB, key string, p Payment) error {
	if err := db.Create(&IdempotencyRecord{Key: key}).Error; err != nil {
		return err
	}
	return db.Create(&p).Error
}
