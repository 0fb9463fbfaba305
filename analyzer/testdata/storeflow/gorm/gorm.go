// Package gorm shows what gorm's calls do to stores.
package gorm

import (
	"context"
	"database/sql"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"example.com/idemvet/storeflow/gorm/models"
)

// Payment has no TableName method: the naming strategy decides.
type Payment struct {
	ID        string `gorm:"primaryKey"`
	Reference string `gorm:"column:ref"`
	AccountID int64
	Amount    int64
}

// LedgerEntry says where its rows are.
type LedgerEntry struct {
	gorm.Model
	Reference string
}

// TableName is gorm's Tabler.
func (LedgerEntry) TableName() string { return "ledger.entries" }

// Category has an irregular plural.
type Category struct {
	ID   uint
	Name string
}

type Store struct{ db *gorm.DB }

func (s *Store) reads(ctx context.Context, id, ref string, account int64) {
	var p Payment
	var list []Payment
	var n int64
	s.db.First(&p, "ref = ?", ref)                                                       // want `^read payments by ref over receiver db$`
	s.db.First(&p, id)                                                                   // want `^read payments by id over receiver db, partial$|^read payments over receiver db`
	s.db.Where("ref = ? AND account_id = ?", ref, account).Take(&p)                      // want `^read payments by ref,account_id over receiver db$`
	s.db.Where(&Payment{Reference: ref}).First(&p)                                       // want `^read payments by ref over receiver db$`
	s.db.Where(Payment{Reference: ref, AccountID: account}).Limit(1).Find(&p)            // want `^read payments by ref,account_id over receiver db$`
	s.db.Where(map[string]any{"ref": ref}).Find(&list)                                   // want `^read payments by ref over receiver db$`
	s.db.Where("ref", ref).Find(&list)                                                   // want `^read payments by ref over receiver db$`
	s.db.Model(&Payment{}).Where("ref = ?", ref).Count(&n)                               // want `^read payments by ref over receiver db, always$`
	s.db.WithContext(ctx).Table("refunds r").Where("r.ref = ?", ref).Scan(&p)            // want `^read refunds by ref over receiver db$`
	s.db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&p, "ref = ?", ref)           // want `^read payments by ref over receiver db, for-update$`
	s.db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&list) // want `^read payments over receiver db, for-update skip-locked$`
	s.db.Where("ref = ?", ref).Or("amount = ?", 1).First(&p)                             // want `^read payments over receiver db$`
	s.db.Raw("SELECT * FROM payments WHERE ref = ?", ref).Scan(&p)                       // want `^read payments by ref over receiver db$`
	var e LedgerEntry
	s.db.Where("reference = ?", ref).First(&e) // want `^read entries by reference over receiver db$`
	var c Category
	s.db.Take(&c, "name = ?", ref) // want `^read categories by name over receiver db$`
}

func (s *Store) continued(ref string, account int64) error {
	var p Payment
	query := s.db.Model(&Payment{}).Where("ref = ?", ref)
	if account != 0 {
		query = query.Where("account_id = ?", account)
	}
	return query.First(&p).Error // want `^read payments by ref over receiver db, partial$`
}

func (s *Store) expressions(ref string, more clause.Expression, list []clause.Expression) {
	var p Payment
	s.db.Where(clause.Eq{Column: "ref", Value: ref}).First(&p)                      // want `^read payments by ref over receiver db$`
	s.db.Where(clause.Eq{Column: clause.Column{Name: "ref"}, Value: ref}).First(&p) // want `^read payments by ref over receiver db$`
	s.db.Where(clause.Gt{Column: "amount", Value: 1}).First(&p)                     // want `^read payments over receiver db, partial$`
	s.db.Clauses(more).Create(&p)                                                   // want `^insert payments over receiver db, partial$`
	s.db.Clauses(list...).Create(&p)                                                // want `^insert payments over receiver db, partial$`
	s.db.Clauses(clause.Returning{}, clause.From{}).Create(&p)                      // want `^insert payments over receiver db$`
}

func (s *Store) elsewhere(ref string) {
	var i models.Invoice
	s.db.Where(&models.Invoice{Ref: ref}).First(&i) // want `^read v2_invoices by reference over receiver db$`
}

