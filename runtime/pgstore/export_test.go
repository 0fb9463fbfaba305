package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// SetLock replaces how s numbers locks, so that a test can make ids collide or claims miss each other.
func SetLock(s *Store, lock func(table string, id runtime.ID) int64) { s.lockOf = lock }

// Forget empties what s remembers of ids it has seen.
func Forget(s *Store) {
	for i := range s.recent.slots {
		s.recent.slots[i].Store(0)
	}
}

var (
	EncodeHeader = encodeHeader
	DecodeHeader = decodeHeader
	LockNumber   = lockNumber
	PackKey      = packKey
	UnpackKey    = unpackKey
	EncodeSteps  = encodeSteps
	DecodeSteps  = decodeSteps
	Refused      = refused
)

// PurgeSQL is the statement of a purge.
func PurgeSQL(s *Store) string { return s.purgeSQL() }

// TakeOverSQL and BacklogSQL are statements of recovery.
func TakeOverSQL(s *Store) string { return s.sql.lease.takeOver }
func BacklogSQL(s *Store) string  { return s.sql.lease.backlog }

// Columns are the names that Check knows.
func Columns() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// CheckRenewals checks the pool of renewals as if the store's own table, over pool, had the given number.
func CheckRenewals(ctx context.Context, s *Store, pool *pgxpool.Pool, table uint32) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return s.checkRenewals(ctx, tx, table) })
}
