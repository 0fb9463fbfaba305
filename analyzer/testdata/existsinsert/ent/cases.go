// Package ent looks and inserts through code that ent generates.
package ent

import (
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"example.com/idemvet/existsinsert/ent/ent"
	"example.com/idemvet/existsinsert/ent/ent/payment"
)

type Store struct{ client *ent.Client }

var ErrTaken = errors.New("taken")

// bug: Exist, then Save.
func (s *Store) ExistSave(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil {
		return err
	}
	if exists {
		return ErrTaken
	}
	_, err = s.client.Payment.Create().SetReference(ref).SetAmount(1).Save(ctx) // want `payments is looked up by ref`
	return err
}

// bug: IsNotFound, then Save.
func (s *Store) NotFoundSave(ctx context.Context, ref string) (*ent.Payment, error) {
	p, err := s.client.Payment.Query().Where(payment.Reference(ref)).Only(ctx)
	if ent.IsNotFound(err) {
		return s.client.Payment.Create().SetReference(ref).Save(ctx) // want `payments is looked up by ref`
	}
	return p, err
}

// bug: found means return, two columns.
func (s *Store) FoundReturns(ctx context.Context, ref string, account int) error {
	_, err := s.client.Payment.Query().Where(payment.And(payment.ReferenceEQ(ref), payment.AccountIDEQ(account))).First(ctx)
	if err == nil {
		return nil
	}
	if !ent.IsNotFound(err) {
		return err
	}
	return s.client.Payment.Create().SetReference(ref).SetAccountID(account).Exec(ctx) // want `payments is looked up by ref, account_id`
}

// bug: a transaction changes nothing.
func (s *Store) InTransaction(ctx context.Context, ref string) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := tx.Payment.Query().Where(payment.ReferenceEQ(ref)).Count(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		if err := tx.Payment.Create().SetReference(ref).Exec(ctx); err != nil { // want `payments is looked up by ref`
			return err
		}
	}
	return tx.Commit()
}

// bug: FOR UPDATE locks nothing when the row is absent.
func (s *Store) LockAbsent(ctx context.Context, tx *ent.Tx, ref string) error {
	_, err := tx.Payment.Query().Where(payment.ReferenceEQ(ref)).ForUpdate().Only(ctx)
	if ent.IsNotFound(err) {
		return tx.Payment.Create().SetReference(ref).Exec(ctx) // want `FOR UPDATE locks nothing`
	}
	return err
}

// bug: a bulk of one.
func (s *Store) Bulk(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	_, err = s.client.Payment.CreateBulk(s.client.Payment.Create().SetReference(ref)).Save(ctx) // want `payments is looked up by ref`
	return err
}

// fine: IsConstraintError tells the duplicate apart.
func (s *Store) ConstraintTold(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	err = s.client.Payment.Create().SetReference(ref).Exec(ctx)
	if ent.IsConstraintError(err) {
		return ErrTaken
	}
	return err
}

// fine: the upsert arbitrates.
func (s *Store) Upsert(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	return s.client.Payment.Create().SetReference(ref).OnConflictColumns(payment.FieldReference).DoNothing().Exec(ctx)
}

// fine: the same with the options of ON CONFLICT.
func (s *Store) UpsertOptions(ctx context.Context, ref string) (int, error) {
	return s.client.Payment.Create().SetReference(ref).OnConflict(sql.ConflictColumns(payment.FieldReference), sql.ResolveWithIgnore()).Ignore().ID(ctx)
}

// fine: not found is an error.
func (s *Store) MustExist(ctx context.Context, ref string) error {
	p, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Only(ctx)
	if err != nil {
		return err
	}
	return s.client.Payment.Create().SetReference(p.Reference + "-refund").Exec(ctx)
}

// fine: not found, then an update.
func (s *Store) UpdateInstead(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	_, err = s.client.Payment.Update().Where(payment.ReferenceEQ("spare")).SetAmount(1).Save(ctx)
	return err
}

// fine: nothing found is only told.
func (s *Store) Validate(ctx context.Context, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Exist(ctx)
	if err != nil {
		return err
	}
	if exists {
		return ErrTaken
	}
	return nil
}

// fine: a row of every try, looked up by something else.
func (s *Store) OtherColumn(ctx context.Context, account int, ref string) error {
	exists, err := s.client.Payment.Query().Where(payment.AccountIDEQ(account)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	return s.client.Payment.Create().SetReference(ref).Exec(ctx)
}