func (s *Store) looped(ref string, filters map[string]string) error {
	query := s.db.Where("ref = ?", ref)
	for column, value := range filters {
		query = query.Where(column+" = ?", value)
	}
	var list []Payment
	if len(filters) > 3 {
		query = query.Where("account_id = ?", 1).Where("amount = ?", 2)
	} else {
		query = query.Where("account_id = ?", 1)
	}
	return query.Find(&list).Error // want `^read payments by ref over receiver db, partial$`
}

func (s *Store) writes(ctx context.Context, ref string, row *Payment) {
	s.db.Create(&Payment{Reference: ref, Amount: 1})                                                      // want `^insert payments \(ref,amount\) over receiver db$`
	s.db.Create(&Payment{ID: uuid.NewString(), Reference: ref})                                           // want `^insert payments \(id,ref\) over receiver db, minted$`
	s.db.WithContext(ctx).Create(row)                                                                     // want `^insert payments over receiver db$`
	s.db.Clauses(clause.OnConflict{DoNothing: true}).Create(row)                                          // want `^insert payments over receiver db, on-conflict$`
	s.db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "ref"}}, UpdateAll: true}).Create(row) // want `^insert payments over receiver db, on-conflict upsert target ref$`
	s.db.Clauses(clause.Insert{Modifier: "IGNORE"}).Create(row)                                           // want `^insert payments over receiver db, on-conflict$`
	s.db.Save(&Payment{ID: ref})                                                                          // want `^insert payments \(id\) over receiver db, on-conflict upsert target id$`
	s.db.Save(&Payment{Reference: ref})                                                                   // want `^insert payments \(ref\) over receiver db$`
	s.db.Model(&Payment{}).Where("ref = ?", ref).Update("amount", 2)                                      // want `^update payments by ref over receiver db$`
	s.db.Where("ref = ?", ref).Updates(&Payment{Amount: 2})                                               // want `^update payments by ref over receiver db$`
	s.db.Where("ref = ?", ref).Delete(&Payment{})                                                         // want `^delete payments by ref over receiver db$`
	s.db.Exec("INSERT INTO payments (ref) VALUES (?) ON CONFLICT (ref) DO NOTHING", ref)                  // want `^insert payments \(ref\) over receiver db, on-conflict target ref$`
	var p Payment
	s.db.Where(Payment{Reference: ref}).FirstOrCreate(&p) // want `^read payments by ref over receiver db$` `^insert payments \(ref\) over receiver db, first-or-create$`
	s.db.FirstOrInit(&p, Payment{Reference: ref})         // want `^read payments by ref over receiver db$`
}

func (s *Store) won(row *Payment) bool {
	result := s.db.Clauses(clause.OnConflict{DoNothing: true}).Create(row) // want `^insert payments over receiver db, on-conflict result-read$`
	return result.RowsAffected == 1
}

func (s *Store) loaded(ref string) {
	var p Payment
	if s.db.First(&p, "ref = ?", ref).Error != nil { // want `^read payments by ref over receiver db$`
		return
	}
	p.Amount++
	s.db.Save(&p) // want `^update payments over receiver db$`
}

func (s *Store) inTransaction(ref string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var p Payment
		tx.WithContext(context.Background()).First(&p, "ref = ?", ref) // want `^read payments by ref over tx$`
		s.db.First(&p, "ref = ?", ref)                                 // want `^read payments by ref over receiver db$`
		return tx.Create(&Payment{Reference: ref}).Error               // want `^insert payments \(ref\) over tx$`
	})
}

func (s *Store) serializable(ref string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		return tx.Create(&Payment{Reference: ref}).Error // want `^insert payments \(ref\) over tx, serializable$`
	}, &sql.TxOptions{Isolation: sql.LevelSerializable})
}

func (s *Store) begun(ref string) {
	tx := s.db.Begin()
	defer tx.Rollback()
	tx.Create(&Payment{Reference: ref}) // want `^insert payments \(ref\) over tx$`
	tx.Commit()
}

func given(tx *gorm.DB, ref string) error {
	return tx.Create(&Payment{Reference: ref}).Error // want `^insert payments \(ref\) over param 0$`
}

func generic(ctx context.Context, db *gorm.DB, ref string) error {
	_, err := gorm.G[Payment](db).Where("ref = ?", ref).First(ctx) // want `^read payments by ref over param 1$`
	if err == nil {
		return nil
	}
	return gorm.G[Payment](db, clause.OnConflict{DoNothing: true}).Create(ctx, &Payment{Reference: ref}) // want `^insert payments \(ref\) over param 1, on-conflict$`
}
