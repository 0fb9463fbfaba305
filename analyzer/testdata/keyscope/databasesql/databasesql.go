// Package databasesql has cases over database/sql. Its requests have a principal.
package databasesql

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
)

type server struct{ db *sql.DB }

func tenantOf(r *http.Request) string { return r.Header.Get("X-Tenant") }

// bug: the header's key alone finds the record of whoever used it first
func (s *server) byKeyAlone(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	var answer string
	err := s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1`, key).Scan(&answer) // want `a record of idempotency_keys is looked up by key alone`
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// bug: the column has another name and the header another spelling
func (s *server) otherNames(w http.ResponseWriter, r *http.Request) {
	var answer string
	row := s.db.QueryRowContext(r.Context(), `SELECT response_body FROM request_dedup WHERE idempotency_key = $1`, r.Header.Get("X-Idempotency-Key")) // want `a record of request_dedup is looked up by idempotency_key alone`
	if row.Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// bug: the claim conflicts on the key alone
func (s *server) claimByKeyAlone(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	res, err := s.db.ExecContext(r.Context(), `INSERT INTO idempotency_keys (key, tenant_id) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`, key, tenantOf(r)) // want `a key of idempotency_keys is claimed by key alone`
	if err != nil {
		return
	}
	if n, _ := res.RowsAffected(); n == 0 {
		w.WriteHeader(http.StatusConflict)
	}
}

// bug: a helper reads the header
func (s *server) throughHelper(w http.ResponseWriter, r *http.Request) {
	key := keyOf(r)
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1`, key).Scan(&answer) == nil { // want `a record of idempotency_keys is looked up by key alone`
		fmt.Fprint(w, answer)
	}
}

func keyOf(r *http.Request) string { return r.Header.Get("Idempotency-Key") }

// bug: a helper looks up
func (s *server) lookedUpByHelper(w http.ResponseWriter, r *http.Request) {
	answer, err := s.find(r.Context(), r.Header.Get("Idempotency-Key")) // want `a record of idempotency_keys is looked up by key alone`
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

func (s *server) find(ctx context.Context, k string) (answer string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, k).Scan(&answer)
	return answer, err
}

// bug: a hash of the key alone is the key alone
func (s *server) hashedKey(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.Header.Get("Idempotency-Key")))
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1`, hex.EncodeToString(sum[:])).Scan(&answer) == nil { // want `a record of idempotency_keys is looked up by key alone`
		fmt.Fprint(w, answer)
	}
}

// fine: tenant and key
func (s *server) scoped(w http.ResponseWriter, r *http.Request) {
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE tenant_id = $1 AND key = $2`, tenantOf(r), r.Header.Get("Idempotency-Key")).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: the claim conflicts on tenant and key
func (s *server) scopedClaim(w http.ResponseWriter, r *http.Request) {
	res, err := s.db.ExecContext(r.Context(), `INSERT INTO idempotency_keys (tenant_id, key) VALUES ($1, $2) ON CONFLICT (tenant_id, key) DO NOTHING`, tenantOf(r), r.Header.Get("Idempotency-Key"))
	if err != nil {
		return
	}
	if n, _ := res.RowsAffected(); n == 0 {
		w.WriteHeader(http.StatusConflict)
	}
}

// fine: the key that is looked up joins tenant and key
func (s *server) composite(w http.ResponseWriter, r *http.Request) {
	key := tenantOf(r) + ":" + r.Header.Get("Idempotency-Key")
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1`, key).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: a hash of both
func (s *server) hashedBoth(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(tenantOf(r) + "\x00" + r.Header.Get("Idempotency-Key")))
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1`, hex.EncodeToString(sum[:])).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: Sprintf of both
func (s *server) formatted(w http.ResponseWriter, r *http.Request) {
	key := fmt.Sprintf("%s/%s", tenantOf(r), r.Header.Get("Idempotency-Key"))
	answer, err := s.find(r.Context(), key)
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: a helper joins them
func (s *server) joinedByHelper(w http.ResponseWriter, r *http.Request) {
	answer, err := s.find(r.Context(), scopedKey(r))
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

func scopedKey(r *http.Request) string { return tenantOf(r) + "." + r.Header.Get("Idempotency-Key") }

// fine: a table for each tenant
func (s *server) tablePerTenant(w http.ResponseWriter, r *http.Request) {
	var answer string
	query := fmt.Sprintf(`SELECT answer FROM idempotency_keys_%s WHERE key = $1`, tenantOf(r))
	if s.db.QueryRowContext(r.Context(), query, r.Header.Get("Idempotency-Key")).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: a schema for each tenant
func (s *server) schemaPerTenant(w http.ResponseWriter, r *http.Request) {
	var answer string
	query := fmt.Sprintf(`SELECT answer FROM %s.idempotency_keys WHERE key = $1`, tenantOf(r))
	if s.db.QueryRowContext(r.Context(), query, r.Header.Get("Idempotency-Key")).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: the record's owner is compared afterwards
func (s *server) comparedAfterwards(w http.ResponseWriter, r *http.Request) {
	var answer, tenant string
	err := s.db.QueryRowContext(r.Context(), `SELECT answer, tenant_id FROM idempotency_keys WHERE key = $1`, r.Header.Get("Idempotency-Key")).Scan(&answer, &tenant)
	if err == nil && tenant == tenantOf(r) {
		fmt.Fprint(w, answer)
	}
}

// fine: a row is found by its id
func (s *server) byID(w http.ResponseWriter, r *http.Request) {
	var answer string
	if s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE id = $1`, r.PathValue("id")).Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: an order is found by the merchant's reference, which is no key record
func (s *server) otherTable(w http.ResponseWriter, r *http.Request) {
	var id string
	if s.db.QueryRowContext(r.Context(), `SELECT id FROM orders WHERE reference = $1`, r.FormValue("reference")).Scan(&id) == nil {
		fmt.Fprint(w, id)
	}
}

// fine: the record is of a key that the program sends itself
func (s *server) pay(ctx context.Context, out *http.Request, idempotencyKey string) (answer string, err error) {
	out.Header.Set("Idempotency-Key", idempotencyKey)
	err = s.db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, idempotencyKey).Scan(&answer)
	return answer, err
}

func (s *server) lookUp(ctx context.Context, given string) (answer string) {
	//idemvet:ignore keyscope one client has this database to itself
	_ = s.db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, given).Scan(&answer)
	return answer
}

// fine: the directive where the statement stands holds for its callers too
func (s *server) throughIgnored(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, s.lookUp(r.Context(), r.Header.Get("Idempotency-Key")))
}

// bug: a lock on the record of whoever used the key first
func (s *server) locked(w http.ResponseWriter, r *http.Request) {
	var answer string
	row := s.db.QueryRowContext(r.Context(), `SELECT answer FROM idempotency_keys WHERE key = $1 FOR UPDATE`, r.Header.Get("Idempotency-Key")) // want `a record of idempotency_keys is looked up by key alone`
	if row.Scan(&answer) == nil {
		fmt.Fprint(w, answer)
	}
}
