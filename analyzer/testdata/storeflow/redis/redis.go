// Package redis shows what go-redis's calls do to stores.
package redis

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type Store struct {
	client *redis.Client
	any    redis.UniversalClient
}

func key(id string) string { return "idem:" + id }

var release = redis.NewScript(`if redis.call("exists", KEYS[1]) == 0 then redis.call("set", KEYS[1], ARGV[1]) return 1 end return 0`)

func (s *Store) entryKey(id string) string { return os.Getenv("PREFIX") + ":" + id }

func (s *Store) throughHelper(ctx context.Context, id string) {
	s.client.Get(ctx, s.entryKey(id))                 // want `^read store.entrykey\(\) over client$`
	s.client.Set(ctx, s.entryKey(id), 1, time.Minute) // want `^insert store.entrykey\(\) over client, ttl$`
	s.client.Get(ctx, strings.ToLower(id))            // want `^read  over client, key$`
}

func (s *Store) reads(ctx context.Context, id string) {
	s.client.Get(ctx, "idem:"+id).Result()             // want `^read idem:\* over client$`
	s.client.Get(ctx, fmt.Sprintf("idem:%s:done", id)) // want `^read idem:\*:done over client$`
	s.any.Exists(ctx, key(id)).Val()                   // want `^read idem:\* over client, always$`
	s.client.SIsMember(ctx, "processed", id).Val()     // want `^read processed over client, always$`
	s.client.HGet(ctx, "processed", "a").Val()         // want `^read processed by a over client$`
	s.client.Do(ctx, "EXISTS", "idem:"+id).Int()       // want `^read idem:\* over client, always$`
	s.client.Get(ctx, fmt.Sprintf("%s:%s", id, id))    // want `^read  over client, key$`
	s.client.Get(ctx, id)                              // want `^read  over client, key$`
}

func (s *Store) writes(ctx context.Context, id string, ttl time.Duration) {
	s.client.Set(ctx, "idem:"+id, 1, 0)                                    // want `^insert idem:\* over client$`
	s.any.Set(ctx, key(id), 1, time.Hour)                                  // want `^insert idem:\* over client, ttl$`
	s.client.SetEx(ctx, key(id), 1, ttl)                                   // want `^insert idem:\* over client, ttl$`
	s.client.SAdd(ctx, "processed", id)                                    // want `^insert processed over client$`
	s.client.SetNX(ctx, key(id), 1, ttl)                                   // want `^insert idem:\* over client, on-conflict ttl$`
	s.client.SetArgs(ctx, key(id), 1, redis.SetArgs{Mode: "NX", TTL: ttl}) // want `^insert idem:\* over client, on-conflict ttl$`
	s.client.SetArgs(ctx, key(id), 1, redis.SetArgs{TTL: ttl})             // want `^insert idem:\* over client, ttl$`
	s.client.Do(ctx, "SET", key(id), 1, "NX", "EX", 60).Result()           // want `^insert idem:\* over client, on-conflict result-read ttl$`
	s.client.SetXX(ctx, key(id), 1, ttl)                                   // want `^update idem:\* over client$`
	s.client.Del(ctx, key(id))                                             // want `^delete idem:\* over client$`
	release.Run(ctx, s.client, []string{key(id)}, 1).Int()                 // want `^insert idem:\* over client, on-conflict result-read$`
	s.client.Eval(ctx, "return 1", []string{key(id)}).Int()                // want `^insert idem:\* over client, on-conflict result-read$`
}

func (s *Store) counts(ctx context.Context, id string) bool {
	added, err := s.client.SAdd(ctx, "processed", id).Result() // want `^insert processed over client, on-conflict result-read$`
	if err != nil || added == 0 {
		return false
	}
	won, err := s.client.SetNX(ctx, key(id), 1, time.Minute).Result() // want `^insert idem:\* over client, on-conflict result-read ttl$`
	return won && err == nil
}

func (s *Store) locks(ctx context.Context, id string, locker *redislock.Client, rs *redsync.Redsync) {
	if !s.client.SetNX(ctx, "lock:"+id, 1, time.Minute).Val() { // want `^lock lock:\* over client, on-conflict result-read ttl$`
		return
	}
	if err := s.client.SetArgs(ctx, key(id), 1, redis.SetArgs{Mode: "NX"}).Err(); err != nil { // want `^insert idem:\* over client, on-conflict result-read$`
		return
	}
	locker.Obtain(ctx, "payments:"+id, time.Minute, nil) // want `^lock payments:\* over client$`
	mutex := rs.NewMutex("payments:" + id)
	mutex.LockContext(ctx) // want `^lock payments:\* over client$`
}

func (s *Store) watched(ctx context.Context, id string) error {
	return s.client.Watch(ctx, func(tx *redis.Tx) error {
		if tx.Exists(ctx, key(id)).Val() > 0 { // want `^read idem:\* over client, always$`
			return nil
		}
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, key(id), 1, time.Hour) // want `^insert idem:\* over client, on-conflict result-read ttl$`
			return nil
		})
		return err
	}, key(id))
}
