package drill

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// bank is a correct server in memory, which faults make wrong in one way each. It is written without the runtime, as a
// team that has read only the policy would write it.
type bank struct {
	mu      sync.Mutex
	records map[string]*record
	made    int
	clock   time.Duration // how far it was set forward
	fault   string
	pause   time.Duration // how long the work takes
	looked  int           // how many have found no record, where looking and inserting are two things
	keyName string
	// what the policy says
	conflict, current, optional, format bool
	marker                              string
	retention                           time.Duration
	kept5xx                             bool
}

// record is what is kept of a key.
type record struct {
	print  string
	done   chan struct{}
	status int
	header http.Header
	body   []byte
	until  time.Duration // by the bank's clock
	free   bool
}

func newBank(fault string) *bank {
	return &bank{records: map[string]*record{}, fault: fault, keyName: "Idempotency-Key", marker: "Idempotent-Replayed", retention: 24 * time.Hour, pause: 2 * time.Millisecond}
}

func (b *bank) refuse(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"https://bank.example/problems#%s","status":%d}`, kind, status)
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{16,64}$`)

// readKey reads a key; bad says what is wrong with it.
func (b *bank) readKey(r *http.Request) (key, bad string) {
	lines := r.Header[b.keyName]
	switch {
	case len(lines) == 0:
		return "", "missing-key"
	case len(lines) > 1 && b.fault != "duplicate header guessed":
		return "", "malformed-key"
	}
	key = lines[0]
	if b.fault == "parameters cut" {
		key, _, _ = strings.Cut(key, ";")
	}
	wasQuoted := strings.HasPrefix(key, `"`)
	if strings.HasPrefix(key, `"`) {
		if len(key) < 2 || !strings.HasSuffix(key, `"`) {
			return "", "malformed-key"
		}
		key = key[1 : len(key)-1]
	}
	if b.fault == "too long cut" && len(key) > 64 {
		key = key[:64]
	}
	if b.fault == "long refused" && len(key) > 40 {
		return "", "malformed-key"
	}
	if b.fault == "long refused otherwise" && len(key) > 40 {
		return "", "too-long"
	}
	if b.fault == "lists guessed" {
		key, _, _ = strings.Cut(key, ",")
	}
	if b.fault == "any key" {
		return key, ""
	}
	if !keyForm.MatchString(key) || b.format && !uuidForm.MatchString(key) {
		return "", "malformed-key"
	}
	if b.fault == "quoted and bare differ" && wasQuoted {
		key = `"` + key + `"`
	}
	if b.fault == "case folded" {
		key = strings.ToLower(key)
	}
	return key, ""
}

