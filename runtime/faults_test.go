package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Faults that other idempotency layers had, and the test here that has each of them. The texts say what went wrong there.
// What concerns a database is in pgstore, what concerns leases is not part of this runtime.
var faults = []struct{ fault, test string }{
	{"looked, then locked without a second look: a finished request ran again", "TestTransaction_A7_LostRaceReplays"},
	{"check-then-set was not atomic, and concurrent duplicates ran", "TestConcurrent_C1_I1_ThousandAtOnce"},
	{"a store error counted as a new request, and the handler ran unprotected", "TestTransaction_I9_A9_FailsClosed"},
	{"after a 5xx a pending record answered 409 until it expired", "TestTransaction_R2_R3_R4_StoresByStatus"},
	{"the key alone found the record: routes and tenants shared answers", "TestScope_S2_AccountWide"},
	{"tenants shared answers because scope was optional", "TestNew_S1"},
	{"a default principal put all anonymous clients into one bucket", "TestBegin_S1_Principal"},
	{"scope and key were joined so that two pairs were one", "TestScope_S1_NoJoin"},
	{"a client that disconnected lost the record of a committed effect", "TestTransaction_A8_ClientGone"},
	{"a failed leader left the others waiting for ever", "TestConcurrent_LeaderFails"},
	{"waiting duplicates ignored their context", "TestConcurrent_WaiterGoes"},
	{"the lock stayed after a panic or another odd way out", "TestTransaction_A10_Goexit"},
	{"one TTL for lock and record wedged a key after a crash", "TestTransaction_A10_Panic"},
	{"a lost race was answered by 503 or 500 instead of the record", "TestTransaction_A7_LostRaceReplays"},
	{"a request collided with its own record after an unknown commit", "TestTransaction_A6_UnknownCommit"},
	{"a serialization failure was the client's problem", "TestTransaction_A7_RunsAgain"},
	{"two different keys with one body were a conflict", "TestFault_TwoEqualRequestsWithTwoKeys"},
	{"the fingerprint was of the body only: path and query did not count", "TestFingerprint_F1_F4"},
	{"a dry run's answer was replayed for the real thing", "TestFingerprint_F1_F4"},
	{"query parameters were joined so that two queries were one", "TestFingerprint_F1_F4"},
	{"the order of JSON members changed the fingerprint", "TestCanonicalJSON_F2"},
	{"1.0 and 1 were two values, or 2^53 and 2^53+1 were one", "TestCanonicalJSON_F2"},
	{"a multipart boundary changed the fingerprint", "TestFingerprint_F3_Multipart"},
	{"the payload was not compared on the fast path", "TestConcurrent_F4_MismatchFromTheGate"},
	{"a mismatch damaged the stored record", "TestFingerprint_F1_F4"},
	{"a mismatch looked like any other validation error", "TestAnswers_C5_AreDistinct"},
	{"volatile fields could not be left out of the fingerprint", "TestFingerprint_F2_IncludeExclude"},
	{"Set-Cookie and WWW-Authenticate were replayed", "TestReplay_R1_Headers"},
	{"Location was not replayed", "TestReplay_R1_Headers"},
	{"Content-Encoding was lost, and the replayed body was garbage", "TestReplay_R1_Headers"},
	{"Content-Type was always JSON on a replay", "TestReplay_R5_I3_Bodies"},
	{"an empty body or a 204 was not kept", "TestReplay_R5_I3_Bodies"},
	{"a large live answer was cut to what could be kept", "TestReplay_R5_I14_Tombstone"},
	{"a result that was too large was run again", "TestReplay_R5_I14_Tombstone"},
	{"a stream was kept in memory, or stored as nothing", "TestHandler_R6_Capture"},
	{"a corrected request found the cached 400 of the wrong one", "TestTransaction_R2_RejectStoresNothing"},
	{"a 5xx was kept for a day", "TestTransaction_R2_R3_R4_StoresByStatus"},
	{"a replay could not be told from a first answer", "TestReplay_R7_MarkerAndStatus"},
	{"an error had the wrong content type", "TestAnswers_C5_AreDistinct"},
	{"a huge key met the index's limit and was a 500", "TestFault_HugeKey"},
	{"an absent key was replaced by a new one for each call", "TestFault_NoKeyIsMade"},
	{"an unzipped body was not bounded", "TestFingerprint_F3_Gzip"},
	{"expired records answered for ever, or never went", "TestTransaction_X1_Expired"},
	{"keys or bodies were written to the log", "TestFault_NothingOfTheRequestIsLogged"},
	{"a hot key took all connections", "TestConcurrent_C4_HotKeyDoesNotStarve"},
	{"the answer was sent before the commit", "TestTransaction_I11_NothingIsSentBeforeTheCommit"},
	{"two adjacent durations were swapped", "TestFault_RetentionAndWaitAreNamed"},
}

