// Package duplicates has the ways in which programs tell a duplicate apart from other errors.
package duplicates

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
)

const insert = "INSERT INTO accounts (email) VALUES ($1)"

func byCodeOfPq(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	if pqErr, ok := err.(*pq.Error); ok && pqErr.Code.Name() == "unique_violation" {
		return nil
	}
	return err
}

func byNumberOfMySQL(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	var mysqlErr *mysql.MySQLError
	if errors.As(err, &mysqlErr) && mysqlErr.Number == 1062 {
		return nil
	}
	return err
}

func bySwitch(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	switch pgErr.Code {
	case pgerrcode.ForeignKeyViolation:
		return err
	case pgerrcode.UniqueViolation:
		return nil
	}
	return err
}

func byClass(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgerrcode.IsIntegrityConstraintViolation(pgErr.Code) {
		return nil
	}
	return err
}

func byConstraint(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.ConstraintName == "accounts_email_key" {
		return nil
	}
	return err
}

func byInterface(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	var state interface{ SQLState() string }
	if errors.As(err, &state) && state.SQLState() == "23505" {
		return nil
	}
	return err
}

func byType(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == "23505" {
		return nil
	}
	return err
}

func byText(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "duplicate key") {
		return nil
	}
	return err
}

func ofScan(db *sql.DB) (id int, err error) {
	err = db.QueryRow(insert+" RETURNING id", "x").Scan(&id) // want "insert accounts duplicate-handled over pool"
	if isDuplicate(err) {
		return 0, nil
	}
	return id, err
}

func wrapped(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "insert accounts duplicate-handled over pool"
	if err != nil {
		err = fmt.Errorf("insert: %w", err)
	}
	if isDuplicate(err) {
		return nil
	}
	return err
}

func deferred(ctx context.Context, db *sql.DB) (err error) {
	defer func() {
		if isDuplicate(err) {
			err = nil
		}
	}()
	_, err = db.ExecContext(ctx, insert, "x") // want "insert accounts duplicate-handled over pool"
	return err
}

func isDuplicate(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505"
}

var errMissing = errors.New("missing")

func otherCode(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "^insert accounts over pool"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "40001" || errors.Is(err, errMissing) {
		return nil
	}
	return err
}

func ofAnother(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "^insert accounts over pool"
	if err != nil {
		return err
	}
	_, failed := db.Exec("INSERT INTO keys (k) VALUES ($1)", "k") // want "insert keys duplicate-handled over pool"
	if isDuplicate(failed) {
		return nil
	}
	return failed
}

var errNonexistent = errors.New("nonexistent")

func missing(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "^insert accounts over pool"
	if errors.Is(err, errNonexistent) {
		return nil
	}
	return err
}

func renamed(db *sql.DB) error {
	_, err := db.Exec("UPDATE accounts SET email = $1 WHERE id = $2", "x", 1) // want "^update accounts by id over pool"
	if isDuplicate(err) {
		return nil
	}
	return err
}

type DuplicateError struct{ Of string }

func (e *DuplicateError) Error() string { return e.Of }

func byTypeOfTheHouse(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "^insert accounts duplicate-handled over pool"
	var duplicate *DuplicateError
	if errors.As(err, &duplicate) {
		return nil
	}
	return err
}

type TimeoutError struct{}

func (TimeoutError) Error() string { return "timeout" }

func byOtherType(db *sql.DB) error {
	_, err := db.Exec(insert, "x") // want "^insert accounts over pool"
	var timeout TimeoutError
	if errors.As(err, &timeout) {
		return nil
	}
	return err
}
