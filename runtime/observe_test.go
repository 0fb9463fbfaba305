package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// What the runtime and a store say of a fault is logged; what a handler says, which may repeat the request, is not.
func TestObserve_LogsWhatIsExplained(t *testing.T) {
	const secret = "s3cr3t"
	for _, c := range []struct {
		what   string
		err    error
		log    []string
		faulty bool
	}{
		{"a handler's own error", fmt.Errorf("card %s: %w", secret, errors.New(secret)), []string{"*fmt.wrapError > *errors.errorString", "WithErrorObserver"}, false},
		{"an explained error within it", fmt.Errorf("card %s: %w", secret, memstore.ErrNotYours), []string{`cause="a handler does not end its transaction`}, true},
		{"two, one in the other", runtime.Explain("the rows are open", fmt.Errorf("%s: %w", secret, runtime.ErrAborted)),
			[]string{`cause="the rows are open: the transaction was aborted by an earlier statement"`}, true},
		{"one of several", errors.Join(errors.New(secret), runtime.ErrStreaming), []string{`cause="a keyed operation cannot stream its answer"`}, true},
		{"the database's word", &pgconn.PgError{Code: "23514", Message: secret, Detail: secret}, []string{"sqlstate=23514"}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := newService(t, payment())
			s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
				return runtime.Response{}, c.err
			}
			a := s.post("k", body)
			a.wantProblem(t, 500, "internal-error")
			if faulty := strings.Contains(a.problem(t).Detail, "does not cure"); faulty != c.faulty {
				t.Errorf("detail %q", a.problem(t).Detail)
			}
			log := s.log.String()
			for _, want := range c.log {
				if !strings.Contains(log, want) {
					t.Errorf("the log has no %s: %s", want, log)
				}
			}
			if strings.Contains(log+a.body, secret) {
				t.Errorf("the secret is out: %s %s", log, a.body)
			}
		})
	}
}

func TestObserve_AnswersThatCannotBeSent(t *testing.T) {
	for want, w := range map[string]work{
		"the handler's answer has status 7":                                             respond(runtime.Response{Status: 7}),
		"the handler's answer has a header whose name is not a token":                   respond(runtime.Response{Status: 200, Header: http.Header{"a b": nil}}),
		"the handler's answer has trailers: a keyed operation cannot stream its answer": respond(runtime.Response{Status: 200, Header: http.Header{"Trailer": {"X"}}}),
	} {
		s := newService(t, payment())
		s.work = w
		s.post("k", body).wantProblem(t, 500, "internal-error")
		if log := s.log.String(); !strings.Contains(log, want) {
			t.Errorf("the log has no %q: %s", want, log)
		}
	}
}

// describingStore says the same of every error.
type describingStore struct{ runtime.Store[pgx.Tx] }

func (describingStore) Describe(error) []slog.Attr {
	return []slog.Attr{slog.String("table", "payments")}
}

func TestObserve_StoreDescribes(t *testing.T) {
	sealer, err := runtime.NewAESGCM("k", map[string][]byte{"k": make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	plain := runtime.Store[pgx.Tx](describingStore{memstore.New()})
	sealed, err := runtime.Sealed(plain, sealer)
	if err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]runtime.Store[pgx.Tx]{"plain": plain, "sealed": sealed} {
		log := &lockedBuffer{}
		engine, err := runtime.New(store, bearer, runtime.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		s := newService(t, payment())
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, errors.New("no")
		}
		mux := http.NewServeMux()
		s.serve(mux, engine)
		do(mux, s.request(body, header("Idempotency-Key", "k"))).wantProblem(t, 500, "internal-error")
		if !strings.Contains(log.String(), "table=payments") {
			t.Errorf("%s: %s", name, log)
		}
	}
}

// namingStore names the one record of a test.
type namingStore struct{ *memstore.Store }

func (namingStore) RecordName(id runtime.ID) string {
	if id != idOf("k") {
		return "another"
	}
	return "0123456789abcdef"
}

// What is logged of work in lease mode names its record, as those who look for it in the database see it, and so does what
// recovery logs. Without a key there is no record.
func TestObserve_NamesTheRecord(t *testing.T) {
	sealer, err := runtime.NewAESGCM("k", map[string][]byte{"k": make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		sealed bool
		key    string
	}{{"plain", false, "k"}, {"sealed", true, "k"}, {"no key", false, ""}} {
		t.Run(c.name, func(t *testing.T) {
			op := payout()
			op.Policy.Key.Required = false
			o := newOffice(t, op)
			store := runtime.Store[pgx.Tx](namingStore{o.leases.Store})
			if c.sealed {
				if store, err = runtime.Sealed(store, sealer); err != nil {
					t.Fatal(err)
				}
			}
			if o.engine, err = runtime.New(store, bearer, runtime.WithLogger(slog.New(slog.NewTextHandler(o.log, nil)))); err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			o.serve(mux, o.engine)
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if _, err := o.reserve(ctx, lease); err != nil {
					t.Error(err)
				}
				return runtime.Response{}, errors.New("no")
			}
			r := o.request(body)
			if c.key != "" {
				r.Header.Set("Idempotency-Key", c.key)
			}
			do(mux, r)
			want := 0
			if c.key != "" {
				o.overdue(c.key)
				o.recover()
				want = 2
			}
			if log := o.log.String(); strings.Count(log, "record=0123456789abcdef") != want || strings.Contains(log, "another") || !strings.Contains(log, "handler failed") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// Where the work may stand without a record, no answer invites to send the request again, with a key or without one.
func TestTransaction_I2_WorkWithoutRecord(t *testing.T) {
	for _, key := range []string{"k", ""} {
		op := payment()
		op.Policy.Key.Required = false
		s := newService(t, op)
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
			return errors.Join(w.Rollback(ctx), fmt.Errorf("commit: %w", runtime.ErrUnrecorded))
		}
		r := s.request(body)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		a := s.do(r)
		a.wantProblem(t, 500, "outcome-unknown")
		if detail := a.problem(t).Detail; !strings.Contains(detail, "may repeat its effect") || a.header.Get("Retry-After") != "" {
			t.Errorf("%q: %+v", key, a)
		}
		s.want(1, 0, 0)
		if log := s.log.String(); !strings.Contains(log, "without a record") {
			t.Errorf("log: %s", log)
		}
	}
}
