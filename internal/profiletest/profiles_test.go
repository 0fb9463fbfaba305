package profiletest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// modes are those that each profile is run in.
var modes = []policy.Mode{policy.Transaction, policy.LeaseMode}

// each runs a test for each profile in each mode.
func each(t *testing.T, test func(t *testing.T, o Options)) {
	for _, name := range policy.ProfileNames() {
		for _, mode := range modes {
			t.Run(name+"/"+string(mode), func(t *testing.T) { test(t, Options{Profile: name, Mode: mode}) })
		}
	}
}

// client sends payments to a service, with the key where its policy has it.
type client struct {
	*Service
	t      *testing.T
	policy *policy.Policy
	sent   time.Time // the time of the first attempt
}

func newClient(t *testing.T, s *Service) *client {
	return &client{Service: s, t: t, policy: &s.Document.Keyed()[0].Policy, sent: s.now()}
}

// reply is what came.
type reply struct {
	status int
	header http.Header
	body   string
}

// pay sends a payment; without a key where key is empty.
func (c *client) pay(key, amount, currency string) reply {
	c.t.Helper()
	rules := &c.policy.Key
	target, members := c.URL+"/payments", map[string]any{"amount": json.Number(amount), "currency": currency}
	header := http.Header{"Authorization": {"Bearer one"}, "Content-Type": {"application/json"}}
	form := url.Values{"amount": {amount}, "currency": {currency}}
	if key != "" {
		switch rules.In {
		case policy.InHeader:
			header.Set(rules.Name, key)
		case policy.InBody:
			members[strings.TrimPrefix(rules.Pointer, "/")] = key
		case policy.InForm:
			form.Set(rules.Name, key)
		case policy.InQuery:
			target += "?" + url.Values{rules.Name: {key}}.Encode()
		}
		if rules.FirstSent.Header != "" {
			header.Set(rules.FirstSent.Header, c.sent.UTC().Format(http.TimeFormat))
		}
	}
	body, err := json.Marshal(members)
	if err != nil {
		c.t.Fatal(err)
	}
	if rules.In == policy.InForm {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		body = []byte(form.Encode())
	}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Error(err)
		return reply{}
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Error(err)
	}
	return reply{answer.StatusCode, answer.Header, string(content)}
}

func (c *client) wantEffects(key string, want int) {
	c.t.Helper()
	got, err := c.Ledger.Count(c.t.Context(), CreatePayment, key)
	if err != nil || got != want {
		c.t.Errorf("%d effects, want %d (%v)", got, want, err)
	}
}

// again is the status that a repetition has for a first one.
func (c *client) again(status int) int {
	for _, change := range c.policy.Replay.Status {
		if change.From == status {
			return change.To
		}
	}
	return status
}

func (c *client) marked(r reply) bool {
	return c.policy.Replay.Header != "" && r.header.Get(c.policy.Replay.Header) == c.policy.Replay.Value
}

// wantAnswer checks what each answer to an accepted request has.
func (c *client) wantAnswer(r reply, key string, status int, repeated bool) {
	c.t.Helper()
	if r.status != status || c.policy.Replay.Header != "" && c.marked(r) != repeated {
		c.t.Errorf("got %+v, want status %d, repeated: %v", r, status, repeated)
	}
	for _, header := range c.policy.Answers.Headers {
		if got, want := r.header.Get(header.Name), strings.ReplaceAll(header.Value, "{key}", key); got != want {
			c.t.Errorf("%s: %q, want %q", header.Name, got, want)
		}
	}
}

// wantRefusal checks what the policy says of a refusal.
func (c *client) wantRefusal(r reply, want policy.ErrorAnswer) {
	c.t.Helper()
	if r.status != want.Status || c.marked(r) {
		c.t.Errorf("got %+v, want %d", r, want.Status)
	}
	if want.Code != "" && !strings.Contains(r.body, want.Code) {
		c.t.Errorf("the body has no code %s: %s", want.Code, r.body)
	}
	for _, header := range want.Headers {
		if got := r.header.Get(header.Name); got != header.Value {
			c.t.Errorf("%s: %q, want %q", header.Name, got, header.Value)
		}
	}
	for _, header := range c.policy.Answers.Headers {
		if got := r.header.Get(header.Name); got != "" && !slices.ContainsFunc(want.Headers, func(h policy.HeaderValue) bool { return h.Name == header.Name }) {
			c.t.Errorf("a refusal has %s: %q", header.Name, got)
		}
	}
	if !json.Valid([]byte(r.body)) {
		c.t.Errorf("not JSON: %s", r.body)
	}
}

