package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v85"

	"github.com/idemgen/idemgen/internal/profiletest"
	"github.com/idemgen/idemgen/runtime"
)

// customers is the operation that stripe-go calls, as an API that follows Stripe's rules would describe it.
const customers = `openapi: 3.1.0
info: {title: Customers, version: "1"}
x-idempotency: {version: 1, profile: stripe}
paths:
  /v1/customers:
    post:
      operationId: createCustomer
      x-idempotency: {mode: %s}
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {email: {type: string}}}
      responses:
        "200": {description: The customer., content: {application/json: {schema: {type: object}}}}
        "500": {description: Something went wrong., content: {application/json: {schema: {type: object}}}}
`

// create makes a customer.
func create(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
	form, err := url.ParseQuery(string(call.Body()))
	if err != nil {
		return runtime.Response{}, &runtime.Problem{Name: runtime.ProblemMalformedBody}
	}
	id, err := s.Ledger.Add(ctx, tx, profiletest.Payment{Account: call.Principal(), Key: call.Key()})
	if err != nil {
		return runtime.Response{}, fmt.Errorf("make a customer: %w", err)
	}
	return asJSON(http.StatusOK, map[string]string{"object": "customer", "id": "cus_" + id, "email": form.Get("email")})
}

func asJSON(status int, body any) (runtime.Response, error) {
	encoded, err := json.Marshal(body)
	return runtime.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: encoded}, err
}

// shop is stripe-go with a service under the stripe profile.
type shop struct {
	*profiletest.Service
	t       *testing.T
	network *network
	backend stripe.Backend
}

func newShop(t *testing.T, mode string, work profiletest.Work) *shop {
	t.Helper()
	s := &shop{t: t, network: &network{key: func(r *http.Request, _ []byte) string { return r.Header.Get("Idempotency-Key") }}}
	s.Service = profiletest.Start(t, profiletest.Options{Document: fmt.Sprintf(customers, mode), Work: work})
	s.backend = stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: &s.URL, HTTPClient: &http.Client{Transport: s.network}, MaxNetworkRetries: stripe.Int64(3),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, EnableTelemetry: stripe.Bool(false),
	})
	if backend, ok := s.backend.(*stripe.BackendImplementation); ok {
		backend.SetNetworkRetriesSleep(false)
	}
	return s
}

// create has stripe-go make a customer; with a key of its own where key is empty.
func (s *shop) create(key, email string) (*stripe.Customer, error) {
	params := &stripe.CustomerParams{Email: &email}
	if key != "" {
		params.SetIdempotencyKey(key)
	}
	customer := &stripe.Customer{}
	err := s.backend.Call(http.MethodPost, "/v1/customers", "sk_test_1", params, customer)
	return customer, err
}

func (s *shop) wantEffects(key string, want int) {
	s.t.Helper()
	got, err := s.Ledger.Count(s.t.Context(), "createCustomer", key)
	if err != nil || got != want {
		s.t.Errorf("%d customers, want %d (%v)", got, want, err)
	}
}

func replayed(header http.Header) bool { return header.Get("Idempotent-Replayed") == "true" }

// I1, I3, L2: the answer is lost, stripe-go asks again by itself with the key that it made, and gets the first answer, which
// it can see is a repetition.
func TestStripe_I1_I3_L2_LostAnswer(t *testing.T) {
	for _, mode := range []string{"transaction", "lease"} {
		t.Run(mode, func(t *testing.T) {
			s := newShop(t, mode, create)
			s.network.lose = func(attempt int) bool { return attempt == 1 }
			customer, err := s.create("", "a@example.com")
			if err != nil {
				t.Fatal(err)
			}
			if customer.Email != "a@example.com" || !replayed(customer.LastResponse.Header) {
				t.Errorf("%+v, headers %v", customer, customer.LastResponse.Header)
			}
			key := s.network.wantOneKey(t, 2)
			s.wantEffects(key, 1)
			again, err := s.create(key, "a@example.com")
			if err != nil || again.ID != customer.ID || string(again.LastResponse.RawJSON) != string(customer.LastResponse.RawJSON) {
				t.Errorf("%v: %+v", err, again)
			}
			s.wantEffects(key, 1)
		})
	}
}

