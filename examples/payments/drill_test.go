package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

// serviceOn starts the service over real HTTP.
func serviceOn(t *testing.T, s *storage) *httptest.Server {
	t.Helper()
	t.Cleanup(s.close)
	handler, err := routes(s.store, s.ledger)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func onPostgres(t *testing.T) *storage {
	t.Helper()
	s, err := openPostgres(t.Context(), pgtest.URL(t), "on a test database")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rows(t *testing.T, s *storage, sql string, args ...any) int {
	t.Helper()
	var n int
	if err := s.ledger.(sqlLedger).pool.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The drill of the requirements, its five steps, over HTTP and on PostgreSQL, with the tables looked at as well.
func TestDrill_OnPostgreSQL(t *testing.T) {
	s := onPostgres(t)
	server := serviceOn(t, s)
	var out bytes.Buffer
	d := &drill{base: server.URL, client: server.Client(), expire: s.expire, out: &out}
	if broken := d.run(t.Context()); broken > 0 {
		t.Errorf("%d promises are broken:\n%s", broken, out.String())
	}
	if strings.Count(out.String(), "kept") != 11 {
		t.Errorf("the drill looked at another number of promises than 11:\n%s", out.String())
	}
	if n := rows(t, s, `SELECT count(*) FROM payments`); n != 4 {
		t.Errorf("the drill made %d payments, not 4", n)
	}
}

func TestDrill_InMemory(t *testing.T) {
	s := openMemory()
	server := serviceOn(t, s)
	var out bytes.Buffer
	d := &drill{base: server.URL, client: server.Client(), expire: s.expire, out: &out}
	if broken := d.run(t.Context()); broken > 0 {
		t.Errorf("%d promises are broken:\n%s", broken, out.String())
	}
}

// The drill finds a service that does not keep the promises: otherwise it would prove nothing.
func TestDrill_FindsLookThenInsert(t *testing.T) {
	s := onPostgres(t)
	keyed, err := routes(s.store, s.ledger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	mux := http.NewServeMux()
	mux.Handle("/", keyed)
	mux.Handle("POST /payments", newLookThenInsert(t, s))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	var out bytes.Buffer
	d := &drill{base: server.URL, client: server.Client(), expire: s.expire, out: &out}
	if broken := d.run(t.Context()); broken == 0 {
		t.Errorf("the drill found nothing wrong with a handler that looks and then inserts:\n%s", out.String())
	}
}

// C1: a thousand requests with one key at the same moment have one effect. Beside it, in the same process and on the same
// server, a handler that looks before it inserts.
func TestC1_ThousandAtOnce(t *testing.T) {
	const requests = 1000
	s := onPostgres(t)
	server := serviceOn(t, s)
	naive := httptest.NewServer(newLookThenInsert(t, s))
	t.Cleanup(naive.Close)
	transport := &http.Transport{MaxIdleConnsPerHost: requests}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}

	d := &drill{base: server.URL, client: client}
	answers := d.together(t.Context(), requests, "token-1", "thousand-at-once-1", `{"amount": 4200, "currency": "EUR"}`)
	made := rows(t, s, `SELECT count(*) FROM payments WHERE idem_key = 'thousand-at-once-1'`)

	d.base = naive.URL
	naively := 0
	for try := 0; try < 10 && naively < 2; try++ { // on a busy machine the first request may be through before the second
		key := fmt.Sprintf("thousand-at-once-naive-%d", try)
		d.together(t.Context(), requests, "token-1", key, `{"amount": 4200, "currency": "EUR"}`)
		naively = rows(t, s, `SELECT count(*) FROM payments WHERE idem_key = $1`, key)
	}

	fmt.Printf("%d simultaneous requests with one key: %d payment made by the generated wrapper, %d by look-then-insert\n",
		requests, made, naively)
	if made != 1 {
		t.Errorf("the generated wrapper made %d payments", made)
	}
	if !same(answers) || !all(answers, func(a answer) bool { return a.status == http.StatusCreated }) {
		t.Error("not all answers are equal")
	}
	if n := count(answers, func(a answer) bool { return a.replayed }); n != requests-1 {
		t.Errorf("%d answers are marked as replayed", n)
	}
	if naively < 2 {
		t.Errorf("look-then-insert made %d payments: the harness would not notice the fault it is there for", naively)
	}
}

// newLookThenInsert is the mistake that the project is about (M6, M7): it looks for the key, does the work, and writes the
// key down afterwards.
func newLookThenInsert(t *testing.T, s *storage) http.Handler {
	t.Helper()
	pool := s.ledger.(sqlLedger).pool
	if _, err := pool.Exec(t.Context(), `CREATE TABLE naive_keys (key text, body text)`); err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, replayed, err := lookThenInsert(r.Context(), pool, r.Header.Get("Idempotency-Key"))
		if err != nil {
			http.Error(w, "failed", http.StatusInternalServerError)
			return
		}
		if replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(body))
	})
}

