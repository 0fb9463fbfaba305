package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

func TestDescribe_NamesWithoutValues(t *testing.T) {
	ctx := context.Background()
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	for sql, want := range map[string]string{
		"INSERT INTO payments (account, amount) VALUES ('s3cr3t', -5)": "[table=payments constraint=payments_amount_check]",
		"INSERT INTO payments (account, amount) VALUES (NULL, 5)":      "[table=payments column=account]",
		"SELECT 's3cr3t'::integer":                                     "[]",
		"INSERT INTO payments (account, amount) VALUES ('s3cr3t', '')": "[]",
	} {
		_, err := pool.Exec(ctx, sql)
		if err == nil {
			t.Errorf("%s: no error", sql)
		}
		if got := fmt.Sprint(store.Describe(fmt.Errorf("pay: %w", err))); got != want || strings.Contains(got, "s3cr3t") {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	if got := store.Describe(errors.New("no database")); got != nil {
		t.Errorf("%v", got)
	}
}
