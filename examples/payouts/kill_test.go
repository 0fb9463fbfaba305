package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

// serveEnv makes the test binary be the service, as a process that a test can kill.
const serveEnv = "PAYOUTS_TEST_SERVE"

// startProcess starts the service in a process of its own.
func startProcess(t *testing.T, database, partners string) (base string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-addr", "localhost:0", "-partners", partners)
	cmd.Env = append(os.Environ(), serveEnv+"=1", "DATABASE_URL="+database)
	cmd.Stderr = io.Discard // what a kill does to a service is no news
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, base, ok := strings.Cut(lines.Text(), "It listens on "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return base, kill
		}
	}
	t.Fatal("the service did not start")
	return "", nil
}

// A4 A5 I1 I8: the process is killed (SIGKILL) while a partner's answer is on its way, before and after the money has gone.
// Another process finishes the work once its lease is over, with one effect of each kind.
func TestKill_A4_A5_I1_I8(t *testing.T) {
	for name, partner := range map[string]func(*fakes) *fake{
		"in the transfer": func(f *fakes) *fake { return &f.bank },
		"in the notice":   func(f *fakes) *fake { return &f.mailer },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			database := pgtest.URL(t)
			url, fakes, err := startPartners(ctx)
			if err != nil {
				t.Fatal(err)
			}
			first, kill := startProcess(t, database, url)
			d := &drill{base: first, client: &http.Client{}, fakes: fakes, out: io.Discard}
			before := d.counts(ctx)
			inside := make(chan struct{})
			partner(fakes).next(func(http.ResponseWriter) {
				close(inside)
				<-ctx.Done()
			})
			key := newKey()
			go d.pay(ctx, key, order)
			select {
			case <-inside:
			case <-ctx.Done():
				t.Fatal("the service has not called")
			}
			kill()

			second, _ := startProcess(t, database, url)
			d = &drill{base: second, client: &http.Client{}, fakes: fakes, out: io.Discard}
			// While the lease of the dead process runs; on a slow machine it may be over by now.
			if early := d.pay(ctx, key, order); early.status != http.StatusCreated && (early.status != http.StatusConflict || early.retryAfter < 1 || early.retryAfter > 5) {
				t.Errorf("%d, Retry-After: %d", early.status, early.retryAfter)
			}
			if last := d.persist(ctx, key); last.status != http.StatusCreated {
				t.Errorf("%d %s", last.status, last.body)
			}
			want := counts{1, 1, before.balance - 4200}
			if got := d.counts(ctx); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
