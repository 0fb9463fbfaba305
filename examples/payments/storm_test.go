package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// serveEnv makes the test binary be the service, as a process that a test can kill.
const serveEnv = "PAYMENTS_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		main()
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // storms have much to tell
	os.Exit(m.Run())
}

// process is the service in a process of its own.
type process struct {
	t        *testing.T
	database string
	base     string
	cmd      *exec.Cmd
}

func startProcess(t *testing.T, database string) *process {
	t.Helper()
	p := &process{t: t, database: database, base: "http://localhost:0"}
	p.start()
	t.Cleanup(p.kill)
	return p
}

// start starts the service, on the address it had before.
func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0], "-addr", strings.TrimPrefix(p.base, "http://"))
	p.cmd.Env = append(os.Environ(), serveEnv+"=1", "DATABASE_URL="+p.database)
	p.cmd.Stderr = io.Discard // what a storm does to a service is no news
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, base, ok := strings.Cut(lines.Text(), "It listens on "); ok {
			p.base = base
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
	}
	p.t.Fatal("the service did not start")
}

// kill ends the process at whatever instruction it is (SIGKILL).
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// storm is clients that send a payment for each of many keys, several at once and again and again, as impatient clients
// do, until each has its answer.
type storm struct {
	t       *testing.T
	name    string
	bases   []string
	client  *http.Client
	keys    int
	clients int // of each key, at once
	// impatient has clients go away at random before they have an answer.
	impatient bool

	mu      sync.Mutex
	answers map[string][]string // the bodies of the 201s, by key
	odd     map[string]int      // what else came, and how often
}

