// Package redis has cases over go-redis.
package redis

import (
	"fmt"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type server struct{ redis *redis.Client }

// bug: prefix and key
func (s *server) get(w http.ResponseWriter, r *http.Request) {
	answer, err := s.redis.Get(r.Context(), "idempotency:"+r.Header.Get("Idempotency-Key")).Result() // want `the record "idempotency:\*" in Redis is looked up by the key alone`
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// bug: the claim has the key alone
func (s *server) claim(w http.ResponseWriter, r *http.Request) {
	key := fmt.Sprintf("idem:%s", r.Header.Get("Idempotency-Key"))
	won, err := s.redis.SetNX(r.Context(), key, "1", time.Hour).Result() // want `the record "idem:\*" in Redis is claimed by the key alone`
	if err != nil || !won {
		w.WriteHeader(http.StatusConflict)
	}
}

// bug: a helper makes the name of the key alone
func (s *server) named(w http.ResponseWriter, r *http.Request) {
	if n, _ := s.redis.Exists(r.Context(), name(r.Header.Get("Idempotency-Key"))).Result(); n > 0 { // want `the record "idempotency:\*" in Redis is looked up by the key alone`
		w.WriteHeader(http.StatusConflict)
	}
}

func name(key string) string { return "idempotency:" + key }

// fine: the principal is in the name
func (s *server) scoped(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	answer, err := s.redis.Get(r.Context(), "idempotency:"+user+":"+r.Header.Get("Idempotency-Key")).Result()
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: Sprintf with the principal
func (s *server) formatted(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	won, err := s.redis.SetNX(r.Context(), fmt.Sprintf("idem:%s:%s", user, r.Header.Get("Idempotency-Key")), "1", time.Hour).Result()
	if err != nil || !won {
		w.WriteHeader(http.StatusConflict)
	}
}

// fine: a helper with both
func (s *server) namedScoped(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	if n, _ := s.redis.Exists(r.Context(), scopedName(user, r.Header.Get("Idempotency-Key"))).Result(); n > 0 {
		w.WriteHeader(http.StatusConflict)
	}
}

func scopedName(user, key string) string { return "idempotency:" + user + ":" + key }

// fine: a cache that is found by a page's name
func (s *server) cache(w http.ResponseWriter, r *http.Request) {
	answer, err := s.redis.Get(r.Context(), "page:"+r.URL.Path).Result()
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: the name has two parts that are known at run time only, and the first may say whose it is
func (s *server) twoParts(w http.ResponseWriter, r *http.Request) {
	answer, err := s.redis.Get(r.Context(), fmt.Sprintf("idem:%s:%s", r.Host, r.Header.Get("Idempotency-Key"))).Result()
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// bug: a hash that is found by the key alone
func (s *server) hash(w http.ResponseWriter, r *http.Request) {
	record, err := s.redis.HGetAll(r.Context(), "idem:"+r.Header.Get("Idempotency-Key")).Result() // want `the record "idem:\*" in Redis is looked up by the key alone`
	if err == nil {
		fmt.Fprint(w, record["answer"])
	}
}
