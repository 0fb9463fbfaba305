package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

const recordsLong = `Records shows the work in progress that a service keeps in lease mode, and ends by hand
what is stuck. It talks to the database alone; the service need not run.

When you are called because a request "hangs" or a key is "still in progress":

  1. idemgen records show --key KEY          the one that the ticket names
  2. idemgen records list --older-than 5m    what should have been done by now
  3. Many workers so far: each attempt ends in doubt, so something that the step after the
     last one done calls is down, or the handler fails. The service's log says what. When
     it is mended the work goes on by itself, within five minutes.
  4. The lease is over (list --overdue): usually nothing is to be done. Recovery, or the
     client's next request with the same key, takes it up. If nobody does, see whether a
     process of the service with recovery runs, and what it logs.
  5. idemgen records release RECORD ...      take it from a worker that hangs

Which database: --database-url, or DATABASE_URL, or the PG* variables of psql. A URL on the
command line can be seen by others on the machine: rather set the variable. The table comes
from --table, or from migrations.table of idemgen.yaml where there is one.

list, show and count read in read-only transactions and work on a standby. release needs the
primary. Keys, requests, results and answers are shown with --reveal only: they are your
clients' data. Principals are shown.`

// recordsFlags say where the records are.
type recordsFlags struct {
	url     string
	table   string
	config  string
	timeout time.Duration
	json    bool
}

func newRecords(s *session) *cobra.Command {
	var flags recordsFlags
	cmd := &cobra.Command{
		Use:   "records",
		Short: "Look at requests in progress, and end by hand what is stuck",
		Long:  recordsLong,
		Args:  commandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&flags.url, "database-url", "", "`URL` of the database (default: DATABASE_URL, then PGHOST and its kin)")
	f.StringVar(&flags.table, "table", "", "`name` of the keys table, TABLE or SCHEMA.TABLE (default: that of idemgen.yaml, then "+pgstore.DefaultTable+")")
	f.StringVar(&flags.config, "config", "", "configuration `file` (default "+config.FileName+", if there is one)")
	f.DurationVar(&flags.timeout, "timeout", 10*time.Second, "how long a statement may take on the server, as a `duration`")
	f.BoolVar(&flags.json, "json", false, "the same as --format json")
	must(cmd.MarkPersistentFlagFilename("config", "yaml", "yml", "json"))
	cmd.AddCommand(newRecordsList(s, &flags), newRecordsShow(s, &flags), newRecordsCount(s, &flags), newRecordsRelease(s, &flags))
	return cmd
}

// within opens the database for do.
func (f *recordsFlags) within(ctx context.Context, s *session, do func(*pgstore.Admin) error) error {
	if f.json {
		s.format = "json"
	}
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout %v: the time has to be positive", f.timeout)
	}
	table, err := f.tableName(s)
	if err != nil {
		return err
	}
	pool, err := f.open(ctx, s)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.WithTable(table))
	if err != nil {
		return fmt.Errorf("--table: %w", err)
	}
	admin, err := pgstore.NewAdmin(store, pgstore.WithAdminTimeout(f.timeout))
	if err != nil {
		return err
	}
	return plainError(do(admin))
}

// open never repeats the URL: it can hold a password.
func (f *recordsFlags) open(ctx context.Context, s *session) (*pgxpool.Pool, error) {
	url, from := f.url, "--database-url"
	if url == "" {
		url, _ = s.env("DATABASE_URL")
		from = "DATABASE_URL"
	}
	if url == "" {
		from = "the PG* variables"
		if !s.set("PGHOST") && !s.set("PGDATABASE") && !s.set("PGSERVICE") && !s.set("PGUSER") {
			return nil, errors.New("no database is named: set DATABASE_URL or PGHOST and its kin, or give --database-url postgres://user@host:5432/database")
		}
	}
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read as a database's address: it is postgres://user:password@host:5432/database, with anything else than letters and digits percent-encoded", from)
	}
	settings.MaxConns, settings.MinConns, settings.MinIdleConns = 1, 0, 0
	settings.ConnConfig.RuntimeParams["application_name"] = "idemgen records"
	// No prepared statements by name, which some poolers lose.
	settings.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if settings.ConnConfig.ConnectTimeout == 0 {
		settings.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	return pgxpool.NewWithConfig(ctx, settings)
}

// tableName is the table that flags or the configuration name.
func (f *recordsFlags) tableName(s *session) (string, error) {
	if f.table != "" {
		return f.table, nil
	}
	file := f.config
	if file == "" {
		file = config.FileName
	}
	content, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.config == "":
		return pgstore.DefaultTable, nil
	case err != nil:
		return "", fmt.Errorf("cannot read the configuration: %w", err)
	}
	settings, found := config.Decode(filepath.ToSlash(file), content)
	if found.Err() != nil {
		s.report(found)
		return "", fmt.Errorf("%s does not tell the table: name it by --table", file)
	}
	if settings.Migrations.Table == "" {
		return pgstore.DefaultTable, nil
	}
	return settings.Migrations.Table, nil
}

// plainError has no "package:" and no tabs before the sentence that a person reads.
func plainError(err error) error {
	if err == nil || errors.Is(err, errNo) {
		return err
	}
	var fault *pgstore.SchemaError
	if errors.As(err, &fault) {
		// Most often it is the wrong table or database, and not the schema.
		return fmt.Errorf("the table %s %s: if it has another name, give that by --table; if it is in another database, name that by --database-url or DATABASE_URL; if both are right, %s", fault.Table, fault.Fault, fault.Mend())
	}
	text := strings.ReplaceAll(err.Error(), "\n\t", " ")
	return errors.New(strings.TrimPrefix(text, "pgstore: "))
}
