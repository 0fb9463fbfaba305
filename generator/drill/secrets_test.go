package drill

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// A server that echoes what it was sent, wherever the drill cuts it off and however it writes it, has none of it printed.
func TestRun_P3_EchoedCredentialsAreMaskedWhole(t *testing.T) {
	token := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY2NvdW50LTEyMzQ1Njc4OTAifQ." + strings.Repeat("Q7Zk", 150)
	for name, c := range map[string]struct {
		header, echoed string
		secrets        []string
	}{
		"a long token":       {"Bearer " + token, token, []string{token}},
		"user and password":  {"Basic " + base64.StdEncoding.EncodeToString([]byte("alice:correct-horse")), "alice:correct-horse", []string{"correct-horse"}},
		"as JSON writes it":  {`Token "quoted\secret&more"`, `"quoted\secret&more"`, []string{`quoted\\secret`, `quoted\secret`}},
		"a part of a cookie": {"a=b; session=0123456789abcdefghij", "0123456789abcdefghij", []string{"0123456789abcdefghij"}},
	} {
		for _, cut := range []int{0, 60, 95, 250, 295, 1000, 1020} {
			t.Run(fmt.Sprintf("%s, %d", name, cut), func(t *testing.T) {
				t.Parallel()
				p := published(t, operation("createPayment", "/payments"))
				n := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n++
					written, _ := json.Marshal(c.echoed)
					echo := strings.Repeat("-", cut) + c.echoed + " " + string(written[1:len(written)-1]) + " " + url.QueryEscape(c.echoed) + " " + html.EscapeString(c.echoed)
					w.Header().Set("Location", strings.Repeat("-", cut)+strings.TrimSpace(c.echoed)+fmt.Sprint(n))
					w.Header().Set("X-Key", echo)
					w.Header().Set("Retry-After", echo)
					w.Header().Set("Content-Type", "application/problem+json")
					if strings.Contains(r.Header.Get("Idempotency-Key"), ",") || len(r.Header.Get("Idempotency-Key")) < 10 {
						w.WriteHeader(400)
						problem, _ := json.Marshal(map[string]string{"type": strings.Repeat("-", cut) + c.echoed})
						_, _ = w.Write(problem)
						return
					}
					w.WriteHeader(201)
					_, _ = w.Write([]byte(echo))
				}))
				defer server.Close()
				report := run(t, Plan{Policy: p, BaseURL: server.URL, Credentials: http.Header{"Authorization": {c.header}}, Concurrency: []int{1}})
				if report.Count(Broken) < 3 {
					t.Errorf("there is no evidence to look at: %s", show(report))
				}
				text := show(report)
				var b strings.Builder
				if err := report.WriteJUnit(&b); err != nil {
					t.Fatal(err)
				}
				var whys strings.Builder
				for _, result := range report.Operations[0].Results {
					whys.WriteString(result.Why + "\n")
					for _, e := range result.Evidence {
						whys.WriteString(e.Request + e.Answer)
					}
				}
				for _, secret := range c.secrets {
					for at := 0; at+10 <= len(secret); at += 5 {
						for form, all := range map[string]string{"JSON": text, "JUnit": b.String(), "text": whys.String()} {
							if part := secret[at : at+10]; strings.Contains(all, part) {
								t.Fatalf("%s: %q of it is shown: ...%s...", form, part, all[max(0, strings.Index(all, part)-60):][:90])
							}
						}
					}
				}
			})
		}
	}
}

// Requests of a burst that got no answer are counted, and not passed over.
func TestRun_P3_SaysHowManyOfABurstGotNoAnswer(t *testing.T) {
	b, operations := kinds["payments"]()
	plan := planFor(t, b, operations[:1]...)
	n := make(chan bool, 1000)
	for i := range 1000 {
		n <- i%4 == 3
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if <-n {
			panic(http.ErrAbortHandler)
		}
		b.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	plan.BaseURL, plan.Concurrency, plan.Promises = server.URL, []int{40}, []string{policydoc.PromiseOneEffect}
	report := run(t, plan)
	for _, result := range report.Operations[0].Results {
		if result.Promise != policydoc.PromiseOneEffect || result.Outcome == NotTestable {
			continue
		}
		if result.Outcome != Kept || !strings.Contains(result.Why, "10 of 40 requests at once got no answer: the server closed the connection") {
			t.Errorf("%s: %q", result.Outcome, result.Why)
		}
	}
}
