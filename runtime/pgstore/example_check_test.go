package pgstore_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A service that was deployed before its migration does not start.
func ExampleStore_Check() {
	start := func(ctx context.Context, store *pgstore.Store) error {
		err := store.Check(ctx)
		var schema *pgstore.SchemaError
		if errors.As(err, &schema) {
			return err // pgstore: the table idempotency_keys is not in the database "shop" ...: apply schema step 1, ...
		}
		if err != nil {
			fmt.Println(err) // the database is away: requests get 503 until it is back
		}
		return nil
	}
	_ = start
}
