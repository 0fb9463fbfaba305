// Package gorm looks and inserts through gorm.
package gorm

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Refund has a plain index on what it is looked up by.
type Refund struct {
	ID        string `gorm:"primaryKey"`
	Reference string `gorm:"index"`
	OwnerID   int64
	Amount    int64
}

// Hold has a unique one.
type Hold struct {
	ID        uint   `gorm:"primaryKey"`
	Reference string `gorm:"uniqueIndex;not null"`
	Amount    int64
}

// Wallet is an account with a balance.
type Wallet struct {
	ID      uint
	OwnerID int64
	Balance int64
}

type Store struct{ db *gorm.DB }

var ErrTaken = errors.New("taken")

// bug: ErrRecordNotFound, then Create.
func (s *Store) NotFoundCreate(ctx context.Context, ref string, amount int64) error {
	var r Refund
	err := s.db.WithContext(ctx).Where("reference = ?", ref).First(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return s.db.WithContext(ctx).Create(&Refund{Reference: ref, Amount: amount}).Error // want `refunds is looked up by reference.*declared at existsinsert/gorm/gorm.go:15\)`
	}
	return err
}

// bug: found means taken; the primary key is minted in the insert.
func (s *Store) FoundReturns(ref string, amount int64) (*Refund, error) {
	var r Refund
	err := s.db.First(&r, "reference = ?", ref).Error
	if err == nil {
		return nil, ErrTaken
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, err
	}
	r = Refund{ID: uuid.NewString(), Reference: ref, Amount: amount}
	if err := s.db.Create(&r).Error; err != nil { // want `refunds is looked up by reference.*the primary key is minted`
		return nil, err
	}
	return &r, nil
}

// bug: a count of zero.
func (s *Store) CountZero(ref string) error {
	var n int64
	if err := s.db.Model(&Refund{}).Where(&Refund{Reference: ref}).Count(&n).Error; err != nil {
		return err
	}
	if n > 0 {
		return ErrTaken
	}
	return s.db.Create(&Refund{Reference: ref}).Error // want `refunds is looked up by reference`
}

// bug: Find and Limit give no error; RowsAffected says that there is nothing.
func (s *Store) FindNothing(ref string) error {
	var r Refund
	found := s.db.Where("reference = ?", ref).Limit(1).Find(&r)
	if found.Error != nil {
		return found.Error
	}
	if found.RowsAffected == 0 {
		return s.db.Save(&Refund{Reference: ref}).Error // want `refunds is looked up by reference`
	}
	return nil
}

// bug: a transaction around both changes nothing.
func (s *Store) InTransaction(ref string, amount int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var r Refund
		err := tx.Where("reference = ?", ref).Take(&r).Error
		if err == nil {
			return nil
		}
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return err
		}
		return tx.Create(&Refund{Reference: ref, Amount: amount}).Error // want `refunds is looked up by reference`
	})
}

// bug: FOR UPDATE locks nothing when the row is absent.
func (s *Store) LockAbsent(owner int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var w Wallet
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("owner_id = ?", owner).First(&w).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return tx.Create(&Wallet{OwnerID: owner}).Error // want `FOR UPDATE locks nothing`
		}
		return err
	})
}

// bug: FirstOrCreate without a unique index on the condition.
func (s *Store) FirstOrCreate(ref string) (*Refund, error) {
	var r Refund
	err := s.db.Where(Refund{Reference: ref}).FirstOrCreate(&r).Error // want `FirstOrCreate looks for refunds and inserts in two statements`
	return &r, err
}

// bug: ON CONFLICT on the primary key does not arbitrate over the reference.
func (s *Store) OtherTarget(ref string) error {
	var r Refund
	if err := s.db.First(&r, "reference = ?", ref).Error; err == nil {
		return nil
	}
	return s.db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoNothing: true}).Create(&Refund{ID: uuid.NewString(), Reference: ref}).Error // want `ON CONFLICT \(id\) does not arbitrate over reference`
}

// bug: the unique index turns the second insert into an error that nobody knows.
func (s *Store) UnhandledDuplicate(ref string) error {
	var h Hold
	err := s.db.Where("reference = ?", ref).First(&h).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return s.db.Create(&Hold{Reference: ref}).Error // want `holds is looked up by reference.*the unique rule`
	}
	return err
}

// bug: gorm's generic interface.
func Generic(ctx context.Context, db *gorm.DB, ref string) error {
	_, err := gorm.G[Refund](db).Where("reference = ?", ref).First(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return gorm.G[Refund](db).Create(ctx, &Refund{Reference: ref}) // want `refunds is looked up by reference`
	}
	return err
}

