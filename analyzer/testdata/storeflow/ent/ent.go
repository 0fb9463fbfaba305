// Package ent shows what code that ent generates does to stores.
package ent

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"example.com/idemvet/existsinsert/ent/ent"
	"example.com/idemvet/existsinsert/ent/ent/payment"
)

type Store struct{ client *ent.Client }

func (s *Store) reads(ctx context.Context, ref string, account, id int) {
	s.client.Payment.Query().Where(payment.ReferenceEQ(ref)).Only(ctx)                                     // want `^read payments by ref over receiver client$`
	s.client.Payment.Query().Where(payment.Reference(ref), payment.AccountIDEQ(account)).Exist(ctx)        // want `^read payments by ref,account_id over receiver client, always$`
	s.client.Payment.Query().Where(payment.And(payment.Reference(ref), payment.AmountGT(1))).All(ctx)      // want `^read payments by ref over receiver client$`
	s.client.Payment.Query().Where(payment.Or(payment.Reference(ref), payment.ID(id))).First(ctx)          // want `^read payments over receiver client$`
	s.client.Payment.Query().Where(payment.ReferenceNEQ(ref)).Count(ctx)                                   // want `^read payments over receiver client, always$`
	s.client.Payment.Get(ctx, id)                                                                          // want `^read payments by id over receiver client$`
	s.client.Payment.Query().Where(payment.ID(id)).ForUpdate(sql.WithLockAction(sql.SkipLocked)).Only(ctx) // want `^read payments by id over receiver client, for-update skip-locked$`
	query := s.client.Payment.Query().Where(payment.Reference(ref))
	if account > 0 {
		query = query.Where(payment.AccountIDEQ(account))
	}
	query.Only(ctx) // want `^read payments by ref over receiver client, partial$`
}

func (s *Store) writes(ctx context.Context, ref string) error {
	s.client.Payment.Create().SetReference(ref).SetAmount(1).Save(ctx)                                          // want `^insert payments \(ref,amount\) over receiver client$`
	s.client.Payment.CreateBulk(s.client.Payment.Create().SetReference(ref)).Save(ctx)                          // want `^insert payments \(ref\) over receiver client$`
	s.client.Payment.Create().SetReference(ref).OnConflictColumns(payment.FieldReference).DoNothing().Exec(ctx) // want `^insert payments \(ref\) over receiver client, on-conflict target ref$`
	s.client.Payment.Update().Where(payment.Reference(ref)).SetAmount(1).Save(ctx)                              // want `^update payments by ref over receiver client$`
	s.client.Payment.UpdateOneID(1).SetAmount(1).Save(ctx)                                                      // want `^update payments by id over receiver client$`
	s.client.Payment.Delete().Where(payment.Reference(ref)).Exec(ctx)                                           // want `^delete payments by ref over receiver client$`
	create := s.client.Payment.Create()
	create.SetReference(ref)
	create.ExecX(ctx)                                                                                                                                                  // want `^insert payments \(ref\) over receiver client$`
	return s.client.Payment.Create().SetReference(ref).OnConflict(sql.ConflictColumns(payment.FieldReference), sql.ResolveWithNewValues()).UpdateNewValues().Exec(ctx) // want `^insert payments \(ref\) over receiver client, on-conflict result-read upsert target ref$`
}

func (s *Store) begun(ctx context.Context, ref string) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	tx.Payment.Query().Where(payment.Reference(ref)).Exist(ctx) // want `^read payments by ref over tx, always$`
	tx.Client().Payment.Create().SetReference(ref).Save(ctx)    // want `^insert payments \(ref\) over tx$`
	s.client.Payment.Create().SetReference(ref).Save(ctx)       // want `^insert payments \(ref\) over receiver client$`
	return tx.Commit()
}

func given(ctx context.Context, client *ent.Client, ref string) {
	client.Payment.Create().SetReference(ref).Save(ctx) // want `^insert payments \(ref\) over param 1$`
}
