package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		main()
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a drill has much to tell
	os.Exit(m.Run())
}

func drillOn(t *testing.T, s *storage, network http.RoundTripper) (broken int, said string) {
	t.Helper()
	t.Cleanup(s.close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out bytes.Buffer
	d := &drill{client: http.DefaultClient, out: &out}
	if err := d.start(ctx, s, network); err != nil {
		t.Fatal(err)
	}
	return d.run(ctx), out.String()
}

func onPostgres(t *testing.T) *storage {
	t.Helper()
	s, err := openPostgres(t.Context(), pgtest.URL(t), "on a test database")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDrill_A2_A3_A5_C3_OnPostgreSQL(t *testing.T) {
	broken, said := drillOn(t, onPostgres(t), http.DefaultTransport)
	if broken > 0 || strings.Count(said, "kept") != 14 {
		t.Errorf("%d promises are broken, of 14:\n%s", broken, said)
	}
}

func TestDrill_A2_A3_A5_C3_InMemory(t *testing.T) {
	if broken, said := drillOn(t, openMemory(), http.DefaultTransport); broken > 0 {
		t.Errorf("%d promises are broken:\n%s", broken, said)
	}
}

// forgetful sends a key of its own with each attempt, as a client library does that knows nothing of the attempt before.
type forgetful struct{ http.RoundTripper }

func (f forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Method == http.MethodPost {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	return f.RoundTripper.RoundTrip(r)
}

// The drill finds a service that pays twice: otherwise it would prove nothing.
func TestDrill_A3_FindsKeysThatChange(t *testing.T) {
	broken, said := drillOn(t, openMemory(), forgetful{http.DefaultTransport})
	if strings.Count(said, "BROKEN  the bank paid once") != 2 || broken != 2 {
		t.Errorf("the drill found %d promises broken where each attempt has a key of its own:\n%s", broken, said)
	}
}