// C2, C5: two callers with one key at once. The second is told 409, which stripe-go knows by its code and hands to its
// caller, as it does with each error that it can read; asked again with the key, it gets the first one's answer.
func TestStripe_C2_C5_InProgress(t *testing.T) {
	begun, leave := make(chan struct{}), make(chan struct{})
	s := newShop(t, "transaction", func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
		close(begun) // once: a second run would panic
		<-leave
		return create(ctx, tx, call, s)
	})
	first := make(chan *stripe.Customer, 1)
	go func() {
		customer, err := s.create("one", "a@example.com")
		if err != nil {
			t.Error(err)
		}
		first <- customer
	}()
	<-begun
	_, err := s.create("one", "a@example.com")
	var known *stripe.Error
	if !errors.As(err, &known) || known.HTTPStatusCode != http.StatusConflict || known.Code != stripe.ErrorCodeIdempotencyKeyInUse {
		t.Errorf("%v", err)
	}
	close(leave)
	made := <-first
	second, err := s.create("one", "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if second.ID != made.ID || !replayed(second.LastResponse.Header) || replayed(made.LastResponse.Header) {
		t.Errorf("first %+v, second %+v", made, second)
	}
	s.wantEffects(s.network.wantOneKey(t, 3), 1)
}

// R4: a handler that fails leaves nothing, so the caller's next attempt with the key is the first again.
func TestStripe_R4_FailureInTransactionMode(t *testing.T) {
	var runs atomic.Int64
	s := newShop(t, "transaction", func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
		answer, err := create(ctx, tx, call, s)
		if runs.Add(1) == 1 {
			return runtime.Response{}, errors.New("the disk is full")
		}
		return answer, err
	})
	_, err := s.create("one", "a@example.com")
	var known *stripe.Error
	if !errors.As(err, &known) || known.HTTPStatusCode != 500 || known.Type != stripe.ErrorTypeAPI {
		t.Fatalf("%v", err)
	}
	s.wantEffects("one", 0)
	customer, err := s.create("one", "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if replayed(customer.LastResponse.Header) {
		t.Error("it is marked as a repetition")
	}
	s.wantEffects(s.network.wantOneKey(t, 2), 1)
}

// R4, I3: a 500 that Stripe's rules keep comes back as it was when the caller asks again.
func TestStripe_R4_I3_StoredServerError(t *testing.T) {
	s := newShop(t, "lease", func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
		if _, err := create(ctx, tx, call, s); err != nil {
			return runtime.Response{}, err
		}
		return asJSON(http.StatusInternalServerError, map[string]any{"error": map[string]string{"type": "api_error", "message": "The ledger is closed."}})
	})
	for _, again := range []bool{false, true} {
		_, err := s.create("one", "a@example.com")
		var known *stripe.Error
		if !errors.As(err, &known) || known.HTTPStatusCode != 500 || known.Type != stripe.ErrorTypeAPI || known.Msg != "The ledger is closed." {
			t.Fatalf("%v", err)
		}
		if replayed(known.LastResponse.Header) != again {
			t.Errorf("asked again: %v; headers %v", again, known.LastResponse.Header)
		}
	}
	s.wantEffects(s.network.wantOneKey(t, 2), 1)
	if runs := s.Runs.Load(); runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

// F4, C5: the same key with other parameters is stripe-go's idempotency error.
func TestStripe_F4_C5_Mismatch(t *testing.T) {
	s := newShop(t, "transaction", create)
	if _, err := s.create("one", "a@example.com"); err != nil {
		t.Fatal(err)
	}
	_, err := s.create("one", "b@example.com")
	var known *stripe.Error
	if !errors.As(err, &known) || known.Type != stripe.ErrorTypeIdempotency || known.HTTPStatusCode != http.StatusBadRequest {
		t.Fatalf("%v", err)
	}
	var idempotency *stripe.IdempotencyError
	if !errors.As(known.Err, &idempotency) {
		t.Errorf("%T", known.Err)
	}
	if len(s.network.keys) != 2 {
		t.Errorf("%d attempts: a mismatch is not tried again", len(s.network.keys))
	}
	s.wantEffects("one", 1)
	again, err := s.create("one", "a@example.com") // and the first answer stands
	if err != nil || again.Email != "a@example.com" {
		t.Errorf("%v: %+v", err, again)
	}
}

// S1: a key of another account is another key.
func TestStripe_S1_Accounts(t *testing.T) {
	s := newShop(t, "transaction", create)
	mine, err := s.create("one", "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	params := &stripe.CustomerParams{Email: stripe.String("a@example.com")}
	params.SetIdempotencyKey("one")
	theirs := &stripe.Customer{}
	if err := s.backend.Call(http.MethodPost, "/v1/customers", "sk_test_2", params, theirs); err != nil {
		t.Fatal(err)
	}
	if mine.ID == theirs.ID || replayed(theirs.LastResponse.Header) {
		t.Errorf("%+v and %+v", mine, theirs)
	}
}
