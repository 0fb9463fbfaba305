// Package redis has cases with keys in Redis beside a transaction in SQL.
package redis

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
)

type service struct {
	pool  *pgxpool.Pool
	redis *redis.Client
}

// bug: Redis says done before the transaction is committed
func (s *service) setInside(ctx context.Context, key, id string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id); err != nil {
			return err
		}
		return s.redis.Set(ctx, "idempotency:"+key, id, 24*time.Hour).Err() // want `the key "idempotency:\*" is set in Redis inside the transaction of line \d+ that writes payments`
	})
}

// bug: Redis is the one store of keys and is written after the commit
func (s *service) setAfter(ctx context.Context, key, id string) error {
	if n, err := s.redis.Exists(ctx, "idempotency:"+key).Result(); err != nil || n > 0 {
		return err
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		return err
	}
	return s.redis.Set(ctx, "idempotency:"+key, id, 24*time.Hour).Err() // want `the key "idempotency:\*" is set in Redis after the commit that keeps payments`
}

// bug: no transaction, then a key in Redis whose error is only logged
func (s *service) upsertThenSet(ctx context.Context, key, id string) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO payments (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET state = 'paid'`, id); err != nil {
		return err
	}
	if err := s.redis.Set(ctx, "idempotency:"+key, id, time.Hour).Err(); err != nil { // want `the key "idempotency:\*" is set in Redis after payments is written`
		log.Println(err)
	}
	return nil
}

// bug: the marker is set first, without a way back
func (s *service) markedFirst(ctx context.Context, key, id string) error {
	won, err := s.redis.SetNX(ctx, "idempotency:"+key, "1", 24*time.Hour).Result() // want `the claim "idempotency:\*" in Redis is kept before payments is written`
	if err != nil || !won {
		return err
	}
	_, err = s.pool.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
	return err
}

// bug: set inside the region between Begin and Commit
func (s *service) setBeforeCommit(ctx context.Context, key, id string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `UPDATE balances SET amount = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	if err := s.redis.Set(ctx, "idempotency:"+key, id, time.Hour).Err(); err != nil { // want `the key "idempotency:\*" is set in Redis inside the transaction of line \d+ that writes balances`
		return err
	}
	return tx.Commit(ctx)
}

// fine: the key is a row in the transaction, Redis has a copy after the commit
func (s *service) copyAfter(ctx context.Context, key, id string) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.redis.Set(ctx, "idempotency:"+key, id, time.Hour).Err(); err != nil {
		log.Println(err)
	}
	return nil
}

// fine: a short lock in Redis, and the key is a row
func (s *service) lockOnly(ctx context.Context, key, id string) error {
	won, err := s.redis.SetNX(ctx, "idempotency:lock:"+key, "1", 10*time.Second).Result()
	if err != nil {
		return err
	}
	if !won {
		return errors.New("in progress")
	}
	defer s.redis.Del(ctx, "idempotency:lock:"+key)
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
}

// fine: a cache of the payment is no key
func (s *service) cacheOnly(ctx context.Context, id string) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		return err
	}
	return s.redis.Set(ctx, "payment:"+id, "paid", time.Hour).Err()
}

// fine: a claim in Redis with a release on failure and the answer afterwards is a lease
func (s *service) leaseInRedis(ctx context.Context, key, id string) error {
	won, err := s.redis.SetNX(ctx, "idempotency:"+key, "processing", time.Minute).Result()
	if err != nil || !won {
		return err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		s.redis.Del(ctx, "idempotency:"+key)
		return err
	}
	return s.redis.Set(ctx, "idempotency:"+key, id, 24*time.Hour).Err()
}

// fine: the key is forgotten when the payment is deleted
func (s *service) invalidated(ctx context.Context, key, id string) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM payments WHERE id = $1`, id); err != nil {
		return err
	}
	return s.redis.Del(ctx, "idempotency:"+key).Err()
}
