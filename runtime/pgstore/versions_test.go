package pgstore_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

// The whole package is run on the server that IDEMGEN_POSTGRES_BIN names; `make test-postgres` does so for each of a list
// and says here which major version it means, so that a list of five folders is not one server five times.
func TestVersion_IsTheOneAskedFor(t *testing.T) {
	var text string
	must(t, pgtest.Pool(t, nil).QueryRow(context.Background(), "SHOW server_version").Scan(&text))
	t.Logf("PostgreSQL %s", text)
	major, err := strconv.Atoi(strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })[0])
	must(t, err)
	if major < 14 {
		t.Errorf("PostgreSQL %s is older than what the package is tested on, 14", text)
	}
	if want := os.Getenv("IDEMGEN_POSTGRES_MAJOR"); want != "" && want != strconv.Itoa(major) {
		t.Errorf("PostgreSQL %s, and %s was asked for", text, want)
	}
}