func lookThenInsert(ctx context.Context, pool *pgxpool.Pool, key string) (body string, replayed bool, err error) {
	err = pool.QueryRow(ctx, `SELECT body FROM naive_keys WHERE key = $1`, key).Scan(&body)
	if err == nil {
		return body, true, nil
	}
	if err != pgx.ErrNoRows { //nolint:errorlint // as such code is written
		return "", false, err
	}
	var id string
	err = pool.QueryRow(ctx, `INSERT INTO payments (account_id, amount, currency, idem_key) VALUES ('account-1', 4200, 'EUR', $1)
		RETURNING id::text`, key).Scan(&id)
	if err != nil {
		return "", false, err
	}
	body = fmt.Sprintf(`{"id": %q}`, id)
	_, err = pool.Exec(ctx, `INSERT INTO naive_keys VALUES ($1, $2)`, key, body)
	return body, false, err
}

// A refund is bounded by what is left, also when two refunds with different keys run at once.
func TestRefunds_NeverExceedThePayment(t *testing.T) {
	s := onPostgres(t)
	server := serviceOn(t, s)
	d := &drill{base: server.URL, client: server.Client()}
	paid := d.pay(t.Context(), "token-1", "refunds-"+newID(), `{"amount": 1000, "currency": "EUR"}`)
	id := paymentID(paid)
	results := make(chan int, 20)
	for range cap(results) {
		go func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/payments/"+id+"/refunds",
				strings.NewReader(`{"amount": 300}`))
			req.Header.Set("Authorization", "Bearer token-1")
			req.Header.Set("Idempotency-Key", "refund-"+newID())
			req.Header.Set("Content-Type", "application/json")
			res, err := server.Client().Do(req)
			if err != nil {
				results <- 0
				return
			}
			_ = res.Body.Close()
			results <- res.StatusCode
		}()
	}
	made, refused := 0, 0
	for range cap(results) {
		switch <-results {
		case http.StatusCreated:
			made++
		case http.StatusUnprocessableEntity:
			refused++
		}
	}
	if made != 3 || made+refused != cap(results) {
		t.Errorf("%d refunds of 300 were made and %d refused of a payment of 1000", made, refused)
	}
	if n := rows(t, s, `SELECT sum(amount)::int FROM refunds`); n != 900 {
		t.Errorf("%d was given back", n)
	}
}

// The migrations run once, and again without harm, and can be undone.
func TestMigrations(t *testing.T) {
	url := pgtest.URL(t)
	for range 2 {
		s, err := openPostgres(t.Context(), url, "")
		if err != nil {
			t.Fatal(err)
		}
		s.close()
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(files) - 1; i >= 0; i-- {
		text, err := migrations.ReadFile("migrations/" + files[i].Name())
		if err != nil {
			t.Fatal(err)
		}
		_, down, found := strings.Cut(string(text), ternSeparator)
		if !found {
			t.Fatalf("%s has no way down", files[i].Name())
		}
		if _, err := conn.Exec(t.Context(), down, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", files[i].Name(), err)
		}
	}
	var tables int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'`).Scan(&tables)
	if err != nil || tables != 0 {
		t.Errorf("%d tables are left, %v", tables, err)
	}
}
