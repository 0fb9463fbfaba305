package runtime_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// A body that the handler has zipped is repeated as it was, bytes and headers, whatever the repetition accepts: the first
// answer is the answer.
func TestReplay_R1_R5_HandlerThatZips(t *testing.T) {
	zipped := zip(`{"id":1}`)
	response := runtime.Response{
		Status: 201, Body: []byte(zipped),
		Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}, "Vary": {"Accept-Encoding"}},
	}
	s := newService(t, payment(func(p *policy.Policy) { p.Store.Headers = []string{"Vary"} }))
	s.work = respond(response)
	first := s.post("k", body, header("Accept-Encoding", "gzip"))
	again := s.post("k", body, header("Accept-Encoding", "identity"))
	wantReplay(t, first, again)
	for _, a := range []answer{first, again} {
		if a.body != zipped || a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v", a)
		}
	}
	// Without the policy's word, Vary is not kept, as it is not among the headers that always are.
	s = newService(t, payment())
	s.work = respond(response)
	s.post("k", body)
	if again := s.post("k", body); again.header.Get("Vary") != "" || again.body != zipped {
		t.Errorf("%+v", again)
	}
	// Where no body is kept, neither is what says how it is encoded: the empty body is no gzip.
	s = newService(t, payment(func(p *policy.Policy) { p.Store.OmitBody = true }))
	s.work = respond(response)
	s.post("k", body)
	if again := s.post("k", body); again.body != "" || again.header.Get("Content-Encoding") != "" || again.header.Get("Content-Type") != "" {
		t.Errorf("%+v", again)
	}
}

// What zips answers around the engine zips a replay or not, as each request asks: what is stored is not zipped.
func TestReplay_R5_MiddlewareThatZips(t *testing.T) {
	s := newService(t, payment())
	large := strings.Repeat(`{"id":1}`, 500)
	s.work = respond(runtime.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(large)})
	outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Header.Get("Accept-Encoding") != "gzip" {
			s.mux.ServeHTTP(w, r)
			return
		}
		z := &zippingWriter{ResponseWriter: w, zip: gzip.NewWriter(w)}
		s.mux.ServeHTTP(z, r)
		_ = z.zip.Close()
	})
	for i, accept := range []string{"gzip", "identity", "gzip", ""} {
		w := httptest.NewRecorder()
		outer.ServeHTTP(w, s.request(body, header("Idempotency-Key", "k"), header("Accept-Encoding", accept)))
		a := answer{w.Code, w.Header(), w.Body.String()}
		plain := a.body
		if accept == "gzip" {
			plain = unzip(t, a.body)
		}
		if plain != large || a.status != 201 || a.replayed() != (i > 0) || len(a.header["Vary"]) != 1 || (a.header.Get("Content-Encoding") == "gzip") != (accept == "gzip") {
			t.Errorf("%d: %d %v, %d bytes", i, a.status, a.header, len(a.body))
		}
	}
	s.want(1, 1, 1)
}

// A request is the same request zipped or not, and how it is zipped does not matter.
func TestFingerprint_F3_ZippedOrNot(t *testing.T) {
	zipped := header("Content-Encoding", "gzip")
	for _, order := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		s := newService(t, payment())
		send := func(zip bool, level int) answer {
			if !zip {
				return s.post("k", body)
			}
			var out bytes.Buffer
			w, err := gzip.NewWriterLevel(&out, level)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = w.Write([]byte(body))
			_ = w.Close()
			return s.post("k", out.String(), zipped)
		}
		wantReplay(t, send(order[0], gzip.BestSpeed), send(order[1], gzip.NoCompression))
		s.post("k", zip(`{"amount":1}`), zipped).wantProblem(t, 422, "key-reused")
		s.want(1, 1, 1)
	}
}

// A zipped body that is not whole, or is larger than the bound once unzipped, is refused before any work.
func TestFingerprint_F3_R2_BombsAndCutBodies(t *testing.T) {
	s := newService(t, payment(), runtime.WithMaxRequestBody(64<<10))
	zipped := header("Content-Encoding", "gzip")
	whole := zip(body)
	s.post("k", zip(`"`+strings.Repeat("x", 10<<20)+`"`), zipped).wantProblem(t, 413, "body-too-large")
	for _, cut := range []string{whole[:5], whole[:len(whole)-1], whole + "x", "plain"} {
		s.post("k", cut, zipped).wantProblem(t, 400, "malformed-body")
	}
	s.want(0, 0, 0)
	if a := s.post("k", whole, zipped); a.status != 201 {
		t.Errorf("%+v", a)
	}
}

// zippingWriter zips what is written, as middleware does.
type zippingWriter struct {
	http.ResponseWriter
	zip *gzip.Writer
}

func (w *zippingWriter) WriteHeader(status int) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}

func (w *zippingWriter) Write(data []byte) (int, error) { return w.zip.Write(data) }

func unzip(t *testing.T, zipped string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}
