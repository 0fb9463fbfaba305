package pgstore

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// The SQLSTATEs that decide something here: PostgreSQL documentation, appendix A.
const (
	uniqueViolation      = "23505"
	noSuchStatement      = "26000" // a pooler gave us a server connection that does not know a statement we prepared
	planChanged          = "0A000" // "cached plan must not change result type", after a migration
	undefinedTable       = "42P01"
	undefinedColumn      = "42703"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006"
	inFailedTransaction  = "25P02" // what every statement gets after the one that failed
	lockNotAvailable     = "55P03"
	invalidText          = "22P02"
	queryCanceled        = "57014" // statement_timeout, or somebody's pg_cancel_backend
)

// sqlstate returns the SQLSTATE in err, or "".
func sqlstate(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

func retryable(err error) bool {
	code := sqlstate(err)
	return code == serializationFailure || code == deadlockDetected
}

func violation(err error) (constraint string, ok bool) {
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == uniqueViolation && server.ConstraintName != "" {
		return server.ConstraintName, true
	}
	return "", false
}

// refused reports whether err is the server's own word that a statement failed, which leaves no doubt about what it did.
// FATAL and PANIC end the session and may come after a commit that took place; class 08 is a pooler's word that it has
// lost the server.
func refused(err error) bool {
	var server *pgconn.PgError
	if !errors.As(err, &server) || strings.HasPrefix(server.Code, "08") {
		return false
	}
	severity := server.SeverityUnlocalized // since PostgreSQL 9.6
	if severity == "" {
		severity = server.Severity
	}
	return severity == "ERROR"
}