// bug: the query is kept in a variable before it runs.
func (s *Store) KeptQuery(ref string, owner int64) error {
	query := s.db.Model(&Refund{})
	query = query.Where("reference = ?", ref)
	query = query.Where("owner_id = ?", owner)
	var r Refund
	if err := query.First(&r).Error; errors.Is(err, gorm.ErrRecordNotFound) {
		return s.db.Create(&Refund{Reference: ref, OwnerID: owner}).Error // want `refunds is looked up by reference, owner_id`
	}
	return nil
}

// fine: the insert decides, and its row count says who won.
func (s *Store) InsertFirst(ref string) (bool, error) {
	result := s.db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(&Refund{Reference: ref})
	return result.RowsAffected == 1, result.Error
}

// fine: looked up for speed, and the insert still arbitrates.
func (s *Store) LookThenUpsert(ref string) error {
	var r Refund
	if err := s.db.First(&r, "reference = ?", ref).Error; err == nil {
		return nil
	}
	return s.db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(&Refund{Reference: ref}).Error
}

// fine: the duplicate is told apart.
func (s *Store) DuplicateTold(ref string) error {
	var h Hold
	if err := s.db.First(&h, "reference = ?", ref).Error; err == nil {
		return ErrTaken
	}
	err := s.db.Create(&Hold{Reference: ref}).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return ErrTaken
	}
	return err
}

// fine: told apart behind the transaction.
func (s *Store) DuplicateToldOutside(ref string) error {
	err := s.db.Transaction(func(tx *gorm.DB) error {
		var r Refund
		if err := tx.First(&r, "reference = ?", ref).Error; err == nil {
			return ErrTaken
		}
		return tx.Create(&Refund{Reference: ref}).Error
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return ErrTaken
	}
	return err
}

// fine: one table is checked, another is written.
func (s *Store) OtherTable(owner int64, ref string) error {
	var w Wallet
	if err := s.db.First(&w, "owner_id = ?", owner).Error; errors.Is(err, gorm.ErrRecordNotFound) {
		return s.db.Create(&Refund{Reference: ref}).Error
	}
	return nil
}

// fine: not found is an error; the insert is on the other side.
func (s *Store) ParentMustExist(ref string, amount int64) error {
	var r Refund
	if err := s.db.First(&r, "reference = ?", ref).Error; err != nil {
		return err
	}
	return s.db.Create(&Refund{Reference: ref + "-part", Amount: amount}).Error
}

// fine: what was read is saved again.
func (s *Store) ReadAndSave(ref string, amount int64) error {
	var r Refund
	if err := s.db.First(&r, "reference = ?", ref).Error; err != nil {
		return err
	}
	r.Amount = amount
	return s.db.Save(&r).Error
}

// fine: a locked parent that exists lets one caller in at a time.
func (s *Store) LockParent(owner int64, ref string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var w Wallet
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&w, "owner_id = ?", owner).Error; err != nil {
			return err
		}
		var r Refund
		err := tx.First(&r, "reference = ?", ref).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return tx.Create(&Refund{Reference: ref, OwnerID: owner}).Error
		}
		return err
	})
}

// fine: the database arbitrates in SERIALIZABLE.
func (s *Store) Serializable(ref string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var r Refund
		err := tx.First(&r, "reference = ?", ref).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return tx.Create(&Refund{Reference: ref}).Error
		}
		return err
	}, &sql.TxOptions{Isolation: sql.LevelSerializable})
}

// fine: nothing found is only told.
func (s *Store) Validate(ref string) error {
	var n int64
	s.db.Model(&Refund{}).Where("reference = ?", ref).Count(&n)
	if n > 0 {
		return ErrTaken
	}
	return nil
}

// fine: FirstOrInit writes nothing.
func (s *Store) FirstOrInit(ref string) (*Refund, error) {
	var r Refund
	err := s.db.Where(Refund{Reference: ref}).FirstOrInit(&r).Error
	return &r, err
}

// fine: not found, then an update of the same table.
func (s *Store) UpdateInstead(ref string) error {
	var r Refund
	if err := s.db.First(&r, "reference = ?", ref).Error; errors.Is(err, gorm.ErrRecordNotFound) {
		return s.db.Model(&Refund{}).Where("reference = ?", "spare").Update("reference", ref).Error
	}
	return nil
}
