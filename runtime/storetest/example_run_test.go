package storetest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// A store's own tests run the suite like this. TX is what the store gives to handlers: the suite needs to know only how
// to make an effect with it, and how to count those that were committed.
func ExampleRun() {
	testMyStore := func(t *testing.T) {
		storetest.Run(t, storetest.Suite[pgx.Tx]{Open: func(*testing.T) storetest.Instance[pgx.Tx] {
			store := memstore.New() // a fresh, empty one for each subtest
			var effects atomic.Int64
			return storetest.Instance[pgx.Tx]{
				Store: store,
				Other: store, // a second connection to the same data, as another process has it
				Effect: func(_ context.Context, tx pgx.Tx, name string) error {
					return memstore.OnCommit(tx, func() { effects.Add(1) })
				},
				Effects: func(*testing.T, string) int { return int(effects.Load()) },
			}
		}})
	}
	_ = testMyStore // go test calls it as TestMyStore
}
