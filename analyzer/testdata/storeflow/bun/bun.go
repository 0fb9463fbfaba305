// Package bun shows what bun's calls do to stores.
package bun

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// Payment says where its rows are.
type Payment struct {
	bun.BaseModel `bun:"table:payments,alias:p"`

	ID        int64  `bun:"id,pk,autoincrement"`
	Reference string `bun:"ref"`
	Amount    int64
}

// RefundEntry leaves it to the naming strategy.
type RefundEntry struct {
	ID  int64 `bun:",pk"`
	Ref string
}

type Store struct{ db *bun.DB }

func (s *Store) reads(ctx context.Context, ref string, id int64) {
	p := new(Payment)
	s.db.NewSelect().Model(p).Where("ref = ?", ref).Scan(ctx)                                     // want `^read payments by ref over pool$`
	s.db.NewSelect().Model((*Payment)(nil)).Where("p.ref = ?", ref).Exists(ctx)                   // want `^read payments by ref over pool, always$`
	s.db.NewSelect().Model((*Payment)(nil)).Where("?TableAlias.ref = ?", ref).Count(ctx)          // want `^read payments by ref over pool, always$`
	s.db.NewSelect().Model(&RefundEntry{ID: id}).WherePK().Scan(ctx)                              // want `^read refund_entries by id over pool$`
	s.db.NewSelect().Table("accounts").Where("id = ?", id).For("UPDATE SKIP LOCKED").Scan(ctx, p) // want `^read accounts by id over pool, for-update skip-locked$`
	s.db.NewSelect().Model(p).Where("ref = ?", ref).WhereOr("amount = ?", 1).Scan(ctx)            // want `^read payments over pool$`
	s.db.NewRaw("SELECT id FROM payments WHERE ref = ?", ref).Scan(ctx, p)                        // want `^read payments by ref over pool$`
	query := s.db.NewSelect().Model(p)
	query.Where("ref = ?", ref)
	query.Scan(ctx) // want `^read payments by ref over pool$|^read payments over pool, partial$`
}

func (s *Store) writes(ctx context.Context, ref string, row *Payment) {
	s.db.NewInsert().Model(&Payment{Reference: ref}).Exec(ctx)                                           // want `^insert payments \(ref\) over pool$`
	s.db.NewInsert().Model(row).On("CONFLICT (ref) DO NOTHING").Exec(ctx)                                // want `^insert payments over pool, on-conflict target ref$`
	s.db.NewInsert().Model(row).On("CONFLICT (ref) DO UPDATE").Set("amount = EXCLUDED.amount").Exec(ctx) // want `^insert payments over pool, on-conflict upsert target ref$`
	s.db.NewInsert().Model(row).Ignore().Exec(ctx)                                                       // want `^insert payments over pool, on-conflict$`
	s.db.NewUpdate().Model(row).Where("ref = ?", ref).Exec(ctx)                                          // want `^update payments by ref over pool$`
	s.db.NewDelete().Model(row).WherePK().Exec(ctx)                                                      // want `^delete payments by id over pool$`
	s.db.ExecContext(ctx, "INSERT INTO payments (ref) VALUES (?)", ref)                                  // want `^insert payments \(ref\) over pool$`
}

func (s *Store) won(ctx context.Context, row *Payment) (bool, error) {
	result, err := s.db.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx) // want `^insert payments over pool, on-conflict result-read$`
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

func (s *Store) inTransaction(ctx context.Context, ref string) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tx.NewSelect().Model((*Payment)(nil)).Where("ref = ?", ref).Exists(ctx)       // want `^read payments by ref over tx, always$`
		s.db.NewSelect().Model((*Payment)(nil)).Where("ref = ?", ref).Exists(ctx)     // want `^read payments by ref over pool, always$`
		_, err := s.db.NewInsert().Conn(tx).Model(&Payment{Reference: ref}).Exec(ctx) // want `^insert payments \(ref\) over tx$`
		return err
	})
}

func (s *Store) begun(ctx context.Context, ref string) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.NewInsert().Model(&Payment{Reference: ref}).Exec(ctx) // want `^insert payments \(ref\) over tx, serializable$`
	return tx.Commit()
}

func given(ctx context.Context, db bun.IDB, ref string) error {
	_, err := db.NewInsert().Model(&Payment{Reference: ref}).Exec(ctx) // want `^insert payments \(ref\) over param 1$`
	return err
}
