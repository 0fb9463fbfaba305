package pgstore_test

import (
	"flag"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/modeltest"
)

// The database's clock cannot be moved, so time passes by moving what is stored the other way.
func TestStore_I1_I6_I7_IsAsTheModelSays(t *testing.T) {
	// A row that is locked is an expired one, which a claim that has not ended replaces.
	const pass = `WITH free AS (SELECT scope, key FROM idempotency_keys FOR UPDATE SKIP LOCKED)
UPDATE idempotency_keys k SET lease_until = lease_until - $1::interval, created_at = created_at - $1::interval, expires_at = expires_at - $1::interval
FROM free WHERE k.scope = free.scope AND k.key = free.key`
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() == checks.DefValue { // each check is some 30 transactions, and some wait
		_ = flag.Set("rapid.checks", "4")
		t.Cleanup(func() { _ = flag.Set("rapid.checks", checks.DefValue) })
	}
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		modeltest.Check(t, func(t *testing.T) storetest.Instance[pgx.Tx] {
			// A sequence holds some transactions open; with fewer connections than that it waits for itself.
			room := func(c *pgxpool.Config) { c.MaxConns = 16 }
			instance := suite(t, url, room, v.options()...).Open(t)
			instance.Advance = func(d time.Duration) { execSQL(t, pool, pass, d) }
			return instance
		})
	})
}
