package migration

import (
	"regexp"
	"strings"
)

// Dialect is the SQL of a database.
type Dialect string

// The dialects. None but Postgres has been run against its database: the others follow what its makers document.
const (
	Postgres    Dialect = "postgres" // PostgreSQL 14 or later
	Citus       Dialect = "citus"
	CockroachDB Dialect = "cockroachdb"
	YugabyteDB  Dialect = "yugabytedb"
	DSQL        Dialect = "dsql" // Amazon Aurora DSQL
)

// dialect is how a database differs from PostgreSQL in what migrations ask of it. Adding a database is adding a value.
type dialect struct {
	name Dialect
	// notes stand at the top of every file of the schema, a line each; strategy is how the store is to be opened.
	notes    []string
	strategy string
	// alone puts every statement into a file of its own, to be run outside any transaction.
	alone bool
	// rewrite changes one statement of the schema, and may make several of it, or none.
	rewrite func(statement string) []string
	// uniqueIndex makes guards by it, where the database adds no constraint to a table that exists.
	uniqueIndex string
}

const noLeases = "Use transaction mode where the database has not both ctid and FOR UPDATE SKIP LOCKED: the recovery of lease mode needs them."

const notRun = "Written by what the makers of the database document, as read on 30 November 2026, and not run against one."

// defaultStrategy and insertFirst are what pgstore.New is given.
const (
	defaultStrategy = "pgstore.New(pool), the default strategy"
	insertFirst     = "pgstore.New(pool, pgstore.WithStrategy(pgstore.InsertFirst))"
)

var dialects = []dialect{
	{name: Postgres, strategy: defaultStrategy, rewrite: unchanged},
	{
		// https://github.com/citusdata/citus, multi_router_planner.c: "functions used in the WHERE clause of modification
		// queries on distributed tables must not be VOLATILE". The store asks clock_timestamp() whether a row has expired.
		name: Citus, strategy: defaultStrategy + ", connected to the coordinator", rewrite: unchanged,
		notes: []string{
			"Dialect citus. " + notRun,
			"Do not distribute this table: it stays a plain table of the coordinator, and every client connects to the coordinator. Citus",
			"refuses UPDATE and DELETE by clock_timestamp() on a distributed table, and that is how expired keys are replaced. A",
			"transaction that writes this table and distributed ones commits in two phases, all or nothing.",
		},
	},
	{
		// Advisory locks did nothing before 2026: https://github.com/cockroachdb/cockroach/issues/13546. Each change of the
		// schema by itself: https://www.cockroachlabs.com/docs/stable/online-schema-changes.
		name: CockroachDB, strategy: insertFirst, alone: true, rewrite: unchanged, uniqueIndex: "UNIQUE INDEX",
		notes: []string{
			"Dialect cockroachdb. " + notRun,
			"A statement a file, outside any transaction: several changes of the schema in one are not undone together.",
			noLeases,
		},
	},
	{
		// https://docs.yugabyte.com/stable/api/ysql/the-sql-language/statements/ddl_create_table/: without ASC the first
		// column is hashed, and the rows of one account do not stand together.
		name: YugabyteDB, strategy: insertFirst, rewrite: ascending,
		notes: []string{
			"Dialect yugabytedb. " + notRun,
			"The primary key is sharded by range. Each change of the schema is a transaction of its own, also between BEGIN and COMMIT.",
			noLeases,
		},
	},
	{
		// https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-ddl.html, and the release notes of 15
		// September 2026 for indexes with WHERE.
		name: DSQL, strategy: insertFirst, alone: true, rewrite: forDSQL, uniqueIndex: "UNIQUE INDEX ASYNC",
		notes: []string{
			"Dialect dsql. " + notRun,
			"A statement a file, outside any transaction: Aurora DSQL takes one change of the schema in each. It was not found out whether",
			"it takes bytea columns in a primary key; if it refuses the table, this version of idemgen cannot be used on it.",
			noLeases,
		},
	},
}

// Dialects returns the names of the supported dialects, in the order they are documented.
func Dialects() []string {
	names := make([]string, len(dialects))
	for i, d := range dialects {
		names[i] = string(d.name)
	}
	return names
}

func findDialect(name Dialect) (dialect, bool) {
	if name == "" {
		name = Postgres
	}
	for _, d := range dialects {
		if d.name == name {
			return d, true
		}
	}
	return dialect{}, false
}

// scripts lays a step out: one pair of scripts, or where statements stand alone one for each, in the order in which they
// are run. A statement's way down is with the statement that it undoes; what has to come before all of it, with the last.
func (d dialect) scripts(step Step) []Step {
	up, down := d.each(step.Up), d.each(step.Down)
	if !d.alone {
		return []Step{{Version: step.Version, Up: strings.Join(up, "\n\n"), Down: strings.Join(down, "\n\n")}}
	}
	scripts := make([]Step, len(up))
	for i, statement := range up {
		scripts[i] = Step{Version: step.Version, Up: statement}
	}
	at := len(scripts) - 1
	for i, statement := range down {
		scripts[at].Down = strings.TrimSpace(scripts[at].Down + "\n" + statement)
		if i >= len(down)-len(up) {
			at--
		}
	}
	return scripts
}

// each are the statements of a script as d has them.
func (d dialect) each(script string) []string {
	var all []string
	for _, statement := range statements(script) {
		all = append(all, d.rewrite(statement)...)
	}
	return all
}

// statements cuts a script after each semicolon at the end of a line, as [Step] has them. Comments stay with what follows.
func statements(script string) []string {
	var all []string
	var open []string
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		open = append(open, line)
		if code, _, _ := strings.Cut(line, "--"); strings.HasSuffix(strings.TrimSpace(code), ";") {
			all = append(all, strings.TrimSpace(strings.Join(open, "\n")))
			open = nil
		}
	}
	if rest := strings.TrimSpace(strings.Join(open, "\n")); rest != "" {
		all = append(all, rest)
	}
	return all
}

func unchanged(statement string) []string { return []string{statement} }

var primaryKey = regexp.MustCompile(`PRIMARY KEY \((\w+), (\w+)\)`)

func ascending(statement string) []string {
	return []string{primaryKey.ReplaceAllString(statement, "PRIMARY KEY ($1 ASC, $2 ASC)")}
}

var (
	createIndex = regexp.MustCompile(`(?m)^CREATE INDEX `)
	addColumn   = regexp.MustCompile(`(?m)^\s*ADD COLUMN (.+?)[,;]\s*(--.*)?$`)
	alterHead   = regexp.MustCompile(`(?m)^(ALTER TABLE .+)$`)
	// Aurora DSQL drops no column, so that a step can be applied again over those of an earlier time, and adds no constraint.
	notOnDSQL = regexp.MustCompile(`(?m)^ALTER TABLE .+ (?:ADD|DROP) CONSTRAINT |^\s*DROP COLUMN `)
)

// forDSQL builds indexes as Aurora DSQL does, adds columns one by one, and leaves out what it has not.
func forDSQL(statement string) []string {
	if notOnDSQL.MatchString(statement) {
		return nil
	}
	columns := addColumn.FindAllStringSubmatch(statement, -1)
	if len(columns) == 0 {
		return []string{createIndex.ReplaceAllString(statement, "CREATE INDEX ASYNC ")}
	}
	head := alterHead.FindString(statement)
	comment := statement[:strings.Index(statement, head)]
	var all []string
	for _, column := range columns {
		all = append(all, strings.TrimSpace(comment+strings.TrimSpace(head+" ADD COLUMN IF NOT EXISTS "+strings.TrimSpace(column[1]))+"; "+column[2]))
		comment = ""
	}
	return all
}
