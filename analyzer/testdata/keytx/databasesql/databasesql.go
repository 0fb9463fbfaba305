// Package databasesql has cases over database/sql.
package databasesql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
)

type shop struct{ db *sql.DB }

type payment struct {
	id     string
	amount int64
}

// bug: the key is saved after the commit, so a crash between the two runs the work again
func (s *shop) savedAfterCommit(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key, payment_id) VALUES ($1, $2)`, key, p.id) // want `idempotency_keys is written after the commit that keeps payments`
	return err
}

// bug: saved after the commit, and a failure is only logged
func (s *shop) savedAfterCommitLogged(ctx context.Context, key string, p payment) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key, payment_id) VALUES ($1, $2)`, key, p.id); err != nil { // want `idempotency_keys is written after the commit that keeps payments, and its error does not leave the function`
		log.Println("cannot save the key", err)
	}
	return nil
}

// bug: the key goes through the pool in the middle of the transaction
func (s *shop) poolBesideTx(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key, payment_id) VALUES ($1, $2)`, key, p.id); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

// bug: the claim is in the transaction, the payment is not
func (s *shop) businessOverPool(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil { // want `payments is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_keys`
		return err
	}
	return tx.Commit()
}

// bug: three statements and no transaction
func (s *shop) noTransaction(ctx context.Context, key string, p payment) error {
	var seen string
	err := s.db.QueryRowContext(ctx, `SELECT key FROM idempotency_keys WHERE key = $1`, key).Scan(&seen)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key, payment_id) VALUES ($1, $2)`, key, p.id) // want `idempotency_keys and payments are written without a transaction`
	return err
}

// bug: the message is marked first and the work may fail afterwards
func (s *shop) markedFirst(ctx context.Context, messageID string, p payment) error {
	res, err := s.db.ExecContext(ctx, `INSERT INTO processed_messages (message_id) VALUES ($1) ON CONFLICT DO NOTHING`, messageID) // want `processed_messages and payments are written without a transaction`
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount)
	return err
}

// bug: the claim is committed on its own, and nothing takes it back when the transaction fails
func (s *shop) claimSurvives(ctx context.Context, key string, p payment) error {
	res, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1) ON CONFLICT (key) DO NOTHING`, key) // want `the claim in idempotency_keys is kept before the transaction that writes payments begins`
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	return tx.Commit()
}

// bug: two transactions, one for each half
func (s *shop) twoTransactions(ctx context.Context, key string, p payment) error {
	work, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer work.Rollback()
	if _, err := work.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if err := work.Commit(); err != nil {
		return err
	}
	keys, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer keys.Rollback()
	if _, err := keys.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil { // want `idempotency_keys is written after the commit that keeps payments`
		return err
	}
	return keys.Commit()
}

// bug: two transactions at the same time
func (s *shop) interleaved(ctx context.Context, key string, p payment) error {
	work, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer work.Rollback()
	keys, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer keys.Rollback()
	if _, err := work.ExecContext(ctx, `UPDATE balances SET amount = amount - $1 WHERE id = $2`, p.amount, p.id); err != nil {
		return err
	}
	if _, err := keys.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil { // want `idempotency_keys is written in another transaction, beside the transaction of line \d+ that writes balances`
		return err
	}
	if err := keys.Commit(); err != nil {
		return err
	}
	return work.Commit()
}

// bug: a helper without tx among helpers that get it
func (s *shop) helperWithoutTx(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if err := s.saveKey(ctx, key); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

func insertPayment(ctx context.Context, tx *sql.Tx, p payment) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount)
	return err
}

func (s *shop) saveKey(ctx context.Context, key string) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	return err
}

// bug: the caller commits inside a helper and saves the key afterwards
func (s *shop) helperCommits(ctx context.Context, key string, p payment) error {
	if err := s.pay(ctx, p); err != nil {
		return err
	}
	return s.saveKey(ctx, key) // want `idempotency_keys is written after the commit that keeps payments`
}

func (s *shop) pay(ctx context.Context, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	return tx.Commit()
}

// bug: the transaction is there, and neither statement uses it
func (s *shop) transactionUnused(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := s.db.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil { // want `idempotency_keys and payments are written without a transaction`
		return err
	}
	return tx.Commit()
}

// bug: the balance is changed after the commit, and a replay does not do it again
func (s *shop) writeAfterCommit(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE balances SET amount = amount - $1`, p.amount) // want `balances is written after the commit that keeps the key in idempotency_keys`
	return err
}

