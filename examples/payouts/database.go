package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// storage is where the service keeps its records and its ledger.
type storage struct {
	store  runtime.Store[pgx.Tx]
	ledger ledger
	// purger deletes expired keys; nil in memory, where that happens by itself.
	purger *pgstore.Purger
	// where says in words what was found.
	where string
	close func()
}

// openStorage takes the database in DATABASE_URL, else a PostgreSQL that it finds on this machine and starts in a
// temporary folder, else memory.
func openStorage(ctx context.Context) (*storage, error) {
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return openPostgres(ctx, url, "on the database in DATABASE_URL")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if errors.Is(err, pgtemp.ErrNotFound) {
		return openMemory(), nil
	}
	if err != nil {
		return nil, err
	}
	s, err := openPostgres(ctx, server.URL, "on a PostgreSQL that was found on this machine and started in a temporary folder")
	if err != nil {
		server.Stop()
		return nil, err
	}
	closePool := s.close
	s.close = func() {
		closePool()
		server.Stop()
	}
	return s, nil
}

func openMemory() *storage {
	return &storage{
		store:  memstore.New(),
		ledger: newMemoryLedger(),
		where:  "in memory: there is no DATABASE_URL and no PostgreSQL on this machine, so everything is gone when the service stops",
		close:  func() {},
	}
}

func openPostgres(ctx context.Context, url, where string) (*storage, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("migrate the database: %w", err)
	}
	store, err := pgstore.New(pool)
	if err == nil {
		err = store.CheckLeases(ctx) // a forgotten migration is found now, and not by the first customer
	}
	var purger *pgstore.Purger
	if err == nil {
		purger, err = pgstore.NewPurger(store, pgstore.WithPurgeObserver(tellPurge))
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &storage{store: store, ledger: sqlLedger{pool}, purger: purger, where: where, close: pool.Close}, nil
}

// The migrations are in tern's format: 001_payouts.sql is ours, the others are generated and never change again.
//
//go:embed migrations/*.sql
var migrations embed.FS

// ternSeparator stands between the way up and the way down.
const ternSeparator = "---- create above / drop below ----"

// migrate brings the tables up to date, in one transaction. A service in production leaves this to a migration tool; the
// table it keeps count in is the one of tern.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted by name, and so by number
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// One process at a time; the lock goes with the transaction.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('payouts example: migrate'))`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version int4 NOT NULL)`); err != nil {
			return err
		}
		var done int
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM schema_version`).Scan(&done); err != nil {
			return err
		}
		for _, file := range files[min(done, len(files)):] {
			text, err := migrations.ReadFile(file)
			if err != nil {
				return err
			}
			up, _, _ := strings.Cut(string(text), ternSeparator)
			if _, err := tx.Exec(ctx, up, pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM schema_version`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO schema_version (version) VALUES ($1)`, max(done, len(files)))
		return err
	})
}
