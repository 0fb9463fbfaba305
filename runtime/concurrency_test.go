package runtime_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// hold makes a handler that says when it has started and goes on when it is told.
func (s *service) hold() (started chan struct{}, release chan struct{}) {
	started, release = make(chan struct{}, 10_000), make(chan struct{})
	s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		answer, err := s.pay(call)
		started <- struct{}{}
		<-release
		return answer, err
	}
	return started, release
}

// waitForQueue waits until n requests wait in the gate.
func (s *service) waitForQueue(engine *runtime.Engine[pgx.Tx], n int) {
	s.t.Helper()
	for start := time.Now(); engine.Waiting() != n; time.Sleep(time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			s.t.Errorf("%d requests wait in the gate, want %d", engine.Waiting(), n)
			return
		}
	}
}

func conflict(p *policy.Policy) { p.InFlight.Answer = policy.Conflict }

func TestConcurrent_C1_I1_ThousandAtOnce(t *testing.T) {
	s := newService(t, payment())
	started, release := s.hold()
	go func() {
		<-started
		s.waitForQueue(s.engine, 999)
		close(release)
	}()
	answers := together(1000, func(int) answer { return s.post("hot", body) })
	wantCount(t, answers, map[int]int{201: 1000, 0: 999})
	for _, a := range answers {
		if a.body != answers[0].body {
			t.Fatalf("%s and %s", a.body, answers[0].body)
		}
	}
	s.want(1, 1, 1)
	if most := s.store.most.Load(); most != 1 { // I10
		t.Errorf("%d transactions were open at a time", most)
	}
}

// TestConcurrent_Drill1 is the drill's first three steps.
func TestConcurrent_Drill1(t *testing.T) {
	s := newService(t, payment())
	answers := together(3, func(int) answer { return s.post("k", body) })
	wantCount(t, answers, map[int]int{201: 3, 0: 2})
	s.want(1, 1, 1)
	s.post("k", `{"amount":200}`).wantProblem(t, 422, "key-reused")
	s.want(1, 1, 1)
	if other := s.post("k", body, account("acct_2")); other.status != 201 || other.body == answers[0].body {
		t.Errorf("%+v", other)
	}
	s.want(2, 2, 2)
}

func TestConcurrent_F4_MismatchFromTheGate(t *testing.T) {
	s := newService(t, payment())
	started, release := s.hold()
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	go func() {
		s.waitForQueue(s.engine, 20)
		close(release)
	}()
	answers := together(20, func(i int) answer {
		if i%2 == 0 {
			return s.post("k", body)
		}
		return s.post("k", `{"amount":1}`)
	})
	wantCount(t, answers, map[int]int{201: 10, 422: 10, 0: 10})
	if a := <-first; a.status != 201 || a.replayed() {
		t.Errorf("%+v", a)
	}
	s.want(1, 1, 1)
	if claims := s.store.claims.Load(); claims != 1 {
		t.Errorf("%d claims: those who wait have their answer from memory", claims)
	}
}

func TestConcurrent_C2_Conflict(t *testing.T) {
	s := newService(t, payment(conflict))
	started, release := s.hold()
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	start := time.Now()
	for _, a := range together(50, func(int) answer { return s.post("k", body) }) {
		a.wantProblem(t, 409, "in-flight")
		a.wantRetryAfter(t)
	}
	if took := time.Since(start); took > 700*time.Millisecond { // at once, not after the time for a look
		t.Errorf("they were answered after %v", took)
	}
	if claims := s.store.claims.Load(); claims != 1 {
		t.Errorf("%d claims: a duplicate in this process needs none", claims)
	}
	close(release)
	wantReplay(t, <-first, s.post("k", body))
	s.want(1, 1, 1)
}

// TestConcurrent_C2_ConflictIsNotSaidOfALook has a duplicate arrive while another one is only being answered by a replay.
func TestConcurrent_C2_ConflictIsNotSaidOfALook(t *testing.T) {
	s := newService(t, payment(conflict))
	first := s.post("k", body)
	looking, goOn := make(chan struct{}), make(chan struct{})
	s.store.onClaim = func(_ int64, ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
		looking <- struct{}{}
		<-goOn
		return s.store.Store.Claim(ctx, id, wait)
	}
	answers := make(chan answer)
	go func() { answers <- s.post("k", body) }()
	<-looking
	go func() { answers <- s.post("k", body) }()
	s.waitForQueue(s.engine, 1)
	close(goOn)
	wantReplay(t, first, <-answers)
	wantReplay(t, first, <-answers)
	s.want(1, 1, 1)
}

func TestConcurrent_C2_WaitIsBounded(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.InFlight.MaxWait, p.InFlight.RetryAfter = 30*time.Millisecond, 0 }))
	other := http.NewServeMux()
	s.serve(other, s.newEngine())
	started, release := s.hold()
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	start := time.Now()
	a := s.post("k", body)
	a.wantProblem(t, 409, "in-flight")
	a.wantRetryAfter(t)
	elsewhere := do(other, s.request(body, header("Idempotency-Key", "k"))) // in another process
	elsewhere.wantProblem(t, 409, "in-flight")
	if got := elsewhere.header.Get("Retry-After"); got != "1" { // never 0, which invites at once
		t.Errorf("Retry-After %q", got)
	}
	if took := time.Since(start); took < 60*time.Millisecond || took > 5*time.Second {
		t.Errorf("both took %v", took)
	}
	close(release)
	wantReplay(t, <-first, s.post("k", body))
	s.want(1, 1, 1)
}