// newKey is a key that the policy takes.
func (c *client) newKey() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	version := map[policy.Format]byte{policy.UUID5: 5, policy.UUID7: 7}[c.policy.Key.Format]
	if version == 0 {
		version = 4
	}
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

// P3, I1, I3, I4, K4, R3, X1: each profile's policy, in each mode, is what a client meets. What is expected is read from the
// policy, and how is written here by hand, beside what a drill finds.
func TestProfiles_P3_I1_I3_I4_K4_R3_X1(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		t.Parallel()
		c := newClient(t, Start(t, o))
		p := c.policy
		key := c.newKey()
		first := c.pay(key, "4200", "EUR")
		c.wantAnswer(first, key, http.StatusCreated, false)
		second := c.pay(key, "4200", "EUR")
		c.wantAnswer(second, key, c.again(http.StatusCreated), true)
		if second.body != first.body || second.header.Get("Location") != first.header.Get("Location") || second.header.Get("Set-Cookie") != "" && p.Replay.As == policy.Stored {
			t.Errorf("first %+v, then %+v", first, second)
		}
		if other := c.pay(key, "4300", "EUR"); p.Fingerprint.Body == policy.NoBody { // Modern Treasury does not compare
			c.wantAnswer(other, key, c.again(http.StatusCreated), true)
		} else {
			c.wantRefusal(other, p.Errors.Mismatch)
		}
		c.wantEffects(key, 1)

		missing := c.pay("", "4200", "EUR")
		if p.Key.Required {
			c.wantRefusal(missing, p.Errors.Missing)
			c.wantEffects("", 0)
		} else if missing.status != http.StatusCreated || c.marked(missing) {
			t.Errorf("without a key: %+v", missing)
		}
		long := strings.Repeat("k", p.Key.MaxLength+1)
		c.wantRefusal(c.pay(long, "4200", "EUR"), p.Errors.Malformed)
		c.wantEffects(long, 0)

		// A business outcome is kept as far as the policy says.
		no := c.newKey()
		c.wantAnswer(c.pay(no, "4200", declined), no, http.StatusPaymentRequired, false)
		runs := c.Runs.Load()
		if p.Store.Statuses.Contains(http.StatusPaymentRequired) {
			c.wantAnswer(c.pay(no, "4200", declined), no, c.again(http.StatusPaymentRequired), true)
			if c.Runs.Load() != runs {
				t.Error("a kept answer was made anew")
			}
		} else {
			c.wantAnswer(c.pay(no, "4200", declined), no, http.StatusPaymentRequired, false)
			if c.Runs.Load() != runs+1 {
				t.Error("an answer that is not kept was not made anew")
			}
		}

		// After the retention the same key is new, or refused where the request says that it is old (X3).
		if err := c.Advance(t.Context(), p.Retention+time.Minute); err != nil {
			t.Fatal(err)
		}
		if p.Key.FirstSent.Header != "" {
			c.wantRefusal(c.pay(key, "4200", "EUR"), p.Errors.Expired)
			c.wantEffects(key, 1)
			c.sent = c.now()
		}
		c.wantAnswer(c.pay(key, "4200", "EUR"), key, http.StatusCreated, false)
		c.wantEffects(key, 2)
	})
}