func TestFaults_HaveTests(t *testing.T) {
	var source strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "_test.go") {
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	for _, f := range faults {
		if !regexp.MustCompile(`func ` + f.test + `\(`).MatchString(source.String()) {
			t.Errorf("%s: there is no %s", f.fault, f.test)
		}
	}
}

func TestFault_TwoEqualRequestsWithTwoKeys(t *testing.T) {
	s := newService(t, payment())
	one, two := s.post("coffee-1", body), s.post("coffee-2", body)
	if one.status != 201 || two.status != 201 || two.replayed() || one.body == two.body {
		t.Errorf("two coffees cannot be bought: %+v, %+v", one, two)
	}
	s.want(2, 2, 2)
}

func TestFault_HugeKey(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Key.MaxLength = 1024 }))
	s.post(strings.Repeat("k", 70_000), body).wantProblem(t, 400, "malformed-key")
	if a := s.post(strings.Repeat("k", 1024), body, account(strings.Repeat("a", 70_000))); a.status != 201 {
		t.Errorf("%d", a.status)
	}
}

func TestFault_NoKeyIsMade(t *testing.T) {
	s := newService(t, payment())
	s.do(s.request(body)).wantProblem(t, 400, "missing-key")
	s.want(0, 0, 0)
	s = newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
	s.do(s.request(body))
	s.want(1, 1, 0) // unprotected, and nothing pretends otherwise
}

func TestFault_RetentionAndWaitAreNamed(t *testing.T) {
	s := newService(t, payment())
	var kept *runtime.Record
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		kept = r
		return w.Commit(ctx, r)
	}
	s.post("k", body)
	if kept.Retention != s.op.Policy.Retention || kept.Retention == s.op.Policy.InFlight.MaxWait {
		t.Errorf("kept for %v", kept.Retention)
	}
}

func TestFault_NothingOfTheRequestIsLogged(t *testing.T) {
	const secret = "s3cr3t"
	s := newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
	sendAll := func() {
		for _, key := range []string{secret + "-key", "", secret + ";"} {
			changes := []func(*http.Request){account(secret + "-account"), path("/orders/" + secret + "/payments?q=" + secret)}
			if key != "" {
				changes = append(changes, header("Idempotency-Key", key))
			}
			a := s.do(s.request(`{"card":"`+secret+`"}`, changes...))
			if strings.Contains(a.body, secret) {
				t.Errorf("the answer repeats the request: %s", a.body)
			}
		}
	}
	for _, w := range []work{
		func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic(secret) },
		func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, errors.New("card " + secret)
		},
		respond(runtime.Response{Status: 7}),
		respond(runtime.Response{Status: 200, Header: http.Header{"bad " + secret: nil}}),
	} {
		s.work = w
		sendAll()
	}
	s.work = nil
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
		return errors.Join(w.Rollback(ctx), errors.New("key "+secret))
	}
	sendAll()
	s.store.down.Store(true)
	sendAll()
	log := s.log.String()
	if strings.Count(log, "\n") < 10 {
		t.Errorf("too little is logged to test with: %s", log)
	}
	if strings.Contains(log, secret) {
		t.Errorf("the log holds the secret: %s", log)
	}
}
