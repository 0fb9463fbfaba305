package runtime_test

import (
	"bytes"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Answers may be sensitive, and so may requests, which lease mode stores: a sealed store keeps them encrypted. To change
// keys, add one and name it current; the old one goes when what it has sealed has expired. Where not even that is wanted,
// a policy says `store: {body: false}`.
func ExampleSealed() {
	sealer, err := runtime.NewAESGCM("2026-11", map[string][]byte{
		"2026-11": bytes.Repeat([]byte{7}, 32), // from a secret store
		"2026-08": bytes.Repeat([]byte{6}, 32), // only opens
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := runtime.Sealed[pgx.Tx](memstore.New(), sealer)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := runtime.New(store, accountOf)
	_, keepsLeases := store.(runtime.LeaseStore[pgx.Tx])
	fmt.Println(engine != nil, keepsLeases, err)
	// Output: true true <nil>
}
