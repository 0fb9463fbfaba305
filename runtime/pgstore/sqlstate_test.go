package pgstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Only the server's own word that a statement failed says that a commit did not happen. Everything else leaves it unknown.
func TestRefused_A6(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&pgconn.PgError{SeverityUnlocalized: "ERROR", Code: "23514"}, true},
		{&pgconn.PgError{Severity: "ERROR", Code: "23514"}, true},                                // before PostgreSQL 9.6
		{&pgconn.PgError{SeverityUnlocalized: "ERROR", Severity: "FEHLER", Code: "23514"}, true}, // in another language
		{&pgconn.PgError{SeverityUnlocalized: "FATAL", Severity: "FATAL", Code: "57P01"}, false}, // a session that was ended
		{&pgconn.PgError{SeverityUnlocalized: "PANIC", Severity: "PANIC", Code: "XX000"}, false}, // a server that crashes
		{&pgconn.PgError{SeverityUnlocalized: "ERROR", Severity: "ERROR", Code: "08P01"}, false}, // a pooler that lost its server
		{errors.New("unexpected EOF"), false},
		{nil, false},
	} {
		err := test.err
		if err != nil {
			err = fmt.Errorf("commit: %w", err)
		}
		if got := pgstore.Refused(err); got != test.want {
			t.Errorf("%+v: %v", test.err, got)
		}
	}
}
