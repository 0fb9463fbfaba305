//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Switch is what is switched off in a service, to see that the counts find it.
type Switch string

// The switches.
const (
	AllOn Switch = ""
	// NoFence: what a worker writes counts although it has been overtaken.
	NoFence Switch = "fencing"
	// NoDerivedKey: each attempt sends a random key to the provider.
	NoDerivedKey Switch = "derived key"
	// OwnTransaction: the business write has a transaction of its own, before the record's.
	OwnTransaction Switch = "same-transaction write"
)

// settings are what a service is told by who starts it.
type settings struct {
	Victim   int
	Database string
	Provider string // URL
	Kind     ProviderKind
	Director string // URL; "" where nobody wants to know where requests are
	Lease    time.Duration
	Conns    int32
	Off      Switch
}

// environment names the variable that makes a process a service under test, and holds its settings.
const environment = "IDEMGEN_CRASH_SERVICE"

// RunService serves until the process is killed, in a process that was started for that; in any other it returns at once.
// A program that calls [Run] or [Load] calls it first, since they start that program again.
func RunService() {
	text := os.Getenv(environment)
	if text == "" {
		return
	}
	var s settings
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		err = serve(s)
	}
	fmt.Fprintln(os.Stderr, "service:", err)
	os.Exit(1)
}

// tables are the business tables. Nothing in them is unique: a second row is to be seen, not refused.
const tables = `CREATE TABLE reservations (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, intent text NOT NULL);
CREATE INDEX ON reservations (intent);
CREATE TABLE payments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, intent text NOT NULL, amount bigint NOT NULL, charge text);
CREATE INDEX ON payments (intent)`

// service is the service under test.
type service struct {
	settings
	pool    *pgxpool.Pool
	control *control
	client  *http.Client
}

func serve(set settings) error {
	// Whoever started this process holds the other end of its input, and no longer when it is dead.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	config, err := pgxpool.ParseConfig(set.Database)
	if err != nil {
		return fmt.Errorf("the database's URL: %w", err)
	}
	config.MaxConns = set.Conns
	config.ConnConfig.ConnectTimeout = 5 * time.Second
	line := &wire{}
	line.attach(config)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return fmt.Errorf("open the pool: %w", err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}
	client := &http.Client{Transport: transport}
	s := &service{
		settings: set, pool: pool, client: client,
		control: &control{url: set.Director, victim: set.Victim, client: client, wire: line},
	}
	handler, err := s.routes()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Printf("ready %s\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// operation has the given id and mode. A duplicate in transaction mode waits, one in lease mode is told to come back.
func (s *service) operation(mode policy.Mode, id, route string) *runtime.Operation {
	op := &runtime.Operation{
		ID: id, Method: http.MethodPost, Route: route,
		Policy: policy.Policy{
			Mode: mode,
			Key: policy.Key{
				In: policy.InHeader, Name: keyHeader, Required: true,
				Format: policy.AnyFormat, MaxLength: 64, LengthUnit: policy.Characters, Syntax: policy.Either,
			},
			Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
			Retention:   24 * time.Hour,
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
			Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX"}, MaxBody: 1 << 20},
			Replay:      policy.Replay{As: policy.Stored, Header: replayedHeader, Value: "true"},
			InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: time.Second, RetryAfter: time.Second},
		},
	}
	if mode == policy.LeaseMode {
		op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
		op.Policy.Lease = policy.Lease{Duration: s.Lease, Heartbeat: s.Lease / 16}
		op.Policy.Steps = []string{reserve, charge, notify}
		op.Policy.Downstream = []policy.Downstream{
			{Name: "bank", Step: charge, Header: keyHeader, Format: policy.UUID5},
			{Name: "mail", Step: notify, Header: keyHeader, Format: policy.UUID5},
		}
	}
	return op
}

const replayedHeader = "Idempotent-Replayed"

func (s *service) routes() (http.Handler, error) {
	inner, err := pgstore.New(s.pool)
	if err != nil {
		return nil, err
	}
	var store runtime.LeaseStore[pgx.Tx] = inner
	if s.Off == NoFence {
		store = &unfencedStore{LeaseStore: store, pool: s.pool}
	}
	store = &watchedStore{LeaseStore: store, control: s.control}
	engine, err := runtime.New(runtime.Store[pgx.Tx](store), principal,
		runtime.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))))
	if err != nil {
		return nil, err
	}

	payment := s.operation(policy.Transaction, "createPayment", "/payments")
	transfer := s.operation(policy.LeaseMode, "createTransfer", "/transfers")
	for _, op := range []*runtime.Operation{payment, transfer} {
		if err := engine.Register(op); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /payments", func(w http.ResponseWriter, r *http.Request) {
		if call, ok := engine.Begin(w, r, payment); ok {
			s.pay(call)
		}
	})
	mux.Handle("POST /transfers", engine.LeaseHandler(transfer, s.transfer))
	mux.HandleFunc("GET /debug", debug)
	recovery, err := engine.NewRecovery(runtime.WithRecoveryInterval(s.Lease / 2))
	if err != nil {
		return nil, err
	}
	go func() {
		if err := recovery.Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "service: recovery:", err)
		}
	}()
	return mux, nil
}

