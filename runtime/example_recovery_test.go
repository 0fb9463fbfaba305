package runtime_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A bank's answer is lost. Nobody knows whether the money was moved, so the work stays in progress until recovery has asked.
// A service calls Run in a goroutine, with a context that ends when the service does.
func ExampleRecovery() {
	now := time.Now()
	store := memstore.New(memstore.WithClock(func() time.Time { return now }))
	engine, err := runtime.New[pgx.Tx](store, accountOf, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := false
	handler := engine.LeaseHandler(&createPayout, transfers{}.program(&answers))
	recovery, err := engine.NewRecovery()
	if err != nil {
		fmt.Println(err)
		return
	}

	post(handler, "k1", `{}`)
	now = now.Add(time.Minute)
	report, err := recovery.Once(context.Background())
	fmt.Printf("taken %d, completed %d, %v\n", report.Taken, report.Completed, err)
	post(handler, "k1", `{}`)
	// Output:
	// reserved
	// transferred
	// 503 The outcome of the request is not known yet replayed=false
	// booked
	// taken 1, completed 1, <nil>
	// 201 reservation 1, transfer 1 replayed=true
}
