// Package sqlx has what programs do with sqlx, with what is found in it.
package sqlx

import (
	"context"

	"github.com/jmoiron/sqlx"
)

type account struct {
	ID    int    `db:"id"`
	Email string `db:"email"`
}

func plain(ctx context.Context, db *sqlx.DB, row account) {
	db.GetContext(ctx, &row, db.Rebind("SELECT * FROM accounts WHERE email = ?"), "x")                   // want "read accounts by email over pool"
	db.Get(&row, "SELECT * FROM accounts WHERE email = $1", "x")                                         // want "read accounts by email over pool"
	db.Select(&row, "SELECT * FROM accounts WHERE email = $1", "x")                                      // want "read accounts by email over pool"
	db.NamedExec("INSERT INTO accounts (id, email) VALUES (:id, :email)", row)                           // want "insert accounts over pool"
	db.NamedExecContext(ctx, "INSERT INTO accounts (email) VALUES (:email) ON CONFLICT DO NOTHING", row) // want "insert accounts on-conflict over pool"
	db.MustExec("DELETE FROM accounts WHERE id = 1")                                                     // want "delete accounts by id over pool"
	db.ExecContext(ctx, "UPDATE accounts SET email = $1 WHERE id = $2", "x", 1)                          // want "update accounts by id over pool"
	db.QueryRowxContext(ctx, "SELECT 1 FROM accounts WHERE id = $1", 1)                                  // want "read accounts by id over pool"
	sqlx.GetContext(ctx, db, &row, "SELECT * FROM accounts WHERE id = $1", 1)                            // want "read accounts by id over pool"
}

func transaction(ctx context.Context, db *sqlx.DB) error {
	tx, err := db.BeginTxx(ctx, nil) // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x")    // want "insert accounts over tx 1"
	tx.NamedExec("INSERT INTO accounts (email) VALUES (:email)", account{}) // want "insert accounts over tx 1"
	save(ctx, tx)                                                           // want "insert accounts over tx 1 via save"
	save(ctx, db)                                                           // want "insert accounts over pool via save"
	return tx.Commit()
}

func save(ctx context.Context, db sqlx.ExtContext) {
	sqlx.NamedExecContext(ctx, db, "INSERT INTO accounts (email) VALUES (:email)", account{}) // want "insert accounts over param 1"
}
