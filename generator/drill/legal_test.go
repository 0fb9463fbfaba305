package drill

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// raw sends an answer as it is written, and closes the connection without having said so.
func raw(w http.ResponseWriter, text string) {
	connection, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = buffer.WriteString(text)
	_ = buffer.Flush()
	time.Sleep(time.Millisecond)
	_ = connection.Close()
}

// written by hand, an answer has the form that net/http's server never gives it.
func byHand(status string, answer *httptest.ResponseRecorder, length bool, name func(string) string, body string) string {
	var b strings.Builder
	b.WriteString(status + "\r\n")
	for header, values := range answer.Result().Header {
		for _, value := range values {
			b.WriteString(name(header) + ":   " + value + " \t\r\n")
		}
	}
	if length && answer.Code != 204 {
		fmt.Fprintf(&b, "content-length: %d\r\n", len(body))
	}
	return b.String() + "\r\n" + body
}

// everyThird is busy, with a status and a Retry-After, for each third request, and the bank for the others.
func everyThird(b *bank, status int, retryAfter func() string) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%3 == 0 {
			w.Header().Set("Retry-After", retryAfter())
			w.WriteHeader(status)
			return
		}
		b.ServeHTTP(w, r)
	}
}

// What HTTP leaves to a server, and what stands between it and its clients, breaks no promise.
func TestRun_P3_LegalServersKeepEveryPromise(t *testing.T) {
	for name, dress := range map[string]func(*bank) http.HandlerFunc{
		"closes connections without a word": func(b *bank) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				raw(w, byHand(fmt.Sprintf("HTTP/1.1 %d Whatever", answer.Code), answer, true, strings.ToLower, answer.Body.String()))
			}
		},
		"HTTP/1.0, without a length": func(b *bank) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				raw(w, byHand(fmt.Sprintf("HTTP/1.0 %d ", answer.Code), answer, false, strings.ToUpper, answer.Body.String()))
			}
		},
		"early hints and chunks": func(b *bank) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Link", "</a>; rel=preload")
				w.WriteHeader(103)
				w.Header().Del("Link")
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				for name, values := range answer.Result().Header {
					w.Header()[name] = values
				}
				w.Header().Set("X-Request-Id", fmt.Sprint(time.Now().UnixNano()))
				w.WriteHeader(answer.Code)
				for _, part := range answer.Body.Bytes() {
					_, _ = w.Write([]byte{part})
					_ = http.NewResponseController(w).Flush()
				}
			}
		},
		"limits the rate": func(b *bank) http.HandlerFunc {
			return everyThird(b, http.StatusTooManyRequests, func() string { return "0" })
		},
		"away for a moment": func(b *bank) http.HandlerFunc {
			return everyThird(b, http.StatusServiceUnavailable, func() string { return time.Now().Add(-time.Second).UTC().Format(http.TimeFormat) })
		},
		"gzip with the time": func(b *bank) http.HandlerFunc {
			var n atomic.Int64
			return func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				for name, values := range answer.Result().Header {
					w.Header()[name] = values
				}
				if answer.Body.Len() == 0 {
					w.WriteHeader(answer.Code)
					return
				}
				var packed bytes.Buffer
				z := gzip.NewWriter(&packed)
				z.ModTime = time.Unix(1700000000+n.Add(1), 0)
				_, _ = z.Write(answer.Body.Bytes())
				_ = z.Close()
				w.Header().Set("Content-Encoding", "gzip")
				w.WriteHeader(answer.Code)
				_, _ = w.Write(packed.Bytes())
			}
		},
		"a balancer's cookie": func(b *bank) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				answer.Header()["Set-Cookie"] = []string{"SERVERID=s1; path=/"}
				pass(w, answer)
			}
		},
		"a date in Retry-After": func(b *bank) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.ServeHTTP(answer, r)
				if answer.Header().Get("Retry-After") != "" {
					answer.Header().Set("Retry-After", time.Now().Add(time.Second).UTC().Format(http.TimeFormat))
				}
				pass(w, answer)
			}
		},
	} {
		for _, kind := range []string{"payments", "conflict", "empty", "no marker", "optional"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				b, operations := kinds[kind]()
				plan := planFor(t, b, operations...)
				server := httptest.NewServer(dress(b))
				t.Cleanup(server.Close)
				plan.BaseURL = server.URL
				plan.Concurrency = []int{5}
				plan.Limits.Settle = 3 * time.Second
				report := run(t, plan)
				if broken := brokenPromises(report); len(broken) > 0 {
					t.Errorf("broken: %v\n%s", broken, show(report))
				}
				if b.count() > report.MaxEffects {
					t.Errorf("%d effects, and %d were announced", b.count(), report.MaxEffects)
				}
				if report.Stopped != "" || report.Count(Skipped) > 0 || report.Count(Kept) < 10 {
					t.Errorf("not everything was tested: %s", show(report))
				}
			})
		}
	}
}
