package otelidem_test

import (
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/otelidem"
)

// An engine tells OpenTelemetry, and the log beside it.
func ExampleNew() {
	telemetry, err := otelidem.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	account := func(r *http.Request) (string, error) { return r.Header.Get("Account"), nil }
	engine, err := runtime.New[pgx.Tx](memstore.New(), account,
		runtime.WithObserver(runtime.Observers(telemetry, runtime.LogObserver(nil))))
	fmt.Println(engine != nil, err)
	// Output: true <nil>
}