// bug: the key record is an update after the commit, with no claim before
func (s *shop) answerAfterCommit(ctx context.Context, key, answer string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key, answer) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET answer = excluded.answer`, key, answer) // want `idempotency_keys is written after the commit that keeps payments`
	return err
}

// fine: both in one transaction
func (s *shop) together(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: both through helpers that get tx
func (s *shop) togetherThroughHelpers(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := saveKeyIn(ctx, tx, key); err != nil {
		return err
	}
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	return tx.Commit()
}

func saveKeyIn(ctx context.Context, tx *sql.Tx, key string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	return err
}

// fine: a quick look on the pool before the transaction
func (s *shop) quickLook(ctx context.Context, key string, p payment) error {
	var id string
	if err := s.db.QueryRowContext(ctx, `SELECT payment_id FROM idempotency_keys WHERE key = $1`, key).Scan(&id); err == nil {
		return nil
	}
	return s.together(ctx, key, p)
}

// fine: an audit line on another connection
func (s *shop) audited(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := saveKeyIn(ctx, tx, key); err != nil {
		return err
	}
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO audit_log (what) VALUES ($1)`, fmt.Sprint("payment ", p.id)); err != nil {
		log.Println(err)
	}
	return tx.Commit()
}

// fine: old keys are purged after the commit
func (s *shop) purged(ctx context.Context, key string, p payment) error {
	if err := s.together(ctx, key, p); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'`)
	return err
}

// fine: only the store of keys itself, nothing of the business
func (s *shop) storeOnly(ctx context.Context, key, answer string) error {
	if _, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE idempotency_keys SET answer = $2 WHERE key = $1`, key, answer)
	return err
}

// fine: key and payment are one statement
func (s *shop) oneStatement(ctx context.Context, key string, p payment) error {
	_, err := s.db.ExecContext(ctx, `
		WITH claimed AS (INSERT INTO idempotency_keys (key) VALUES ($1) RETURNING key)
		INSERT INTO payments (id, amount) SELECT $2, $3 FROM claimed`, key, p.id, p.amount)
	return err
}

// fine: the key is a column of the payment
func (s *shop) keyInRow(ctx context.Context, key string, p payment) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO payments (id, amount, idempotency_key) VALUES ($1, $2, $3) ON CONFLICT (idempotency_key) DO NOTHING`, p.id, p.amount, key)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE statistics SET payments = payments + 1`)
	return err
}

// fine: after a failure the payment is marked on the pool, which is where it must be
func (s *shop) failureNoted(ctx context.Context, key string, p payment) error {
	if err := s.together(ctx, key, p); err != nil {
		_, _ = s.db.ExecContext(ctx, `UPDATE orders SET state = 'failed' WHERE id = $1`, p.id)
		return err
	}
	return nil
}

// fine: a transaction of the standard library with savepoints in SQL
func (s *shop) savepoint(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := saveKeyIn(ctx, tx, key); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SAVEPOINT work`); err != nil {
		return err
	}
	if err := insertPayment(ctx, tx, p); err != nil {
		if _, err := tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT work`); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// fine: a prepared statement is taken into the transaction
func (s *shop) prepared(ctx context.Context, saveKey *sql.Stmt, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.StmtContext(ctx, saveKey).ExecContext(ctx, key); err != nil {
		return err
	}
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: the table's name is put together at run time
func (s *shop) dynamicTable(ctx context.Context, table, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %s (key) VALUES ($1)`, table), key); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: two ways that never run together
func (s *shop) eitherOr(ctx context.Context, key string, replay bool, p payment) error {
	if replay {
		_, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
		return err
	}
	return s.pay(ctx, p)
}

// fine: a runner that is the transaction or the pool, and gets both statements
func (s *shop) runner(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	r := &queries{db: tx}
	if err := r.saveKey(ctx, key); err != nil {
		return err
	}
	if err := r.insertPayment(ctx, p); err != nil {
		return err
	}
	return tx.Commit()
}

// bug: the queries of the payment are bound to tx, those of the key to the pool
func (s *shop) boundToPool(ctx context.Context, key string, p payment) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	inTx, beside := newQueries(tx), newQueries(s.db)
	if err := inTx.insertPayment(ctx, p); err != nil {
		return err
	}
	if err := beside.saveKey(ctx, key); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

type dbtx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type queries struct{ db dbtx }

func newQueries(db dbtx) *queries { return &queries{db: db} }

func (q *queries) saveKey(ctx context.Context, key string) error {
	_, err := q.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	return err
}

func (q *queries) insertPayment(ctx context.Context, p payment) error {
	_, err := q.db.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.id, p.amount)
	return err
}
