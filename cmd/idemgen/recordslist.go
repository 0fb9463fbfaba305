package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

const listLong = `List prints work in progress, the oldest first. A line is a record: its name for the other
commands, whose it is, how old, how many workers have had it, what is left of the lease, and
the steps that are done.

"over for 12m04s" in the column LEASE: nobody has been at it since. Work that a worker gave
up waits for its next turn with a lease that is not over, so --overdue seldom shows it: where
another service is down, look for work that is old and has had many workers.

Exit codes: 0 printed, be it none; 2 the database could not be asked.`

const listExample = `  idemgen records list --older-than 5m
  idemgen records list --overdue
  idemgen records list --operation createPayout --older-than 15m
  idemgen records list --json | jq '.records[].ref'`

func newRecordsList(s *session, flags *recordsFlags) *cobra.Command {
	var query pgstore.InProgressQuery
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List work in progress, oldest first",
		Long:    listLong,
		Example: listExample,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.within(cmd.Context(), s, func(admin *pgstore.Admin) error { return s.listRecords(cmd.Context(), admin, query) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&query.Operation, "operation", "", "only of this operation, by its `operationId`")
	f.BoolVar(&query.Overdue, "overdue", false, "only work whose lease is over")
	f.DurationVar(&query.OlderThan, "older-than", 0, "only work that was begun longer ago than this `duration`, such as 15m")
	f.IntVar(&query.Limit, "limit", 50, "the `number` of records that are printed at most, up to 1000")
	f.StringVar(&query.After, "after", "", "go on after a `cursor`, which the page before has printed")
	return cmd
}

func (s *session) listRecords(ctx context.Context, admin *pgstore.Admin, query pgstore.InProgressQuery) error {
	page, err := admin.InProgress(ctx, query)
	if err != nil {
		return err
	}
	if s.format == "json" {
		return writeRecordJSON(s.stdout, recordsJSON{Version: 1, Records: entriesJSON(page.Entries, false), Next: page.Next})
	}
	if len(page.Entries) == 0 {
		fmt.Fprintln(s.stdout, "no such work in progress")
		return nil
	}
	rows := [][]string{{"RECORD", "OPERATION", "PRINCIPAL", "AGE", "WORKERS", "LEASE", "STEPS DONE"}}
	for i := range page.Entries {
		e := &page.Entries[i]
		rows = append(rows, []string{
			e.Ref, short(e.Operation, 30), short(principal(e), 30), span(e.Age), strconv.FormatInt(e.Seen.Epoch, 10), lease(e), short(stepNames(e), 50),
		})
	}
	s.printTable(rows)
	if page.Next != "" {
		fmt.Fprintf(s.stdout, "there are more: --after %s\n", page.Next)
	}
	return nil
}

const countLong = `Count prints, for each operation, how much work is in progress and how much of it is overdue,
and about how large the table is. It is cheap: it reads the index of the work in progress and
the server's statistics.

Exit codes: 0 printed; 2 the database could not be asked.`

func newRecordsCount(s *session, flags *recordsFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "count",
		Short: "Count work in progress by operation",
		Long:  countLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.within(cmd.Context(), s, func(admin *pgstore.Admin) error { return s.countRecords(cmd.Context(), admin) })
		},
	}
}

func (s *session) countRecords(ctx context.Context, admin *pgstore.Admin) error {
	counts, err := admin.Counts(ctx)
	if err != nil {
		return err
	}
	if s.format == "json" {
		return writeRecordJSON(s.stdout, countsJSONOf(counts))
	}
	if len(counts.Operations) == 0 {
		fmt.Fprintln(s.stdout, "no work in progress")
	} else {
		rows := [][]string{{"OPERATION", "IN PROGRESS", "OLDEST", "OVERDUE", "LONGEST"}}
		for _, c := range counts.Operations {
			longest := ""
			if c.Overdue > 0 {
				longest = span(c.LongestOverdue)
			}
			rows = append(rows, []string{short(c.Operation, 50), strconv.FormatInt(c.InProgress, 10), span(c.Oldest), strconv.FormatInt(c.Overdue, 10), longest})
		}
		s.printTable(rows)
	}
	records := "an unknown number of records (the table was never analysed)"
	if counts.Records >= 0 {
		records = fmt.Sprintf("about %d records", counts.Records)
	}
	fmt.Fprintf(s.stdout, "in the table: %s, %s on disk\n", records, size(counts.Bytes))
	return nil
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 10<<10:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 10<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 10<<30:
		return fmt.Sprintf("%d MiB", bytes>>20)
	default:
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
}

// span is a length of time for people, in two units at most.
func span(d time.Duration) string {
	d = d.Round(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", seconds)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", minutes, seconds)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", hours, minutes)
	default:
		return fmt.Sprintf("%dd%02dh", hours/24, hours%24)
	}
}
