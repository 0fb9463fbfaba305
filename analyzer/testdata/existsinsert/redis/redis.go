// Package redis looks for marks and sets them through go-redis.
package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type Consumer struct {
	client *redis.Client
	any    redis.UniversalClient
	rs     *redsync.Redsync
	prefix string
}

type Event struct{ ID string }

func (c *Consumer) handle(ctx context.Context, e Event) error { return nil }

func markOf(id string) string { return "processed:" + id }

// bug: EXISTS, the work, SET.
func (c *Consumer) ExistsWorkSet(ctx context.Context, e Event) error {
	n, err := c.client.Exists(ctx, "processed:"+e.ID).Result()
	if err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.Set(ctx, "processed:"+e.ID, "1", 24*time.Hour).Err() // want `processed:\* is looked up`
}

// bug: GET and redis.Nil, then SET, the key made by a helper.
func (c *Consumer) GetNilSet(ctx context.Context, e Event) error {
	_, err := c.any.Get(ctx, markOf(e.ID)).Result()
	if err == nil {
		return nil
	}
	if !errors.Is(err, redis.Nil) {
		return err
	}
	if err := c.any.Set(ctx, markOf(e.ID), "done", time.Hour).Err(); err != nil { // want `processed:\* is looked up`
		return err
	}
	return c.handle(ctx, e)
}

// bug: a set of processed ids.
func (c *Consumer) MemberAdd(ctx context.Context, e Event) error {
	seen, err := c.client.SIsMember(ctx, "events:seen", e.ID).Result()
	if err != nil {
		return err
	}
	if seen {
		return nil
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.SAdd(ctx, "events:seen", e.ID).Err() // want `events:seen is looked up`
}

// bug: the error of EXISTS is only told, so that an outage makes everything new.
func (c *Consumer) ErrorIgnored(ctx context.Context, e Event) error {
	if n, _ := c.client.Exists(ctx, fmt.Sprintf("idempotency:%s", e.ID)).Result(); n == 1 {
		return nil
	}
	c.client.Set(ctx, fmt.Sprintf("idempotency:%s", e.ID), time.Now().Unix(), 0) // want `idempotency:\* is looked up`
	return c.handle(ctx, e)
}

// bug: the stored answer of an idempotency key is looked for and kept afterwards.
func (c *Consumer) StoredAnswer(ctx context.Context, key string, do func() (string, error)) (string, error) {
	kept, err := c.client.Get(ctx, "idempotency:"+key).Result()
	if err == nil {
		return kept, nil
	}
	if err != redis.Nil {
		return "", err
	}
	answer, err := do()
	if err != nil {
		return "", err
	}
	return answer, c.client.Set(ctx, "idempotency:"+key, answer, 24*time.Hour).Err() // want `idempotency:\* is looked up`
}

// bug: the key is a parameter, and the same for both.
func (c *Consumer) GivenKey(ctx context.Context, mark string, e Event) error {
	if c.client.Exists(ctx, mark).Val() > 0 {
		return nil
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.Set(ctx, mark, "1", time.Hour).Err() // want `is looked up`
}

func (c *Consumer) doneKey(e Event) string { return c.prefix + e.ID }

// bug: a method makes the key, from a prefix that is configured.
func (c *Consumer) KeyOfMethod(ctx context.Context, e Event) error {
	err := c.client.Get(ctx, c.doneKey(e)).Err()
	if err == nil {
		return nil
	}
	if !errors.Is(err, redis.Nil) {
		return err
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.Set(ctx, c.doneKey(e), "1", time.Hour).Err() // want `consumer.donekey\(\) is looked up`
}

// fine: SET NX says who won.
func (c *Consumer) Claim(ctx context.Context, e Event) error {
	won, err := c.client.SetNX(ctx, markOf(e.ID), "1", time.Hour).Result()
	if err != nil || !won {
		return err
	}
	return c.handle(ctx, e)
}

// fine: a look for speed before SET NX.
func (c *Consumer) LookThenClaim(ctx context.Context, e Event) error {
	if c.client.Exists(ctx, markOf(e.ID)).Val() > 0 {
		return nil
	}
	won, err := c.client.SetNX(ctx, markOf(e.ID), "1", time.Hour).Result()
	if err != nil || !won {
		return err
	}
	return c.handle(ctx, e)
}

// fine: a plain SET after the claim was won.
func (c *Consumer) ClaimThenSet(ctx context.Context, e Event) error {
	if done, err := c.client.Get(ctx, "idempotency:"+e.ID).Result(); err == nil && done == "done" {
		return nil
	}
	won, err := c.client.SetNX(ctx, "idempotency:"+e.ID, "started", time.Minute).Result()
	if err != nil || !won {
		return err
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.Set(ctx, "idempotency:"+e.ID, "done", time.Hour).Err()
}

// fine: the answer of SADD says who was first.
func (c *Consumer) AddedFirst(ctx context.Context, e Event) error {
	if c.client.SIsMember(ctx, "events:seen", e.ID).Val() {
		return nil
	}
	added, err := c.client.SAdd(ctx, "events:seen", e.ID).Result()
	if err != nil || added == 0 {
		return err
	}
	return c.handle(ctx, e)
}

// fine: a read-through cache.
func (c *Consumer) Cache(ctx context.Context, id string, load func(string) (Event, error)) (Event, error) {
	var e Event
	if raw, err := c.client.Get(ctx, "event:"+id).Bytes(); err == nil {
		return e, json.Unmarshal(raw, &e)
	}
	e, err := load(id)
	if err != nil {
		return e, err
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	return e, c.client.Set(ctx, "event:"+id, raw, time.Minute).Err()
}

// fine: under WATCH.
func (c *Consumer) Watched(ctx context.Context, e Event) error {
	return c.client.Watch(ctx, func(tx *redis.Tx) error {
		if tx.Exists(ctx, markOf(e.ID)).Val() > 0 {
			return nil
		}
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, markOf(e.ID), "1", time.Hour)
			return nil
		})
		return err
	}, markOf(e.ID))
}

var claim = redis.NewScript(`if redis.call("exists", KEYS[1]) == 1 then return 0 end redis.call("set", KEYS[1], "1") return 1`)

// fine: a script runs alone.
func (c *Consumer) Scripted(ctx context.Context, e Event) error {
	if c.client.Exists(ctx, markOf(e.ID)).Val() > 0 {
		return nil
	}
	won, err := claim.Run(ctx, c.client, []string{markOf(e.ID)}).Int()
	if err != nil || won == 0 {
		return err
	}
	return c.handle(ctx, e)
}

// fine: a lock around both.
func (c *Consumer) Locked(ctx context.Context, e Event) error {
	mutex := c.rs.NewMutex("lock:" + e.ID)
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(ctx)
	if c.client.Exists(ctx, markOf(e.ID)).Val() > 0 {
		return nil
	}
	if err := c.handle(ctx, e); err != nil {
		return err
	}
	return c.client.Set(ctx, markOf(e.ID), "1", time.Hour).Err()
}

// fine: another key is written.
func (c *Consumer) OtherKey(ctx context.Context, e Event) error {
	if c.client.Exists(ctx, "paused").Val() > 0 {
		return nil
	}
	return c.client.Set(ctx, "heartbeat", "1", time.Minute).Err()
}
