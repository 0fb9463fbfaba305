package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

const showLong = `Show prints one record: by the name that list prints, or by the key that a client has sent,
as a ticket has it. A key finds complete records as well. The same key can have been used by
several accounts; --principal names one, and makes the search quick in a large table.

Keys, the stored request, results of steps and the stored answer are your clients' data:
they are shown with --reveal only. What is sealed is not opened.

Exit codes: 0 found; 1 there is no such record; 2 the database could not be asked.`

const showExample = `  idemgen records show 3f9a1c7e20b4d5aa
  idemgen records show --key 0f8fad5b-d9cb-469f-a165-70867728950e --principal acct_0001`

func newRecordsShow(s *session, flags *recordsFlags) *cobra.Command {
	var query pgstore.FindQuery
	cmd := &cobra.Command{
		Use:     "show [RECORD]",
		Short:   "Show one record, by its name or by the client's key",
		Long:    showLong,
		Example: showExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1 || len(args) == 1 && query.Key != "" || len(args) == 0 && query.Key == "":
				return errors.New("show takes the name of one record, as list prints it, or --key; see 'idemgen records show --help'")
			case len(args) == 1 && !isRecordName(args[0]):
				return errNoName
			case len(args) == 1:
				query.Ref = args[0]
			}
			query.Key = unquoteKey(query.Key)
			return flags.within(cmd.Context(), s, func(admin *pgstore.Admin) error { return s.showRecords(cmd.Context(), admin, query) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&query.Key, "key", "", "find the records of this `key`, as the client has sent it")
	f.StringVar(&query.Principal, "principal", "", "with --key: only those of this `account`")
	f.BoolVar(&query.Reveal, "reveal", false, "show the key, the request, results and the answer")
	return cmd
}

var errNoName = errors.New("a record's name has 16 hexadecimal digits, as list prints it; to look for a client's key, use --key")

func isRecordName(text string) bool {
	return len(text) == 16 && strings.Trim(text, "0123456789abcdef") == ""
}

// unquoteKey takes the quotes away that a key may be sent in (RFC 9651, section 3.3.3).
func unquoteKey(key string) string {
	if len(key) < 3 || key[0] != '"' || key[len(key)-1] != '"' {
		return key
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(key[1 : len(key)-1])
}

func (s *session) showRecords(ctx context.Context, admin *pgstore.Admin, query pgstore.FindQuery) error {
	found, err := admin.Find(ctx, query)
	if err != nil && len(found) == 0 {
		if errors.Is(err, pgstore.ErrSlow) {
			return fmt.Errorf("%w; name the account by --principal, or allow more by --timeout", err)
		}
		return err
	}
	if s.format == "json" {
		if err := writeRecordJSON(s.stdout, recordsJSON{Version: 1, Records: entriesJSON(found, query.Reveal)}); err != nil {
			return err
		}
	} else {
		for i := range found {
			if i > 0 {
				fmt.Fprintln(s.stdout)
			}
			s.showEntry(&found[i], query.Reveal)
		}
	}
	if err != nil {
		s.say(s.stderr, "idemgen: only work in progress was searched: %s; name the account by --principal, or allow more by --timeout", plainError(err))
	}
	if len(found) == 0 {
		s.say(s.stderr, "idemgen: %s", noSuchRecord(query))
		return errNo
	}
	return nil
}

func noSuchRecord(query pgstore.FindQuery) string {
	if query.Ref != "" {
		return "there is no work in progress of this name: it was completed or released; look for it by --key"
	}
	return "there is no record of this key: it was never used, its work was rolled back, its record has expired and was purged, or it was freed by hand"
}

// showEntry prints a record, a line for each thing.
func (s *session) showEntry(e *pgstore.Entry, reveal bool) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(s.stdout, "%-12s %s\n", name, visible(fmt.Sprintf(format, args...), keepNothing))
	}
	line("record", "%s, %s", e.Ref, state(e))
	line("operation", "%s", short(e.Operation, 200))
	parts, ok := runtime.ParseScope(e.ID.Scope)
	if !ok {
		line("scope", "%s", quoted(e.ID.Scope))
	}
	for _, part := range parts {
		if part.Kind != "operation" || part.Value != e.Operation {
			line(part.Kind, "%s", short(scopeValue(part), 300))
		}
	}
	if reveal {
		line("key", "%s", quoted(e.ID.Key))
	}
	line("made", "%s, %s ago", moment(e.CreatedAt), span(e.Age))
	if e.InProgress {
		s.showWork(e, line)
		return
	}
	line("expires", "%s", moment(e.ExpiresAt))
	line("status", "%d", e.Status)
	switch e.BodyState {
	case runtime.BodyOmitted:
		line("body", "not kept, by policy")
	case runtime.BodyTooLarge:
		line("body", "not kept, since it was too large: a retry is told that the work was done")
	default:
		line("body", "%s", storedText(e.Body))
	}
	for _, name := range sortedNames(e.Header) {
		for _, value := range e.Header[name] {
			line("header", "%s: %s", quoted(name), quoted(value))
		}
	}
}

func sortedNames(header http.Header) []string {
	var names []string
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *session) showWork(e *pgstore.Entry, line func(string, string, ...any)) {
	line("lease", "%s", lease(e))
	line("workers", "%d so far", e.Seen.Epoch)
	line("seen", "%s", seenText(e.Seen))
	switch {
	case e.StepsDamaged:
		line("steps done", "they are damaged and cannot be read")
	case len(e.Steps) == 0:
		line("steps done", "none; the first may have begun")
	}
	for _, step := range e.Steps {
		line("step done", "%s, result %s", short(step.Name, 100), storedText(step.Result))
	}
	request, err := runtime.ReadStoredRequest(e.Request.Content)
	if e.Request.Content == nil || e.Request.Sealed || err != nil {
		line("request", "%s", storedText(e.Request))
		s.adviseOn(e)
		return
	}
	line("request", "%s %s", quoted(request.Method), quoted(request.Target))
	for _, name := range sortedNames(request.Header) {
		for _, value := range request.Header[name] {
			line("header", "%s: %s", quoted(name), quoted(value))
		}
	}
	line("body", "%d bytes: %s", len(request.Body), quoted(string(request.Body)))
	s.adviseOn(e)
}

// adviseOn says what can be done, with the command that does it.
func (s *session) adviseOn(e *pgstore.Entry) {
	if e.Overdue() {
		fmt.Fprintln(s.stdout, "\nNobody is at it. Recovery takes it up within its interval, and so does the client's next\nrequest with the same key. If nobody does, see whether a process with recovery runs.")
	} else {
		fmt.Fprintln(s.stdout, "\nA worker is at it, or gave it up until its lease is over. Where there have been many\nworkers, attempts fail: the service's log says why. If a worker hangs, this has another\none go on where the steps end:")
		fmt.Fprintf(s.stdout, "  idemgen records release %s --seen %s --hand-over --reason \"...\"\n", e.Ref, seenText(e.Seen))
	}
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
