package main

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// fake is a partner's server, for this example: it does a thing once for each key. A real one is somebody else's.
type fake struct {
	mu   sync.Mutex
	done map[string]receipt // by key
	// before the next answer is sent, when its effect is there already.
	before func(w http.ResponseWriter)
}

// handle mounts the fake under path.
func (f *fake) handle(mux *http.ServeMux, path string) {
	mux.HandleFunc("POST "+path, f.do)
	mux.HandleFunc("GET "+path+"/{key}", f.find)
}

func (f *fake) do(w http.ResponseWriter, r *http.Request) {
	var asked struct{ To string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	done, before := f.once(r.Header.Get("Idempotency-Key"), asked.To)
	if before != nil {
		before(w)
	}
	_ = json.NewEncoder(w).Encode(done)
}

func (f *fake) once(key, to string) (receipt, func(http.ResponseWriter)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done, ok := f.done[key]
	if !ok {
		done = receipt{ID: rand.Text()}
		if strings.HasPrefix(to, "closed") {
			done = receipt{Refused: "the account is closed"}
		}
		if f.done == nil {
			f.done = map[string]receipt{}
		}
		f.done[key] = done
	}
	before := f.before
	f.before = nil
	return done, before
}

func (f *fake) find(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	done, ok := f.done[r.PathValue("key")]
	f.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(done)
}

// effects is how many things were done, refusals not among them.
func (f *fake) effects() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, done := range f.done {
		if done.Refused == "" {
			n++
		}
	}
	return n
}

// cut has an answer begin and not end. Were it not begun, Go's client might send the call again by itself: it does for one
// with an Idempotency-Key.
func cut(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// next has before run when the next effect is there and its answer is not sent yet.
func (f *fake) next(before func(w http.ResponseWriter)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}
