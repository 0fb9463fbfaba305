package drill

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// A server can send what it likes: the drill ends, in time, with a sentence for each promise and without a claim that
// nobody saw.
func TestRun_P3_HostileServers(t *testing.T) {
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		says  string // is found in the reasons
	}{
		"endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "more than"},
		"slow": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no whole answer within"},
		"dripping": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("."))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, "no whole answer within"},
		"closes": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "closed the connection"},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}, "answered with 302"},
		"nothing found": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "answered with 404"},
		"unauthorized":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "give credentials"},
		"always busy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999")
			w.WriteHeader(503)
		}, "503"},
		"bad content type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "\"\x01;;=")
			w.WriteHeader(422)
			_, _ = w.Write([]byte("\xff\x1b[2J"))
		}, "422"},
		"false gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(201)
			_, _ = w.Write([]byte("not gzip"))
		}, ""},
		"many headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 10_000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 100))
			}
		}, "not answer in HTTP"},
		"same answer to all": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, ""},
		"marks everything": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Idempotent-Replayed", "true")
			w.WriteHeader(201)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(c.serve)
			server.Config.ErrorLog = nil
			server.Start()
			defer server.CloseClientConnections()
			patience := 20 * time.Second
			if c.says == "no whole answer within" {
				patience = 300 * time.Millisecond
			}
			hostile(t, server.URL, c.says, patience)
		})
	}
}

// What net/http's server cannot be made to say is written by hand.
func TestRun_P3_ServersThatDoNotSpeakHTTP(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"early hints for ever": {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5000), "not answer in HTTP"},
		"wrong length":         {"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n{}", "ended before it was whole"},
		"not HTTP":             {"SSH-2.0-OpenSSH_9.2\r\n", "not answer in HTTP"},
		"nothing":              {"", "closed the connection"},
		"two lengths":          {"HTTP/1.1 201 Created\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "not answer in HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = listener.Close() }()
			go func() {
				for {
					connection, err := listener.Accept()
					if err != nil {
						return
					}
					go func() {
						buffer := make([]byte, 64<<10)
						_, _ = connection.Read(buffer)
						_, _ = io.WriteString(connection, c.text)
						_ = connection.(*net.TCPConn).CloseWrite()
						_, _ = io.Copy(io.Discard, connection)
						_ = connection.Close()
					}()
				}
			}()
			hostile(t, "http://"+listener.Addr().String(), c.says, 20*time.Second)
		})
	}
}

func hostile(t *testing.T, address, says string, patience time.Duration) {
	t.Helper()
	plan := Plan{
		Policy: published(t, operation("createPayment", "/payments")), BaseURL: address, Concurrency: []int{4},
		Limits: Limits{Request: patience, Settle: 300 * time.Millisecond, Total: time.Minute, Body: 1 << 20},
	}
	start := time.Now()
	report := run(t, plan)
	if took := time.Since(start); took > 90*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(report.Operations) != 1 || len(report.Operations[0].Results) != len(plan.Policy.Operations[0].Promises) {
		t.Errorf("not every promise has a result: %s", show(report))
	}
	text := show(report)
	if !strings.Contains(text, says) {
		t.Errorf("%q is not said: %s", says, text)
	}
	if says != "" && report.Count(Broken) > 0 { // nobody saw an answer to judge
		t.Errorf("broken: %v\n%s", brokenPromises(report), text)
	}
	var out strings.Builder
	if err := report.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(out.String()), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("the JUnit report cannot be read: %v", err)
	}
}

