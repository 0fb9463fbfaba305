package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
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

// What the engine logs of a record is the name by which an admin finds it.
func TestRecordNameIsWhatAnAdminShows(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, w := open(t, pool), newWorking("0f8fad5b-d9cb-469f-a165-70867728950e", time.Hour, time.Hour)
	insertWorking(t, pool, w)
	found, err := admin(t, store).Find(context.Background(), pgstore.FindQuery{Ref: store.RecordName(w.id)})
	must(t, err)
	if len(found) != 1 || found[0].ID != w.id {
		t.Errorf("found %+v", found)
	}
}
