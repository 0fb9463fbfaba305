package runtime_test

import (
	"bytes"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Answers may be sensitive: a sealed store keeps their bodies encrypted. Where not even that is wanted, a policy says
// `store: {body: false}`.
func ExampleSealed() {
	sealer, err := runtime.NewAESGCM("2026-11", map[string][]byte{
		"2026-11": bytes.Repeat([]byte{7}, 32), // from a secret store
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
	fmt.Println(engine != nil, err)
	// Output: true <nil>
}