// printOf is what is compared.
func (b *bank) printOf(r *http.Request, body []byte) (string, error) {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var canonical []byte
	decoder := json.NewDecoder(bytes.NewReader(body))
	if b.fault != "2^53 merged" {
		decoder.UseNumber()
	}
	var value any
	if len(body) > 0 {
		if err := decoder.Decode(&value); err != nil {
			return "", err
		}
		canonical, _ = json.Marshal(value) // members sorted
		if b.fault == "2^53 merged" {
			canonical, _ = json.Marshal(fmt.Sprint(value))
		} else {
			canonical = regexp.MustCompile(`(\d)\.0([,}])`).ReplaceAll(canonical, []byte("$1$2"))
		}
	}
	if b.fault == "member order counts" {
		canonical = body
	}
	if b.fault == "white space counts" {
		canonical = append(canonical, fmt.Sprint(len(body)-bytes.Count(body, []byte(".0")))...)
	}
	query := r.URL.RawQuery
	if b.fault == "query ignored" {
		query = ""
	}
	if b.fault == "content type ignored" {
		mediaType = ""
	}
	extra := ""
	if b.fault == "every header counts" {
		extra = r.Header.Get("X-Drill")
	}
	version := r.Header.Get("Api-Version")
	if b.fault == "header ignored" {
		version = ""
	}
	return strings.Join([]string{r.Method, r.URL.Path, query, mediaType, version, extra, string(canonical)}, "\x00"), nil
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	account := r.Header.Get("Authorization")
	if account == "" {
		b.refuse(w, 401, "unauthenticated")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key, bad := b.readKey(r)
	switch {
	case bad == "missing-key" && (b.optional || b.fault == "missing accepted"):
		b.work(r, body, "").write(w)
		return
	case bad == "missing-key" && b.fault == "wrong missing type":
		b.refuse(w, 400, "bad-request")
		return
	case bad == "malformed-key" && b.fault == "wrong malformed status":
		b.refuse(w, 422, bad)
		return
	case bad != "":
		b.refuse(w, 400, bad)
		return
	}
	id := strings.Join([]string{account, r.URL.Path, key}, "\x00")
	switch b.fault {
	case "global key":
		id = r.URL.Path + "\x00" + key
	case "operation lost":
		id = account + "\x00" + key
	case "cut in the column":
		id = id[:len(id)-len(key)+min(len(key), 40)]
	}
	print, err := b.printOf(r, body)
	if err != nil {
		b.mu.Lock()
		used := b.records[id] != nil
		b.mu.Unlock()
		if b.fault == "cut in the column" && used { // it looks for the key first, as what stands before handlers does
			b.refuse(w, 422, "key-reused")
			return
		}
		if b.fault == "stores bad requests" {
			b.mu.Lock()
			if b.records[id] == nil {
				done := make(chan struct{})
				close(done)
				b.records[id] = &record{print: string(body), done: done, status: 400, header: http.Header{}, until: b.clock + b.retention}
			}
			b.mu.Unlock()
		}
		b.refuse(w, 400, "bad-body")
		return
	}
	b.once(w, r, id, key, print, body)
}

// second waits until two have looked, whatever the machine is busy with, or until it is clear that nobody else comes.
func (b *bank) second() {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		b.mu.Lock()
		two := b.looked > 1
		b.mu.Unlock()
		if two {
			return
		}
	}
}

// once does the work of a key once.
func (b *bank) once(w http.ResponseWriter, r *http.Request, id, key, print string, body []byte) {
	b.mu.Lock()
	old := b.records[id]
	retention := b.retention
	if b.fault == "forgets early" {
		retention /= 2
	}
	if old != nil && !old.free && b.now() >= old.until && b.fault != "keeps for ever" {
		old = nil
	}
	if b.fault == "looks, then inserts" && old == nil {
		b.looked++
		b.mu.Unlock()
		b.second()
		answer := b.work(r, body, key)
		b.mu.Lock()
		b.finish(id, print, answer, retention)
		b.mu.Unlock()
		answer.write(w)
		return
	}
	if old == nil || b.fault == "no memory" {
		rec := &record{print: print, done: make(chan struct{}), until: b.now() + time.Hour*24*365}
		b.records[id] = rec
		b.mu.Unlock()
		time.Sleep(b.pause)
		answer := b.work(r, body, key)
		b.mu.Lock()
		rec.status, rec.header, rec.body, rec.until = answer.status, answer.header.Clone(), answer.body, b.now()+retention
		if answer.status >= 500 && (!b.kept5xx || b.fault == "re-runs after 500") || answer.status == 402 && b.fault == "re-runs after 402" {
			delete(b.records, id)
		}
		b.mu.Unlock()
		if b.fault != "409 for ever" {
			close(rec.done)
		}
		if b.fault == "marker on first" {
			answer.header.Set(b.marker, "true")
		}
		answer.write(w)
		return
	}
	b.mu.Unlock()
	if old.print != print {
		b.mismatch(w, r, id, key, print, body, old)
		return
	}
	b.repeat(w, r, old, key)
}

func (b *bank) mismatch(w http.ResponseWriter, r *http.Request, id, key, print string, body []byte, old *record) {
	switch b.fault {
	case "replays on mismatch":
		b.repeat(w, r, old, key)
	case "mismatch 200":
		w.WriteHeader(200)
	case "wrong mismatch status":
		b.refuse(w, 409, "key-reused")
	case "runs on mismatch":
		b.work(r, body, key).write(w)
	case "mismatch damages":
		b.mu.Lock()
		delete(b.records, id)
		b.mu.Unlock()
		b.refuse(w, 422, "key-reused")
	case "mismatch marked":
		w.Header().Set(b.marker, "true")
		b.refuse(w, 422, "key-reused")
	case "mismatch shows the answer":
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(422)
		fmt.Fprintf(w, `{"type":"https://bank.example/problems#key-reused","status":422,"first":%s}`, old.body)
	case "wrong mismatch type":
		b.refuse(w, 422, "invalid")
	default:
		b.refuse(w, 422, "key-reused")
	}
	_ = print
}

