// Package databasesql has what programs do with database/sql, with what is found in it.
package databasesql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

const findAccount = `SELECT id, email FROM accounts WHERE email = $1`

var insertAccount = "INSERT INTO accounts (id, email) VALUES ($1, $2)"

func plain(ctx context.Context, db *sql.DB, email string) error {
	row := db.QueryRowContext(ctx, findAccount, email) // want "read accounts by email over pool"
	var id string
	if err := row.Scan(&id, &email); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err := db.ExecContext(ctx, insertAccount, id, email) // want "insert accounts over pool"
	return err
}

func without(db *sql.DB) {
	db.Exec("DELETE FROM accounts WHERE id = ?", 1)                   // want "delete accounts by id over pool"
	db.Query("SELECT 1 FROM accounts WHERE id = ?", 1)                // want "read accounts by id over pool"
	db.QueryRow("SELECT COUNT(*) FROM accounts WHERE email = ?", "x") // want "read accounts by email always over pool"
	db.Exec("UPDATE accounts SET email = ? WHERE id = ?", "x", 1)     // want "update accounts by id over pool"
}

func joined(db *sql.DB, schema string, active bool) {
	db.Exec("INSERT INTO "+schema+".accounts (email) VALUES (?)", "x")               // want "insert accounts over pool"
	db.Exec(fmt.Sprintf("UPDATE %s.accounts SET email = ? WHERE id = ?", schema), 1) // want "update accounts by id over pool"
	query := "SELECT id FROM accounts WHERE email = ?"
	if active {
		query += " AND active = true"
	}
	db.Query(query, "x")                                                            // want "read accounts by email partial over pool"
	db.Exec(strings.Join([]string{"DELETE FROM accounts", "WHERE id = ?"}, " "), 1) // want "delete accounts by id over pool"
	var built strings.Builder
	built.WriteString("SELECT id FROM accounts ")
	built.WriteString("WHERE id = ?")
	db.Query(built.String(), 1) // want "read accounts by id over pool"
}

func unknownTable(db *sql.DB, table string) {
	db.Exec("INSERT INTO "+table+" (email) VALUES (?)", "x") // want "^insert partial over pool"
}

func upserts(ctx context.Context, db *sql.DB) (bool, error) {
	db.Exec("INSERT INTO accounts (email) VALUES ($1) ON CONFLICT (email) DO NOTHING", "x")                  // want "insert accounts on-conflict target email over pool"
	done, err := db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1) ON CONFLICT DO NOTHING", "x") // want "insert accounts on-conflict result-read over pool"
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	if n == 0 {
		return false, err
	}
	var id int
	err = db.QueryRow("INSERT INTO accounts (email) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id", "x").Scan(&id) // want "insert accounts on-conflict result-read over pool"
	return errors.Is(err, sql.ErrNoRows), err
}

func transaction(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil) // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, insertAccount, 1, "x"); err != nil { // want "insert accounts over tx 1"
		return err
	}
	db.ExecContext(ctx, "INSERT INTO keys (k) VALUES (?)", "k") // want "insert keys over pool"
	return tx.Commit()
}

func strict(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "transaction serializable committed 1"
	if err != nil {
		return err
	}
	tx.ExecContext(ctx, insertAccount, 1, "x") // want "insert accounts serializable over tx 1"
	return tx.Commit()
}

func preparing(ctx context.Context, db *sql.DB, tx *sql.Tx) error {
	statement, err := db.PrepareContext(ctx, insertAccount)
	if err != nil {
		return err
	}
	statement.ExecContext(ctx, 1, "x")                 // want "insert accounts over pool"
	tx.StmtContext(ctx, statement).ExecContext(ctx, 2) // want "insert accounts over tx 1"
	return nil
}

func oneOfTwo(db *sql.DB, other bool) {
	query := "SELECT id FROM accounts WHERE email = 'x'"
	if other {
		query = "DELETE FROM keys"
	}
	db.Query(query) // nobody can tell which
}

func textOf(other bool) string {
	if other {
		return "DELETE FROM keys"
	}
	return "SELECT id FROM accounts"
}

func twoTexts(db *sql.DB) {
	db.Query(textOf(true)) // nobody can tell which
}

func labelled(db *sql.DB) (sql.Result, string, error) {
	done, err := db.Exec("INSERT INTO accounts (email) VALUES ('x') ON CONFLICT DO NOTHING") // want "insert accounts on-conflict over pool"
	return done, "accounts", err
}

func readsLabel(db *sql.DB) bool {
	_, label, _ := labelled(db) // want "^insert accounts on-conflict over pool via labelled$"
	return label == "accounts"
}

func branchesOnLabel(db *sql.DB) int {
	_, label, _ := labelled(db) // want "^insert accounts on-conflict over pool via labelled$"
	if label == "accounts" {
		return 1
	}
	return 0
}