func principal(r *http.Request) (string, error) {
	account, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", runtime.ErrUnauthenticated
	}
	return account, nil
}

// order is a request's body, and answer that of its answer.
type order struct {
	Amount int64 `json:"amount"`
}

type answer struct {
	ID     int64  `json:"id"`
	Intent string `json:"intent"`
	Charge string `json:"charge,omitempty"`
}

func readOrder(body []byte) (order, error) {
	var o order
	if err := json.Unmarshal(body, &o); err != nil || o.Amount <= 0 {
		return order{}, errors.New("the body is no order")
	}
	return o, nil
}

// pay is the operation in transaction mode: one row.
func (s *service) pay(call *runtime.Call[pgx.Tx]) {
	o, err := readOrder(call.Body())
	if err != nil {
		call.Reject(err)
		return
	}
	call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		s.control.at(call.Key(), BeforeWrite)
		return s.book(ctx, tx, call.Key(), o, "")
	})
}

// book writes the payment and makes the answer of it.
func (s *service) book(ctx context.Context, tx pgx.Tx, intent string, o order, charged string) (runtime.Response, error) {
	var on execer = tx
	if s.Off == OwnTransaction {
		on = s.pool
	}
	a := answer{Intent: intent, Charge: charged}
	const sql = "INSERT INTO payments (intent, amount, charge) VALUES ($1, $2, nullif($3, '')) RETURNING id"
	if err := on.QueryRow(ctx, sql, intent, o.Amount, charged).Scan(&a.ID); err != nil {
		return runtime.Response{}, fmt.Errorf("book the payment: %w", err)
	}
	body, err := json.Marshal(a)
	return runtime.Response{Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

// transfer is the operation in lease mode: a row, two calls of the provider, and another row with the answer.
func (s *service) transfer(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
	o, err := readOrder(call.Body())
	if err != nil {
		return runtime.LeaseWork[pgx.Tx]{}, err
	}
	intent := call.Key()
	return runtime.LeaseWork[pgx.Tx]{
		Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			return s.run(ctx, lease, intent, o)
		},
		Reconcile: map[string]runtime.ReconcileFunc{charge: s.reconcile, notify: s.reconcile},
	}, nil
}

func (s *service) run(ctx context.Context, lease *runtime.Lease[pgx.Tx], intent string, o order) (runtime.Response, error) {
	_, err := runtime.DoLocal(ctx, lease.Local(reserve), func(ctx context.Context, tx pgx.Tx) (int64, error) {
		s.control.at(intent, ReserveWrite)
		var id int64
		err := tx.QueryRow(ctx, "INSERT INTO reservations (intent) VALUES ($1) RETURNING id", intent).Scan(&id)
		return id, err
	})
	if err != nil {
		return runtime.Response{}, err
	}
	charged, err := runtime.DoExternal(ctx, lease.External(charge), s.call(intent))
	if err != nil {
		return runtime.Response{}, err
	}
	if _, err := runtime.DoExternal(ctx, lease.External(notify), s.call(intent)); err != nil {
		return runtime.Response{}, err
	}
	var response runtime.Response
	err = lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		s.control.at(intent, CompleteWrite)
		var err error
		response, err = s.book(ctx, tx, intent, o, charged.ID)
		return response, err
	})
	return response, err
}

// debug says what a process needs of memory and goroutines.
func debug(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(ownUsage()) // who asks may have gone
}

// usage is what a process needs.
type usage struct {
	RSS        int64 // bytes; 0 where the system does not tell
	Heap       int64 // bytes in use
	Goroutines int
}

func ownUsage() usage {
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return usage{RSS: residentBytes(), Heap: int64(m.HeapInuse), Goroutines: goruntime.NumGoroutine()}
}

// residentBytes reads the second number of /proc/self/statm, in pages.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
