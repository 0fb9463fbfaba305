package profiletest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Options say what is served.
type Options struct {
	// Profile is the profile's name. Mode is transaction mode when empty. Neither is read where there is a Document.
	Profile string
	Mode    policy.Mode
	// Document is an OpenAPI document in place of the small one, whose keyed operations are served alike.
	Document string
	// Pool is a database for records and payments; they are in memory when nil.
	Pool *pgxpool.Pool
	// Work is what is done for a request, in place of a payment.
	Work Work
	// Current answers a repetition from the state of now, where the policy wants that; from the payment when nil.
	Current runtime.CurrentFunc[pgx.Tx]
	// Principal says who asks; by bearer token when nil.
	Principal runtime.PrincipalFunc
}

// Work is what is done for a request of an operation.
type Work func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *Service) (runtime.Response, error)

// Service is a server. Its credentials are a bearer token, whichever: the token is the account.
type Service struct {
	// URL is the server's address.
	URL string
	// Document is what the OpenAPI document comes to, Published the policy that is published of it.
	Document  *policy.Document
	Published *policydoc.Published
	// Ledger holds the payments.
	Ledger Ledger
	// Runs is how often the work was begun.
	Runs atomic.Int64

	options Options
	ahead   atomic.Int64 // how far the clock was set forward
}

// Start starts a server that ends with tb. It fails tb where the document has a fault or the policy cannot be kept.
func Start(tb testing.TB, o Options) *Service {
	tb.Helper()
	s := &Service{options: o}
	if err := s.load(tb.TempDir()); err != nil {
		tb.Fatal(err)
	}
	var store runtime.Store[pgx.Tx]
	if o.Pool == nil {
		store, s.Ledger = memstore.New(memstore.WithClock(s.now)), &memoryLedger{}
	} else {
		var err error
		if store, s.Ledger, err = inDatabase(tb.Context(), o.Pool); err != nil {
			tb.Fatal(err)
		}
	}
	principal := o.Principal
	if principal == nil {
		principal = bearer
	}
	engine, err := runtime.New(store, principal, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, op := range s.Document.Keyed() {
		handler, err := s.handler(engine, op)
		if err != nil {
			tb.Fatal(err)
		}
		mux.Handle(op.Method+" "+op.Path, handler)
	}
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// load reads the document, and its policy as its readers get it.
func (s *Service) load(folder string) error {
	text := s.options.Document
	if text == "" {
		var err error
		if text, err = smallDocument(s.options.Profile, s.options.Mode); err != nil {
			return err
		}
	}
	file := filepath.Join(folder, "openapi.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	doc, found, err := spec.Load(spec.Options{File: file})
	if err := errors.Join(err, found.Err()); err != nil {
		return fmt.Errorf("the document of profile %s: %w", s.options.Profile, err)
	}
	doc.SpecFile = "openapi.yaml"
	files, _, err := policydoc.Generate(doc, policydoc.Options{JSON: "policy.json"})
	if err != nil {
		return err
	}
	s.Document = doc
	s.Published, err = policydoc.ReadJSON(bytes.NewReader(files[0].Content))
	return err
}

// Advance sets the clock of a service in memory forward.
func (s *Service) Advance(_ context.Context, by time.Duration) error {
	if s.options.Pool != nil {
		return errors.New("the database has a clock of its own")
	}
	s.ahead.Add(int64(by))
	return nil
}

func (s *Service) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// bearer takes the token for the account.
func bearer(r *http.Request) (string, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		return "", fmt.Errorf("no bearer token: %w", runtime.ErrUnauthenticated)
	}
	return token, nil
}

// handler serves op as generated code does.
func (s *Service) handler(engine *runtime.Engine[pgx.Tx], described *policy.Operation) (http.Handler, error) {
	if strings.Contains(described.Path, "{") {
		return nil, fmt.Errorf("operation %s: its path has parameters, which nothing here is made for", described.ID)
	}
	op := &runtime.Operation{
		ID: described.ID, Method: described.Method, Route: described.Path, WithoutBody: described.Shape.Body == nil, Policy: described.Policy,
	}
	if err := engine.Register(op); err != nil {
		return nil, err
	}
	if op.Policy.Mode == policy.LeaseMode {
		return engine.LeaseHandler(op, s.program), nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, ok := engine.Begin(w, r, op)
		if !ok {
			return
		}
		defer call.End()
		call.Current(s.current(call))
		call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) { return s.work(ctx, tx, call) })
	}), nil
}

// program does the same work in lease mode, in the transaction that completes the record.
func (s *Service) program(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
	call.Current(s.current(call))
	run := func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (answer runtime.Response, err error) {
		err = lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
			answer, err = s.work(ctx, tx, call)
			return answer, err
		})
		return answer, err
	}
	return runtime.LeaseWork[pgx.Tx]{Run: run}, nil
}

func (s *Service) work(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
	s.Runs.Add(1)
	if s.options.Work != nil {
		return s.options.Work(ctx, tx, call, s)
	}
	return pay(ctx, tx, call, s)
}

// inDatabase makes the tables.
func inDatabase(ctx context.Context, pool *pgxpool.Pool) (*pgstore.Store, Ledger, error) {
	if err := pgstore.Migrate(ctx, pool, pgstore.DefaultTable); err != nil {
		return nil, nil, err
	}
	if _, err := pool.Exec(ctx, paymentsTable); err != nil {
		return nil, nil, err
	}
	store, err := pgstore.New(pool)
	return store, &sqlLedger{pool}, err
}
