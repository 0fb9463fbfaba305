package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// A5: what is not the receipt of a partner is no result. Stored as one, it would count as a transfer.
func TestAsk_A5_OnlyAReceiptIsAResult(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"an address that is not known": {http.StatusNotFound, ``},
		"a receipt of nothing":         {http.StatusOK, `{}`},
		"no receipt":                   {http.StatusOK, `null`},
		"another status":               {http.StatusAccepted, `{"id":"tr_1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer bank.Close()
			got, err := partner{bank.URL, bank.Client()}.ask(t.Context(), runtime.NewOutbound("transfer", bankKey), notice{})
			if err == nil {
				t.Errorf("it is a result: %+v", got)
			}
		})
	}
}

// A5: only a call of which nothing was sent is said to have had no effect.
func TestAsk_A5_SaysWhatHadNoEffect(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var listener net.Listener
	var asked atomic.Int64
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			_, _ = w.Write([]byte(`{"id":"tr_1"}`))
			return
		}
		// It has paid, and goes down before it answers. Go's client finds its connection lost, and sends a request that has an
		// Idempotency-Key again by itself: now there is nobody who takes the connection.
		_ = listener.Close()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}))
	defer bank.Close()
	listener = bank.Listener
	p := partner{bank.URL, bank.Client()}
	ask := func() error {
		_, err := p.ask(ctx, runtime.NewOutbound("transfer", bankKey), notice{})
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if err := ask(); err == nil || asked.Load() != 2 || noEffect(err) {
		t.Errorf("a call that was taken (%d times), and whose second try was not: %v", asked.Load(), err)
	}
	if err := ask(); !noEffect(err) {
		t.Errorf("a call that nobody has taken: %v", err)
	}
}

func noEffect(err error) bool {
	return err != nil && fmt.Sprintf("%T", err) == fmt.Sprintf("%T", runtime.NoEffect(err))
}