// TestConcurrent_C2_WaitsOnceInAll has a request wait in the gate first and for another process then.
func TestConcurrent_C2_WaitsOnceInAll(t *testing.T) {
	const maxWait = time.Second
	s := newService(t, payment(func(p *policy.Policy) { p.InFlight.MaxWait = maxWait }))
	waits := make(chan time.Duration, 2)
	started := make(chan struct{}, 2)
	s.store.onClaim = func(_ int64, _ context.Context, _ runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
		waits <- wait
		started <- struct{}{}
		time.Sleep(maxWait / 2) // another process holds the id, and the store waits for it
		return runtime.Claim[pgx.Tx]{}, nil
	}
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	s.post("k", body).wantProblem(t, 409, "in-flight")
	(<-first).wantProblem(t, 409, "in-flight")
	if one, two := <-waits, <-waits; one > maxWait || one < maxWait/2 || two > maxWait*3/4 {
		t.Errorf("the claims were to wait %v and %v, of %v in all", one, two, maxWait)
	}
}

func TestConcurrent_C2_OtherProcess(t *testing.T) {
	for name, change := range map[string]func(*policy.Policy){"wait": func(*policy.Policy) {}, "conflict": conflict} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, payment(change))
			other, otherEngine := http.NewServeMux(), s.newEngine()
			s.serve(other, otherEngine)
			started, release := s.hold()
			first := make(chan answer)
			go func() { first <- s.post("k", body) }()
			<-started
			const duplicates = 100
			elsewhere := make(chan []answer)
			go func() {
				elsewhere <- together(duplicates, func(int) answer { return do(other, s.request(body, header("Idempotency-Key", "k"))) })
			}()
			if name == "conflict" {
				wantCount(t, <-elsewhere, map[int]int{409: duplicates})
				close(release)
			} else {
				s.waitForQueue(otherEngine, duplicates-1) // and one waits in the store
				close(release)
				wantCount(t, <-elsewhere, map[int]int{201: duplicates, 0: duplicates})
			}
			if a := <-first; a.status != 201 || a.replayed() {
				t.Errorf("%+v", a)
			}
			if most := s.store.most.Load(); most != 1 {
				t.Errorf("%d transactions were open at a time", most)
			}
			s.want(1, 1, 1)
		})
	}
}

func TestConcurrent_LeaderFails(t *testing.T) {
	s := newService(t, payment())
	s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		n := s.runs.Load()
		time.Sleep(2 * time.Millisecond)
		switch {
		case n == 1:
			panic("x")
		case n == 2:
			return runtime.Response{Status: 500}, nil
		case n <= 4:
			return runtime.Response{Status: 404}, nil
		}
		return s.pay(call)
	}
	answers := together(50, func(int) answer { return s.post("k", body) })
	wantCount(t, answers, map[int]int{500: 2, 404: 2, 201: 46, 0: 45})
	s.want(5, 1, 1)
}

func TestConcurrent_WaiterGoes(t *testing.T) {
	s := newService(t, payment())
	started, release := s.hold()
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx)).wantProblem(t, 503, "unavailable")
	close(release)
	if a := <-first; a.status != 201 {
		t.Errorf("%+v", a)
	}
	s.want(1, 1, 1)
	if s.log.String() != "" {
		t.Errorf("log: %s", s.log)
	}
}

func TestConcurrent_A8_LeaderGoes(t *testing.T) {
	s := newService(t, payment())
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan struct{}, 10)
	s.work = func(ctx context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		if s.runs.Load() > 1 {
			return s.pay(call)
		}
		started <- struct{}{}
		<-ctx.Done()
		return runtime.Response{}, ctx.Err()
	}
	go s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx))
	<-started
	second := make(chan answer)
	go func() { second <- s.post("k", body) }()
	s.waitForQueue(s.engine, 1)
	cancel()
	if a := <-second; a.status != 201 || a.replayed() {
		t.Errorf("the next one leads: %+v", a)
	}
	s.want(2, 1, 1)
}

func TestConcurrent_C4_HotKeyDoesNotStarve(t *testing.T) {
	s := newService(t, payment())
	started, release := make(chan struct{}, 1), make(chan struct{})
	s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		if call.Key() == "hot" {
			started <- struct{}{}
			<-release
		}
		return runtime.Response{Status: 201}, nil
	}
	hot := make(chan []answer)
	go func() { hot <- together(500, func(int) answer { return s.post("hot", body) }) }()
	<-started
	for i := range 20 {
		start := time.Now()
		if a := s.post(string(rune('a'+i)), body); a.status != 201 {
			t.Errorf("%+v", a)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("an unrelated key took %v", took)
		}
	}
	if most := s.store.most.Load(); most > 2 {
		t.Errorf("the hot key and one other had %d transactions", most)
	}
	close(release)
	wantCount(t, <-hot, map[int]int{201: 500, 0: 499})
}

// TestConcurrent_StormOfReplays has a thousand requests for a record that is there: they share their looks.
func TestConcurrent_StormOfReplays(t *testing.T) {
	s := newService(t, payment(conflict))
	s.post("k", body)
	s.store.onClaim = func(_ int64, ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
		time.Sleep(5 * time.Millisecond)
		return s.store.Store.Claim(ctx, id, wait)
	}
	wantCount(t, together(1000, func(int) answer { return s.post("k", body) }), map[int]int{201: 1000, 0: 1000})
	s.want(1, 1, 1)
	if claims := s.store.claims.Load(); claims > 900 { // without the gate each makes one; how many share one is up to the scheduler
		t.Errorf("%d claims for 1000 requests", claims)
	}
}