// rage runs the storm to its end, and disturb beside it, again and again.
func (s *storm) rage(disturb func()) {
	s.t.Helper()
	s.answers, s.odd = map[string][]string{}, map[string]int{}
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	over := make(chan struct{})
	disturbed := make(chan struct{})
	go func() {
		defer close(disturbed)
		for disturb != nil {
			// Not before something has been done: on a slow machine nothing ever would be.
			for paid, n := s.paid(), 0; n == 0 || n < 25 && s.paid() == paid; n++ {
				select {
				case <-over:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
			disturb()
		}
	}()
	var all sync.WaitGroup
	slots := make(chan struct{}, 64) // how many are under way at a time
	for i := range s.keys {
		for range s.clients {
			slots <- struct{}{}
			all.Go(func() {
				s.persist(ctx, i)
				<-slots
			})
		}
	}
	all.Wait()
	close(over)
	<-disturbed
}

// paid is how many clients have their payment.
func (s *storm) paid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, answers := range s.answers {
		n += len(answers)
	}
	return n
}

// persist sends the payment of key i until it is answered.
func (s *storm) persist(ctx context.Context, i int) {
	key := s.key(i)
	body := fmt.Sprintf(`{"amount": %d, "currency": "EUR"}`, i+1) // no order: nothing but the key keeps it from being paid twice
	for ctx.Err() == nil {
		d := &drill{base: s.bases[rand.N(len(s.bases))], client: s.client}
		attempt, cancel := ctx, func() {}
		if s.impatient && rand.N(4) > 0 {
			attempt, cancel = context.WithTimeout(ctx, rand.N(20*time.Millisecond))
		}
		a := d.pay(attempt, "token-1", key, body)
		cancel()
		if s.note(key, a) {
			return
		}
		time.Sleep(rand.N(50 * time.Millisecond))
	}
}

// note keeps what was answered, and reports whether a client should stop: it has its payment, or is told not to try again.
func (s *storm) note(key string, a answer) (over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := fmt.Sprintf("%d %s", a.status, a.kind)
	switch {
	case a.err != nil:
		s.odd["no answer"]++
	case a.status == http.StatusCreated:
		s.answers[key] = append(s.answers[key], string(a.body))
		return true
	case a.status >= 500 || strings.HasSuffix(kind, "#in-flight"):
		s.odd[kind]++
	default:
		s.t.Errorf("%s: %q, which tells a client not to try again", key, kind)
		return true
	}
	return false
}

func (s *storm) key(i int) string { return fmt.Sprintf("storm-%s-%06d", s.name, i) }

// wantOnce checks that every client was answered, that all answers of a key are one, and that the database holds one
// payment and one record for each key and nothing else.
func (s *storm) wantOnce(pool *pgxpool.Pool) {
	s.t.Helper()
	s.t.Logf("beside %d payments: %v", s.keys, s.odd)
	for i := range s.keys {
		key := s.key(i)
		if n := len(s.answers[key]); n != s.clients {
			s.t.Errorf("%s: %d of %d clients were answered", key, n, s.clients)
		}
		for _, body := range s.answers[key] {
			if body != s.answers[key][0] {
				s.t.Errorf("%s has two answers: %s and %s", key, s.answers[key][0], body)
			}
		}
	}
	for what, sql := range map[string]string{
		"payments":            `SELECT count(*) FROM payments`,
		"keys with a payment": `SELECT count(DISTINCT idem_key) FROM payments`,
		"records":             `SELECT count(*) FROM idempotency_keys`,
		"payments with the record of their key": `SELECT count(*) FROM payments JOIN idempotency_keys
			ON key = convert_to(idem_key, 'UTF8') AND convert_from(body, 'UTF8') LIKE '%' || id::text || '%'`,
	} {
		var n int
		if err := pool.QueryRow(s.t.Context(), sql).Scan(&n); err != nil || n != s.keys {
			s.t.Errorf("%d %s, want %d; %v", n, what, s.keys, err)
		}
	}
}

func newStorm(t *testing.T, name string, bases ...string) *storm {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &storm{t: t, name: name, bases: bases, client: &http.Client{Transport: transport}, keys: 300, clients: 3}
}

// I8, I2: two processes of the service, one of which is killed again and again while it works.
func TestStorm_I8_I2_ProcessKilled(t *testing.T) {
	database := pgtest.URL(t)
	pool := pgtest.Open(t, database, nil)
	one, two := startProcess(t, database), startProcess(t, database)
	s := newStorm(t, "killed", one.base, two.base)
	kills := 0
	s.rage(func() {
		one.kill()
		kills++
		one.start()
	})
	s.wantOnce(pool)
	t.Logf("%d kills", kills)
}

// C1, across processes: one key, a thousand requests, over two processes.
func TestStorm_C1_OneKeyTwoProcesses(t *testing.T) {
	database := pgtest.URL(t)
	pool := pgtest.Open(t, database, nil)
	s := newStorm(t, "hot", startProcess(t, database).base, startProcess(t, database).base)
	s.keys, s.clients = 1, 1000
	s.rage(nil)
	s.wantOnce(pool)
}

// A6, I8: the server ends sessions at random, in whatever statement they are.
func TestStorm_A6_SessionsTerminated(t *testing.T) {
	database := pgtest.URL(t)
	pool := pgtest.Open(t, database, nil)
	s := newStorm(t, "terminated", startProcess(t, database).base, startProcess(t, database).base)
	terminated := 0
	s.rage(func() {
		var n int
		err := pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = '' ORDER BY random() LIMIT 2) s`).Scan(&n)
		if err != nil {
			t.Error(err)
		}
		terminated += n
	})
	s.wantOnce(pool)
	t.Logf("%d sessions terminated", terminated)
}

// A6: the network between service and database cuts connections at random, so that a commit may or may not have happened.
func TestStorm_A6_ConnectionsCut(t *testing.T) {
	for name, options := range map[string][]pgstore.Option{
		"advisory lock":               nil,
		"advisory lock, serializable": {pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: pgx.Serializable})},
		"insert first":                {pgstore.WithStrategy(pgstore.InsertFirst)},
	} {
		t.Run(name, func(t *testing.T) {
			pool := pgtest.Pool(t, nil)
			storage := stormStorage(t, pool.Config().ConnString(), func(config *pgxpool.Config) {
				dial := config.ConnConfig.DialFunc
				config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dial(ctx, network, address)
					return &frayed{conn}, err
				}
			}, options...)
			s := newStorm(t, "cut", serviceOn(t, storage).URL)
			s.rage(nil)
			s.wantOnce(pool)
			wantIdle(t, storage)
		})
	}
}

// frayed is a connection that may be cut before or after anything that is sent.
type frayed struct{ net.Conn }

func (c *frayed) Write(p []byte) (int, error) {
	switch rand.N(60) {
	case 0:
		_ = c.Close()
	case 1:
		n, err := c.Conn.Write(p)
		_ = c.Close()
		return n, err
	}
	return c.Conn.Write(p)
}

// A9: the server of the database restarts, and for a while there is none.
func TestStorm_A9_DatabaseRestarts(t *testing.T) {
	pgtest.URL(t) // skips where there is no PostgreSQL
	server, err := pgtemp.Start(t.Context(), pgtemp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	one, two := startProcess(t, server.URL), startProcess(t, server.URL)
	s := newStorm(t, "restarted", one.base, two.base)
	restarts := 0
	s.rage(func() {
		if err := server.Restart(t.Context()); err != nil {
			t.Error(err)
		}
		restarts++
		time.Sleep(100 * time.Millisecond)
	})
	s.wantOnce(pgtest.Open(t, server.URL, nil))
	t.Logf("%d restarts", restarts)
}

// A8, with pools that hardly suffice: clients that go away at any moment leave neither a payment without a record nor a
// connection that is not given back, nor a goroutine.
func TestStorm_A8_ClientsGo(t *testing.T) {
	for _, c := range []struct {
		connections int32
		http2       bool
	}{{1, false}, {2, true}, {10, false}, {10, true}} {
		t.Run(fmt.Sprintf("pool of %d, HTTP/2 %t", c.connections, c.http2), func(t *testing.T) {
			pool := pgtest.Pool(t, nil)
			storage := stormStorage(t, pool.Config().ConnString(), func(config *pgxpool.Config) { config.MaxConns = c.connections })
			handler, err := routes(storage.store, storage.ledger)
			if err != nil {
				t.Fatal(err)
			}
			before := runtime.NumGoroutine()
			server := httptest.NewUnstartedServer(handler)
			if server.EnableHTTP2 = c.http2; c.http2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			s := newStorm(t, "clients-gone", server.URL)
			s.client = server.Client()
			s.keys, s.impatient = 100, true
			s.rage(nil)
			s.wantOnce(pool)
			wantIdle(t, storage)
			server.Close()
			wantNone(t, "goroutines are left", func() int { return runtime.NumGoroutine() - before })
		})
	}
}

func stormStorage(t *testing.T, database string, change func(*pgxpool.Config), options ...pgstore.Option) *storage {
	t.Helper()
	prepared, err := openPostgres(t.Context(), database, "")
	if err != nil {
		t.Fatal(err)
	}
	prepared.close()
	pool := pgtest.Open(t, database, change)
	store, err := pgstore.New(pool, options...)
	if err != nil {
		t.Fatal(err)
	}
	return &storage{store: store, ledger: sqlLedger{pool}, close: func() {}}
}

// wantIdle checks that all connections come back to the pool.
func wantIdle(t *testing.T, s *storage) {
	t.Helper()
	pool := s.ledger.(sqlLedger).pool
	wantNone(t, "connections are not given back", func() int { return int(pool.Stat().AcquiredConns()) })
}

// wantNone waits until there are none of what it counts.
func wantNone(t *testing.T, what string, count func() int) {
	t.Helper()
	for start := time.Now(); count() > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Errorf("%d %s", count(), what)
			return
		}
	}
}
