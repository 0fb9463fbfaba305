// Package bun looks and inserts through bun.
package bun

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// Transfer has no unique column but its primary key.
type Transfer struct {
	bun.BaseModel `bun:"table:transfers,alias:t"`

	ID        int64  `bun:"id,pk,autoincrement"`
	Reference string `bun:"reference,notnull"`
	Amount    int64  `bun:"amount"`
}

type Account struct {
	bun.BaseModel `bun:"table:accounts"`

	ID int64 `bun:"id,pk"`
}

type Store struct{ db *bun.DB }

var ErrTaken = errors.New("taken")

// bug: EXISTS, then insert.
func (s *Store) ExistsInsert(ctx context.Context, ref string) error {
	exists, err := s.db.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
	if err != nil {
		return err
	}
	if exists {
		return ErrTaken
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx) // want `transfers is looked up by reference`
	return err
}

// bug: no rows, then insert.
func (s *Store) NoRowsInsert(ctx context.Context, ref string, amount int64) (*Transfer, error) {
	t := new(Transfer)
	err := s.db.NewSelect().Model(t).Where("t.reference = ?", ref).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		t = &Transfer{Reference: ref, Amount: amount}
		_, err = s.db.NewInsert().Model(t).Exec(ctx) // want `transfers is looked up by reference`
	}
	return t, err
}

// bug: a count of zero, in a transaction.
func (s *Store) CountInTransaction(ctx context.Context, ref string) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*Transfer)(nil)).Where("?TableAlias.reference = ?", ref).Count(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			_, err = tx.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx) // want `transfers is looked up by reference`
		}
		return err
	})
}

// bug: FOR UPDATE locks nothing when the row is absent.
func (s *Store) LockAbsent(ctx context.Context, ref string) error {
	return s.db.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		t := new(Transfer)
		err := tx.NewSelect().Model(t).Where("reference = ?", ref).For("UPDATE").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = tx.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx) // want `FOR UPDATE locks nothing`
		}
		return err
	})
}

// bug: the conflict target is another column than the one looked up.
func (s *Store) OtherTarget(ctx context.Context, ref string) error {
	exists, err := s.db.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
	if err != nil || exists {
		return err
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref}).On("CONFLICT (id) DO NOTHING").Exec(ctx) // want `ON CONFLICT \(id\) does not arbitrate over reference`
	return err
}

// bug: a raw look before the builder's insert.
func (s *Store) RawLook(ctx context.Context, ref string) error {
	var id int64
	err := s.db.NewRaw("SELECT id FROM transfers WHERE reference = ?", ref).Scan(ctx, &id)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx) // want `transfers is looked up by reference`
	return err
}

// fine: the insert decides.
func (s *Store) InsertFirst(ctx context.Context, ref string) (bool, error) {
	result, err := s.db.NewInsert().Model(&Transfer{Reference: ref}).On("CONFLICT (reference) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// fine: looked up for speed; ON CONFLICT arbitrates.
func (s *Store) LookThenUpsert(ctx context.Context, ref string, amount int64) error {
	exists, err := s.db.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
	if err != nil || exists {
		return err
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref, Amount: amount}).On("CONFLICT (reference) DO UPDATE").Set("amount = EXCLUDED.amount").Exec(ctx)
	return err
}

// fine: Ignore is INSERT IGNORE.
func (s *Store) Ignore(ctx context.Context, ref string) error {
	exists, err := s.db.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
	if err != nil || exists {
		return err
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref}).Ignore().Exec(ctx)
	return err
}

// fine: the account is checked and the transfer is written.
func (s *Store) OtherTable(ctx context.Context, account int64, ref string) error {
	exists, err := s.db.NewSelect().Model((*Account)(nil)).Where("id = ?", account).Exists(ctx)
	if err != nil {
		return err
	}
	if !exists {
		_, err = s.db.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx)
	}
	return err
}

// fine: only when it is there.
func (s *Store) OnlyWhenThere(ctx context.Context, ref string) error {
	exists, err := s.db.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
	if err != nil || !exists {
		return err
	}
	_, err = s.db.NewInsert().Model(&Transfer{Reference: ref + "-reversal"}).Exec(ctx)
	return err
}

// fine: a parent that is there is locked first.
func (s *Store) LockParent(ctx context.Context, account int64, ref string) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		a := new(Account)
		if err := tx.NewSelect().Model(a).Where("id = ?", account).For("UPDATE").Scan(ctx); err != nil {
			return err
		}
		exists, err := tx.NewSelect().Model((*Transfer)(nil)).Where("reference = ?", ref).Exists(ctx)
		if err != nil || exists {
			return err
		}
		_, err = tx.NewInsert().Model(&Transfer{Reference: ref}).Exec(ctx)
		return err
	})
}
