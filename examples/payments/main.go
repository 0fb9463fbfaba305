package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "payments:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "localhost:8080", "where to listen")
	drillOnly := flag.Bool("drill", false, "start on a free port, drill the service, and stop")
	flag.Parse()
	if *drillOnly {
		*addr = "localhost:0"
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	storage, err := openStorage(ctx)
	if err != nil {
		return err
	}
	defer storage.close()
	handler, err := routes(storage.store, storage.ledger)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	fmt.Printf("The payments service runs %s.\nIt listens on %s\n", storage.where, base)

	// The engine reads a body whole before it takes anything else for a request; how long that may last is the server's to say.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	if *drillOnly {
		err = drilled(ctx, base, storage)
	} else {
		fmt.Print(tryIt(base))
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	}
	ending, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(ending))
}

// drilled runs the drill and says where the published page is.
func drilled(ctx context.Context, base string, storage *storage) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	d := &drill{base: base, client: http.DefaultClient, expire: storage.expire, out: os.Stdout}
	if broken := d.run(ctx); broken > 0 {
		return fmt.Errorf("%d promises are broken", broken)
	}
	fmt.Print("Every promise is kept.\n\n" +
		"What API users read:     examples/payments/docs/idempotency.html\n" +
		"What machines read:      examples/payments/docs/idempotency-policy.json\n" +
		"What the spec gains:     examples/payments/docs/idempotency.published.overlay.yaml\n" +
		"To try it by hand:       go run ./examples/payments\n")
	return nil
}

// tryIt is what a reader can paste into a shell.
func tryIt(base string) string {
	return fmt.Sprintf(`
Send this twice, then once more with another amount:

  curl -i %s/payments \
    -H 'Authorization: Bearer token-1' \
    -H 'Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324' \
    -H 'Content-Type: application/json' \
    --data '{"amount": 4200, "currency": "EUR"}'

`, base)
}
