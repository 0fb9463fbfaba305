// Package more has cases over sqlx, squirrel, bun and requests of other kinds. It knows of merchants.
package more

import (
	"context"
	"net/http"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
)

type payRequest struct {
	IdempotencyKey string
	MerchantID     string
	Amount         int64
}

type server struct {
	db  *sqlx.DB
	bun *bun.DB
}

type row struct {
	bun.BaseModel `bun:"table:idempotency_keys"`
	Key           string `bun:",pk"`
	Answer        string
}

// bug: the key is a field of a request
func (s *server) field(ctx context.Context, req *payRequest) (string, error) {
	var answer string
	err := s.db.GetContext(ctx, &answer, `SELECT answer FROM idempotency_keys WHERE key = ?`, req.IdempotencyKey) // want `a record of idempotency_keys is looked up by key alone`
	return answer, err
}

// bug: for update is no scope
func (s *server) forUpdate(ctx context.Context, tx pgx.Tx, req *payRequest) (string, error) {
	var answer string
	err := tx.QueryRow(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1 FOR UPDATE`, req.IdempotencyKey).Scan(&answer) // want `a record of idempotency_keys is looked up by key alone`
	return answer, err
}

// bug: a state beside the key is no scope
func (s *server) withState(w http.ResponseWriter, r *http.Request) {
	var answer string
	if s.db.Get(&answer, `SELECT answer FROM idempotency_keys WHERE key = ? AND state = 'done'`, r.Header.Get("Idempotency-Key")) == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(answer))
	}
}

// bug: squirrel with the key alone
func (s *server) builder(w http.ResponseWriter, r *http.Request) {
	var answer string
	query := sq.Select("answer").From("idempotency_keys").Where(sq.Eq{"key": r.Header.Get("Idempotency-Key")}).RunWith(s.db)
	if query.QueryRowContext(r.Context()).Scan(&answer) == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(answer))
	}
}

// bug: bun with the key alone
func (s *server) bunAlone(w http.ResponseWriter, r *http.Request) {
	found := new(row)
	if s.bun.NewSelect().Model(found).Where("key = ?", r.Header.Get("Idempotency-Key")).Scan(r.Context()) == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(found.Answer))
	}
}

// bug: existence is a look-up too
func (s *server) exists(w http.ResponseWriter, r *http.Request) {
	var seen bool
	if s.db.Get(&seen, `SELECT EXISTS (SELECT 1 FROM idempotency_keys WHERE key = ?)`, r.Header.Get("Idempotency-Key")) == nil && seen { // want `a record of idempotency_keys is looked up by key alone`
		w.WriteHeader(http.StatusConflict)
	}
}

// bug: the header's name is a constant
func (s *server) constantName(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get(headerName)
	if key == "" {
		return
	}
	var answer string
	if s.db.Get(&answer, `SELECT answer FROM idempotency_keys WHERE key = ?`, key) == nil { // want `a record of idempotency_keys is looked up by key alone`
		w.Write([]byte(answer))
	}
}

const headerName = "Idempotency-Key"

// fine: the merchant of the request goes along
func (s *server) fieldScoped(ctx context.Context, req *payRequest) (string, error) {
	var answer string
	err := s.db.GetContext(ctx, &answer, `SELECT answer FROM idempotency_keys WHERE merchant_id = ? AND key = ?`, req.MerchantID, req.IdempotencyKey)
	return answer, err
}

// fine: squirrel with both
func (s *server) builderScoped(w http.ResponseWriter, r *http.Request) {
	var answer string
	query := sq.Select("answer").From("idempotency_keys").Where(sq.Eq{"key": r.Header.Get("Idempotency-Key"), "merchant_id": r.PathValue("merchant")}).RunWith(s.db)
	if query.QueryRowContext(r.Context()).Scan(&answer) == nil {
		w.Write([]byte(answer))
	}
}