// C1, I1: whatever a profile says of duplicates, fifty at once have one effect, and those that are not answered are told so
// in the profile's way. R3, I3: all other answers are the same.
func TestProfiles_C1_C2_I1_FiftyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		t.Parallel()
		begun, leave := make(chan struct{}), make(chan struct{})
		var once sync.Once
		o.Work = func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *Service) (runtime.Response, error) {
			once.Do(func() { close(begun) })
			<-leave
			return pay(ctx, tx, call, s)
		}
		c := newClient(t, Start(t, o))
		key := c.newKey()
		done := make(chan reply, 50)
		go func() { done <- c.pay(key, "4200", "EUR") }()
		<-begun
		conflict := c.policy.InFlight.Answer == policy.Conflict
		for range 49 {
			go func() { done <- c.pay(key, "4200", "EUR") }()
		}
		counts := map[int]int{}
		if conflict { // the first cannot end before the others have been told
			for range 49 {
				r := <-done
				counts[r.status]++
				c.wantRefusal(r, c.policy.Errors.InFlight)
				if r.header.Get("Retry-After") == "" {
					t.Errorf("no Retry-After: %+v", r)
				}
			}
		}
		close(leave)
		for range 50 - counts[c.policy.Errors.InFlight.Status] {
			counts[(<-done).status]++
		}
		want := map[int]int{http.StatusCreated: 1}
		if conflict {
			want[c.policy.Errors.InFlight.Status] += 49
		} else {
			want[c.again(http.StatusCreated)] += 49
		}
		if !maps.Equal(counts, want) {
			t.Errorf("answers by status %v, want %v", counts, want)
		}
		c.wantEffects(key, 1)
	})
}

// The same over PostgreSQL, for the profiles that ask most of a store: its clock, the state of now, a whole account's keys.
func TestProfiles_P3_I12_OverPostgreSQL(t *testing.T) {
	for _, name := range []string{"ietf", "stripe", "adyen", "paypal", "repeatability", "square"} {
		for _, mode := range modes {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				c := newClient(t, Start(t, Options{Profile: name, Mode: mode, Pool: pgtest.Pool(t, nil)}))
				key := c.newKey()
				first := c.pay(key, "4200", "EUR")
				c.wantAnswer(first, key, http.StatusCreated, false)
				second := c.pay(key, "4200", "EUR")
				c.wantAnswer(second, key, c.again(http.StatusCreated), true)
				if second.body != first.body {
					t.Errorf("first %+v, then %+v", first, second)
				}
				c.wantRefusal(c.pay(key, "4300", "EUR"), c.policy.Errors.Mismatch)
				c.wantEffects(key, 1)
				if c.policy.Key.FirstSent.Header == "" {
					return
				}
				c.sent = c.now().Add(-c.policy.Retention - 2*time.Second)
				late := c.newKey()
				c.wantRefusal(c.pay(late, "4200", "EUR"), c.policy.Errors.Expired)
				c.sent = c.now().Add(c.policy.Key.FirstSent.MaxSkew + 5*time.Second)
				c.wantRefusal(c.pay(late, "4200", "EUR"), c.policy.Errors.Expired)
				c.wantEffects(late, 0)
			})
		}
	}
}

// R4, I3: what Stripe says of a 500 is kept end to end where it can be: in lease mode the first answer stands and comes again.
// In transaction mode a 5xx undoes its work and its record, so that a repetition runs anew, and the policy does not promise
// more.
func TestProfiles_R4_I3_StoredServerError(t *testing.T) {
	for _, mode := range modes {
		t.Run(string(mode), func(t *testing.T) {
			failing := func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *Service) (runtime.Response, error) {
				if _, err := s.Ledger.Add(ctx, tx, Payment{Account: call.Principal(), Key: call.Key()}); err != nil {
					return runtime.Response{}, err
				}
				return answer(http.StatusInternalServerError, nil, map[string]string{"error": fmt.Sprintf("run %d", s.Runs.Load())})
			}
			c := newClient(t, Start(t, Options{Profile: "stripe", Mode: mode, Work: failing}))
			kept := mode == policy.LeaseMode
			if got := c.policy.Store.Statuses.Contains(500); got != kept {
				t.Fatalf("the policy keeps a 500: %v, want %v", got, kept)
			}
			key := c.newKey()
			first := c.pay(key, "4200", "EUR")
			c.wantAnswer(first, key, 500, false)
			second := c.pay(key, "4200", "EUR")
			c.wantAnswer(second, key, 500, kept)
			if (first.body == second.body) != kept {
				t.Errorf("first %s, then %s", first.body, second.body)
			}
			if kept {
				c.wantEffects(key, 1)
				c.wantRefusal(c.pay(key, "4300", "EUR"), c.policy.Errors.Mismatch)
			} else {
				c.wantEffects(key, 0)
			}
			if want := map[bool]int64{true: 1, false: 2}[kept]; c.Runs.Load() != want {
				t.Errorf("%d runs, want %d", c.Runs.Load(), want)
			}
		})
	}
}
