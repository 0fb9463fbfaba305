// Package middleware keeps the answers of handlers under the keys of their requests.
package middleware

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"
)

// Entry is one kept answer.
type Entry struct {
	Key    string
	Status int
	Body   []byte
	At     time.Time
}

type IdempotencyRepository interface {
	Get(ctx context.Context, key string) (*Entry, error)
	Claim(ctx context.Context, key string) (bool, error)
	Create(ctx context.Context, entry *Entry) error
	Set(ctx context.Context, entry *Entry) error
	Update(ctx context.Context, entry *Entry) error
}

type recorder struct {
	http.ResponseWriter
	status int
	body   []byte
}

// bug: the classic: look, run the handler, keep the answer; two requests at once both run it.
func Late(repository IdempotencyRepository) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			kept, err := repository.Get(r.Context(), key)
			if err == nil && kept != nil {
				w.WriteHeader(kept.Status)
				w.Write(kept.Body)
				return
			}
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, r)
			if rec.status < 500 {
				repository.Set(r.Context(), &Entry{Key: key, Status: rec.status, Body: rec.body}) // want `Entry is looked up at line \d+ and inserted here when nothing was found, when the handler has run at line \d+: two requests at once both find no key and both run the handler`
			}
		})
	}
}

// fine: the key is claimed before the handler runs, and the answer is filled in.
func Claimed(repository IdempotencyRepository) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			kept, err := repository.Get(r.Context(), key)
			if err != nil {
				http.Error(w, "try again", http.StatusServiceUnavailable)
				return
			}
			if kept != nil {
				w.Write(kept.Body)
				return
			}
			won, err := repository.Claim(r.Context(), key)
			if err != nil || !won {
				http.Error(w, "under way", http.StatusConflict)
				return
			}
			rec := &recorder{ResponseWriter: w}
			next.ServeHTTP(rec, r)
			repository.Update(r.Context(), &Entry{Key: key, Status: rec.status, Body: rec.body})
		})
	}
}

// fine: a claim by any name before the handler, and Set for the answer.
func ClaimedThenSet(repository IdempotencyRepository) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			kept, err := repository.Get(r.Context(), key)
			if err != nil || kept != nil {
				http.Error(w, "there already", http.StatusConflict)
				return
			}
			if won, err := repository.Claim(r.Context(), key); err != nil || !won {
				http.Error(w, "under way", http.StatusConflict)
				return
			}
			next.ServeHTTP(w, r)
			repository.Set(r.Context(), &Entry{Key: key})
		})
	}
}

type keys struct{ db *sql.DB }

func (k *keys) answer(ctx context.Context, key string) (body []byte, err error) {
	err = k.db.QueryRowContext(ctx, "SELECT body FROM http_idempotency_keys WHERE key = $1", key).Scan(&body)
	return body, err
}

func (k *keys) keep(ctx context.Context, key string, body []byte) error {
	_, err := k.db.ExecContext(ctx, "INSERT INTO http_idempotency_keys (key, body) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", key, body)
	return err
}

// bug: ON CONFLICT keeps the second record out, and the handler has run twice by then.
func (k *keys) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		body, err := k.answer(r.Context(), key)
		if err == nil {
			w.Write(body)
			return
		}
		if !errors.Is(err, sql.ErrNoRows) {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if err := k.keep(r.Context(), key, rec.body); err != nil { // want `http_idempotency_keys is looked up by key .* when the handler has run`
			http.Error(w, "lost", http.StatusInternalServerError)
		}
	})
}

type page struct{ Path string }

type PageRepository interface {
	GetByPath(ctx context.Context, path string) (*page, error)
	Upsert(ctx context.Context, p *page) error
}

// fine: a cache of pages is no store of keys.
func Pages(pages PageRepository, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := pages.GetByPath(r.Context(), r.URL.Path)
		if err == nil && found != nil {
			return
		}
		next.ServeHTTP(w, r)
		pages.Upsert(r.Context(), &page{Path: r.URL.Path})
	})
}

func (k *keys) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := k.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func keepIn(ctx context.Context, tx *sql.Tx, key string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO http_idempotency_keys (key) VALUES ($1) ON CONFLICT (key) DO NOTHING", key)
	return err
}

// bug: both callers book, the second one's key is left out in silence, and both commit.
func (k *keys) Credit(ctx context.Context, key string, cents int64) error {
	_, err := k.answer(ctx, key)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return k.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO http_entries (cents) VALUES ($1)", cents); err != nil {
			return err
		}
		return keepIn(ctx, tx, key) // want `http_idempotency_keys is looked up by key .*, after the work; nobody reads whether ON CONFLICT left the key out`
	})
}

func claimIn(ctx context.Context, tx *sql.Tx, key string) (bool, error) {
	result, err := tx.ExecContext(ctx, "INSERT INTO http_idempotency_keys (key) VALUES ($1) ON CONFLICT (key) DO NOTHING", key)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// fine: the loser sees it and rolls its booking back.
func (k *keys) CreditOnce(ctx context.Context, key string, cents int64) error {
	_, err := k.answer(ctx, key)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return k.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO http_entries (cents) VALUES ($1)", cents); err != nil {
			return err
		}
		won, err := claimIn(ctx, tx, key)
		if err != nil {
			return err
		}
		if !won {
			return errors.New("another request won")
		}
		return nil
	})
}

// bug: the same where the key is optional, so that some requests go round the look.
func (k *keys) CreditWithKey(ctx context.Context, key string, cents int64) error {
	if key != "" {
		_, err := k.answer(ctx, key)
		if err == nil {
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return k.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO http_entries (cents) VALUES ($1)", cents); err != nil {
			return err
		}
		if key != "" {
			return keepIn(ctx, tx, key) // want `http_idempotency_keys is looked up by key .*, after the work`
		}
		return nil
	})
}