func (b *bank) repeat(w http.ResponseWriter, r *http.Request, old *record, key string) {
	waited := false
	wait := 5 * time.Second
	if b.conflict || b.fault == "refuses at once" {
		wait = 0
	}
	select {
	case <-old.done:
	default:
		waited = true
		select {
		case <-old.done:
		case <-time.After(wait):
			switch b.fault {
			case "no Retry-After":
			case "wrong Retry-After":
				w.Header().Set("Retry-After", "soon")
			case "another Retry-After":
				w.Header().Set("Retry-After", "30")
			default:
				w.Header().Set("Retry-After", "1")
			}
			b.refuse(w, 409, "in-flight")
			return
		}
	}
	b.mu.Lock()
	answer := &answer{status: old.status, header: old.header.Clone(), body: old.body}
	b.mu.Unlock()
	answer.header.Del("Set-Cookie")
	if b.marker != "" {
		answer.header.Set(b.marker, "true")
	}
	if waited && b.fault == "Location lost to who waits" {
		answer.header.Del("Location")
	}
	switch b.fault {
	case "Location lost":
		answer.header.Del("Location")
	case "content type changed":
		answer.header.Set("Content-Type", "text/plain")
	case "Set-Cookie repeated":
		answer.header["Set-Cookie"] = old.header["Set-Cookie"]
	case "truncates":
		answer.body = answer.body[:min(len(answer.body), 10)]
	case "status changed":
		answer.status = 202
	case "empty body filled":
		if len(answer.body) == 0 {
			answer.body, answer.status = []byte("null"), 200
		}
	case "marker missing":
		answer.header.Del(b.marker)
	case "another marker":
		answer.header.Set(b.marker, "yes")
	case "402 damaged":
		if answer.status == 402 {
			answer.body = []byte("{}")
		}
	case "402 becomes 400":
		if answer.status == 402 {
			answer.status = 400
		}
	case "402 unmarked":
		if answer.status == 402 {
			answer.header.Del(b.marker)
		}
	case "body rebuilt":
		answer.body = append(bytes.Clone(answer.body), ' ')
	case "echo lost":
		answer.header.Del("X-Key")
	case "gzip":
		answer.zip()
	}
	if b.current {
		answer.body = []byte(strings.Replace(string(answer.body), `"new"`, `"seen"`, 1))
	}
	answer.write(w)
	_ = key
}

func (b *bank) now() time.Duration { return b.clock + time.Since(epoch) }

var epoch = time.Now()

func (b *bank) finish(id, print string, a *answer, retention time.Duration) {
	done := make(chan struct{})
	close(done)
	b.records[id] = &record{print: print, done: done, status: a.status, header: a.header.Clone(), body: a.body, until: b.now() + retention}
}

// answer is what is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) zip() {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(a.body)
	_ = z.Close()
	a.header.Set("Content-Encoding", "gzip")
	a.body = b.Bytes()
}

func (a *answer) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	if a.status != 204 {
		_, _ = w.Write(a.body)
	}
}

// work makes a payment.
func (b *bank) work(r *http.Request, body []byte, key string) *answer {
	b.mu.Lock()
	b.made++
	b.mu.Unlock()
	id := rand.Text()
	a := &answer{status: 201, header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/" + id}, "Set-Cookie": {"session=" + id}, "X-Key": {key}}}
	switch {
	case strings.Contains(r.URL.Path, "failing"):
		a.status, a.body = 500, []byte(`{"incident":"`+id+`"}`)
	case strings.Contains(r.URL.Path, "empty"):
		a.status = 204
		a.header.Del("Content-Type")
	case strings.Contains(r.URL.Path, "declined"), strings.Contains(string(body), "declined"):
		a.status, a.body = 402, []byte(`{"decision":"`+id+`"}`)
	default:
		quotedBody, _ := json.Marshal(string(body))
		a.body = []byte(`{"id":"` + id + `","state":"new","request":` + string(quotedBody) + `}`)
	}
	return a
}

func (b *bank) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}