// A drill that is stopped says what it knows.
func TestRun_P3_CanBeStopped(t *testing.T) {
	b, operations := kinds["payments"]()
	plan := planFor(t, b, operations...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	plan.Observer = func(e Event) {
		if e.Result != nil {
			if seen++; seen == 5 {
				cancel()
			}
		}
	}
	report, err := Run(ctx, plan)
	if err != nil {
		t.Fatal(err)
	}
	if report.Stopped == "" || report.Count(Broken) > 0 || report.Count(Skipped) == 0 || report.Count(Kept) == 0 {
		t.Errorf("%s", show(report))
	}
}

// An observer can say how far a drill is: each promise has one result, and the last of them is the last of all.
func TestRun_P3_TellsHowFarItIs(t *testing.T) {
	b, operations := kinds["payments"]()
	plan := planFor(t, b, operations...)
	var events []Event
	plan.Observer = func(e Event) { events = append(events, e) }
	report := run(t, plan)
	done := 0
	for i, e := range events {
		if e.Result != nil {
			done++
		}
		if e.Done != done || e.Promises != events[0].Promises || i > 0 && e.Requests < events[i-1].Requests {
			t.Errorf("event %d: %d of %d after %d requests, want %d of %d", i, e.Done, e.Promises, e.Requests, done, events[0].Promises)
		}
	}
	if last := events[len(events)-1]; last.Done != last.Promises || last.Requests != report.Requests {
		t.Errorf("it ends at %d of %d, %d requests; the report has %d", last.Done, last.Promises, last.Requests, report.Requests)
	}
}

// Without a clock nobody waits for a day, and says so; without a second account the scope says what was not tried.
func TestRun_P3_SaysWhatItCannotTest(t *testing.T) {
	b, operations := kinds["payments"]()
	plan := planFor(t, b, operations[:1]...)
	plan.Clock, plan.OtherCredentials = nil, nil
	report := run(t, plan)
	reasons := map[string]string{}
	for _, result := range report.Operations[0].Results {
		if result.Outcome == NotTestable {
			reasons[result.Promise] = result.Why
		}
	}
	for promise, want := range map[string]string{
		policydoc.PromiseRetention: "remembered for 24 hours", policydoc.PromiseRetentionEnd: "with --clock, or wait with --after", policydoc.PromiseScope: "--other-header", policydoc.PromiseUnavailable: "store",
	} {
		if !strings.Contains(reasons[promise], want) {
			t.Errorf("%s: %q does not say %q", promise, reasons[promise], want)
		}
	}
	if b.count() > report.MaxEffects || report.MaxEffects != 1 {
		t.Errorf("%d effects, and %d were announced", b.count(), report.MaxEffects)
	}
}

// What was not chosen is not sent: no request and no effect for a promise that nobody can test.
func TestRun_P3_SendsNothingForWhatIsNotTested(t *testing.T) {
	b, operations := kinds["payments"]()
	operations[1].Webhook = true
	plan := planFor(t, b, operations...)
	plan.Promises = []string{policydoc.PromiseUnavailable}
	report := run(t, plan)
	if report.Requests != 0 || b.count() != 0 || report.Count(Skipped) == 0 || report.Count(Kept)+report.Count(Broken) != 0 {
		t.Errorf("%s", show(report))
	}
	for _, op := range report.Operations {
		if len(op.Results) != len(plan.Policy.Operations[0].Promises) {
			t.Errorf("%s has %d results of %d", op.ID, len(op.Results), len(plan.Policy.Operations[0].Promises))
		}
	}
}

// A real wait for a retention that is short enough.
func TestRun_P3_X1_WaitsForAShortRetention(t *testing.T) {
	b, operations := kinds["payments"]()
	b.retention = 3 * time.Second
	operations[0].Policy.Retention = 3 * time.Second
	plan := planFor(t, b, operations[0])
	plan.Clock, plan.After, plan.Promises = nil, 5*time.Second, []string{policydoc.PromiseRetention, policydoc.PromiseRetentionEnd}
	report := run(t, plan)
	if strings.Contains(show(report), "took longer than the key is remembered") {
		t.Skip("the machine is too busy to send a request in three seconds")
	}
	if report.Count(Kept) != 2 {
		t.Errorf("%s", show(report))
	}
}

func TestRun_RefusesPlans(t *testing.T) {
	good := func() Plan {
		return Plan{Policy: published(t, operation("createPayment", "/payments")), BaseURL: "http://localhost:1"}
	}
	for want, spoil := range map[string]func(*Plan){
		"no policy":              func(p *Plan) { p.Policy = nil },
		"is not a URL":           func(p *Plan) { p.BaseURL = "localhost:8080" },
		"without credentials":    func(p *Plan) { p.BaseURL = "http://user:secret@localhost" },
		"no operation \"other\"": func(p *Plan) { p.Operations = []string{"other"} },
		"no promise \"other\"":   func(p *Plan) { p.Promises = []string{"other"} },
		"1 to 10000":             func(p *Plan) { p.Concurrency = []int{0} },
		"no such operation":      func(p *Plan) { p.Bodies = map[string]Body{"other": {}} },
		"begin with /":           func(p *Plan) { p.Paths = map[string]string{"createPayment": "payments"} },
	} {
		plan := good()
		spoil(&plan)
		_, err := Run(t.Context(), plan)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}

func TestIsLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:8080": true, "http://127.0.0.1": true, "http://127.9.9.9": true, "http://[::1]:80": true, "https://a.localhost": true, "http://LOCALHOST.": true,
		"http://example.com": false, "http://localhost.example.com": false, "http://localhost@example.com": false, "http://10.0.0.1": false, "http://0.0.0.0": false, "": false, "http://127.0.0.1.example.com": false,
	} {
		if got := IsLocal(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
