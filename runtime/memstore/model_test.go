package memstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/modeltest"
)

func TestStore_I1_I6_I7_IsAsTheModelSays(t *testing.T) {
	modeltest.Check(t, func(*testing.T) storetest.Instance[pgx.Tx] {
		c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		e := &effects{count: map[string]int{}}
		s := memstore.New(memstore.WithClock(c.Now))
		return storetest.Instance[pgx.Tx]{Store: s, Other: s, Effect: e.stage, Effects: e.of, Advance: c.Advance}
	})
}
