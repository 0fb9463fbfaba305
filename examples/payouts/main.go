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
		fmt.Fprintln(os.Stderr, "payouts:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "localhost:8081", "where to listen")
	partners := flag.String("partners", "", "address of the bank and the mailer, such as http://localhost:9000; empty has the service start its own")
	drillOnly := flag.Bool("drill", false, "drill the service and stop")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	storage, err := openStorage(ctx)
	if err != nil {
		return err
	}
	defer storage.close()
	fmt.Printf("The payouts service runs %s.\n", storage.where)
	if *drillOnly {
		return drilled(ctx, storage)
	}
	if *partners == "" {
		url, _, err := startPartners(ctx)
		if err != nil {
			return err
		}
		*partners = url
	}
	return listen(ctx, storage, *addr, *partners)
}

// callTimeout bounds a call to a partner. Without it one that hangs would hold its work until the engine's work limit.
const callTimeout = 30 * time.Second

// listen serves until ctx ends, and has recovery and the purger beside it all the while.
func listen(ctx context.Context, storage *storage, addr, partners string) error {
	handler, recovery, err := serve(storage.store, newService(storage.ledger, partners, &http.Client{Timeout: callTimeout}))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	fmt.Printf("It listens on %s\n%s", base, tryIt(base))

	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	finished := beside(ctx, recovery, storage.purger)

	select {
	case <-ctx.Done():
	case err = <-failed:
		cancel()
	}
	ending, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	err = errors.Join(err, server.Shutdown(ending))
	<-finished // before the pool is closed
	return err
}

func newService(l ledger, partners string, client *http.Client) service {
	return service{ledger: l, bank: partner{partners + "/transfers", client}, mailer: partner{partners + "/notices", client}}
}

// fakes are the partners of a service that has none of its own.
type fakes struct{ bank, mailer fake }

// startPartners serves a bank and a mailer until ctx ends.
func startPartners(ctx context.Context) (url string, f *fakes, err error) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return "", nil, err
	}
	f, mux := &fakes{}, http.NewServeMux()
	f.bank.handle(mux, "/transfers")
	f.mailer.handle(mux, "/notices")
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + listener.Addr().String(), f, nil
}

// tryIt is what a reader can paste into a shell.
func tryIt(base string) string {
	return fmt.Sprintf(`
Send this twice, then once more with another amount:

  curl -i %s/payouts \
    -H 'Authorization: Bearer token-1' \
    -H 'Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324' \
    -H 'Content-Type: application/json' \
    --data '{"to": "IE00-1234", "amount": 4200}'

`, base)
}
