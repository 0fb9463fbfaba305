package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// InProgressQuery chooses work in progress. The zero value asks for the oldest hundred.
type InProgressQuery struct {
	// Operation is an operation's id; "" for all.
	Operation string
	// Overdue asks for those whose lease is over: nobody does the work.
	Overdue bool
	// OlderThan asks for those that were claimed longer ago than this.
	OlderThan time.Duration
	// Limit is how many are returned, 1 to 1000; 0 means 100.
	Limit int
	// After is the cursor of the page before; "" for the first.
	After string
}

// InProgressPage is a part of the work in progress, oldest first.
type InProgressPage struct {
	Entries []Entry
	// Next is the cursor of the next page; "" where there is none.
	Next string
}

// The row comparison alone would be enough, but the simple one is what the index serves.
const inProgressSQL = `SELECT ` + entryColumns + ` FROM TABLE
WHERE status = 0 AND ($2::text = '' OR operation = $2::text) AND (NOT $3::boolean OR lease_until <= clock_timestamp())
AND created_at <= clock_timestamp() - make_interval(secs => $4::float8) AND created_at >= $5::timestamptz AND (created_at, ` + refSQL + `) > ($5::timestamptz, $6::text)
ORDER BY created_at, ` + refSQL + ` LIMIT $7::bigint`

// InProgress lists work in progress, oldest first, page by page. It reads the index of the work in progress and no
// other record. Results, requests and bodies are left out.
func (a *Admin) InProgress(ctx context.Context, query InProgressQuery) (InProgressPage, error) {
	limit := query.Limit
	if limit == 0 {
		limit = 100
	}
	if limit < 1 || limit > 1000 {
		return InProgressPage{}, fmt.Errorf("pgstore: a page of %d: it is 1 to 1000", query.Limit)
	}
	from, ref, err := parseCursor(query.After)
	if err != nil {
		return InProgressPage{}, fmt.Errorf("pgstore: %w", err)
	}
	var page InProgressPage
	err = a.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, a.store.onTable(inProgressSQL), false, query.Operation, query.Overdue, query.OlderThan.Seconds(), from, ref, limit+1)
		page.Entries, err = scanEntries(rows, err, false)
		return err
	})
	if err != nil {
		return InProgressPage{}, err
	}
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		last := page.Entries[limit-1]
		page.Next = strconv.FormatInt(last.CreatedAt.UnixMicro(), 10) + "-" + last.Ref
	}
	return page, nil
}

var errCursor = errors.New("this is not a cursor that a page has given")

func parseCursor(cursor string) (time.Time, string, error) {
	if cursor == "" {
		return time.UnixMicro(0), "", nil
	}
	micros, ref, ok := strings.Cut(cursor, "-")
	at, err := strconv.ParseInt(micros, 10, 64)
	if !ok || err != nil || at < 0 || !isRef(ref) {
		return time.Time{}, "", errCursor
	}
	return time.UnixMicro(at), ref, nil
}

func isRef(text string) bool {
	return len(text) == 2*refBytes && strings.Trim(text, "0123456789abcdef") == ""
}

// Counts is how much there is.
type Counts struct {
	// Operations are those with work in progress, by name.
	Operations []OperationCount
	// Records is about how many records the table holds, live, expired and in progress, as the last VACUUM or ANALYZE has
	// it; -1 where neither has run. Bytes is what the table takes on disk, with its indexes. Of a table in partitions both are
	// sums, of those that were analyzed and of all.
	Records, Bytes int64
}

// OperationCount counts the work in progress of an operation.
type OperationCount struct {
	Operation           string
	InProgress, Overdue int64
	// Oldest is how long ago the oldest of them was claimed, LongestOverdue how long the lease has been over that ended
	// first; 0 without any.
	Oldest, LongestOverdue time.Duration
}

const (
	countsSQL = `SELECT operation, count(*), count(*) FILTER (WHERE lease_until <= clock_timestamp()),
extract(epoch FROM clock_timestamp() - min(created_at))::float8,
extract(epoch FROM clock_timestamp() - min(lease_until) FILTER (WHERE isfinite(lease_until) AND lease_until <= clock_timestamp()))::float8
FROM TABLE WHERE status = 0 GROUP BY operation ORDER BY operation`

	// A table in partitions holds nothing itself, and is analyzed by nobody unless they say so.
	sizeSQL = `SELECT coalesce(sum(reltuples) FILTER (WHERE reltuples >= 0), -1)::bigint, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
FROM pg_class WHERE relkind <> 'p' AND (oid = to_regclass($1::text) OR oid IN (SELECT relid FROM pg_partition_tree(to_regclass($1::text))))`
)

// Counts counts the work in progress, by its index, and takes the rest from the server's statistics, so it is cheap however
// large the table is.
func (a *Admin) Counts(ctx context.Context) (Counts, error) {
	counts := Counts{Operations: []OperationCount{}}
	err := a.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, a.store.onTable(countsSQL))
		if err != nil {
			return err
		}
		counts.Operations, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c OperationCount, err error) {
			var oldest, overdue *float64
			err = row.Scan(&c.Operation, &c.InProgress, &c.Overdue, &oldest, &overdue)
			c.Oldest, c.LongestOverdue = seconds(oldest), seconds(overdue)
			return c, err
		})
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, sizeSQL, quoteTable(a.store.settings.table)).Scan(&counts.Records, &counts.Bytes)
	})
	if err != nil {
		return Counts{}, err
	}
	return counts, nil
}
