package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

const releaseLong = `Release ends work in progress by hand. There are two ways:

  --hand-over   takes the work from its worker and ends the lease. Recovery, or the client's
                next request with the same key, goes on where the steps end. What is done is
                not run again, and a step that may have begun is asked about first. This is
                what happens when a worker dies, and as safe.

  --free        deletes the record. The next request with the key runs the work from its
                beginning, and knows nothing of what was done: a payment that went out is
                made twice. Only for work of which you have made sure, at the other side
                and in your own tables, that it had no effect, or that its effects are
                undone. Say so by --nothing-happened. A step that show calls done has
                committed what it wrote, and that stays: where there is one, freeing is
                refused unless you have undone what each did, and say so by
                --steps-undone. Refused while the lease is not over, unless --force.

Both ask for a reason, and for --seen, which show prints: a record that has moved since you
looked is left alone. Who, when, why and what was done are kept in the table of releases.
Complete records are never changed.

Exit codes: 0 done; 1 refused, nothing was changed; 2 the database could not be asked, or is
a standby. Where the connection breaks in the end, show tells whether it was done.`

const releaseExample = `  idemgen records release 3f9a1c7e20b4d5aa --seen 2-9f2c41aa --hand-over --reason "worker hangs since 01:50, INC-1"
  idemgen records release 3f9a1c7e20b4d5aa --seen 3-07d1e3b2 --free --nothing-happened --reason "bank: no such payout"
  idemgen records release 3f9a1c7e20b4d5aa --seen 3-07d1e3b2 --free --nothing-happened --steps-undone --reason "bank: no such payout; took the hold off"`

type releaseFlags struct {
	seen, reason                                        string
	handOver, free, nothingHappened, stepsUndone, force bool
}

func newRecordsRelease(s *session, flags *recordsFlags) *cobra.Command {
	var r releaseFlags
	cmd := &cobra.Command{
		Use:     "release RECORD",
		Short:   "Hand stuck work over to another worker, or free its key",
		Long:    releaseLong,
		Example: releaseExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(args); err != nil {
				return err
			}
			return flags.within(cmd.Context(), s, func(admin *pgstore.Admin) error { return s.releaseRecord(cmd.Context(), admin, args[0], &r) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.seen, "seen", "", "the `state` that show has printed")
	f.StringVar(&r.reason, "reason", "", "why, as a `text` for whoever reads the table of releases")
	f.BoolVar(&r.handOver, "hand-over", false, "end the lease, so that another worker goes on")
	f.BoolVar(&r.free, "free", false, "delete the record, so that the next request begins anew")
	f.BoolVar(&r.nothingHappened, "nothing-happened", false, "with --free: you have made sure that the work has no effect anywhere, or none any more")
	f.BoolVar(&r.stepsUndone, "steps-undone", false, "with --free, where steps are done: you have undone what each of them did")
	f.BoolVar(&r.force, "force", false, "with --free: even while the lease is not over")
	return cmd
}

func (r *releaseFlags) check(args []string) error {
	switch {
	case len(args) != 1:
		return errors.New("release takes the name of one record, as list prints it; see 'idemgen records release --help'")
	case !isRecordName(args[0]):
		return errNoName
	case r.handOver == r.free:
		return errors.New("say what is to be done: --hand-over, which is safe, or --free; see 'idemgen records release --help'")
	case r.seen == "":
		return fmt.Errorf("--seen is missing: it is printed by 'idemgen records show %s'", args[0])
	case r.reason == "":
		return errors.New("--reason is missing: it is what the next person reads")
	case r.handOver && (r.nothingHappened || r.stepsUndone || r.force):
		return errors.New("--nothing-happened, --steps-undone and --force go with --free alone")
	case r.free && !r.nothingHappened:
		return errors.New("--free has the work run again from its beginning: make sure at the other side and in your own tables that it had no effect, or has none any more, and say so by --nothing-happened; otherwise use --hand-over")
	}
	return nil
}

func (s *session) releaseRecord(ctx context.Context, admin *pgstore.Admin, name string, r *releaseFlags) error {
	found, err := admin.Find(ctx, pgstore.FindQuery{Ref: name})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return s.refuse(pgstore.ErrNotInProgress)
	}
	e := &found[0]
	if len(found) > 1 || seenText(e.Seen) != r.seen {
		return s.refuse(pgstore.ErrMoved)
	}
	release := pgstore.Release{Action: pgstore.HandOver, Seen: e.Seen, Reason: r.reason, Force: r.force, StepsUndone: r.stepsUndone}
	if r.free {
		release.Action = pgstore.Free
	}
	err = admin.Release(ctx, e.ID, release)
	var done *pgstore.StepsDoneError
	switch {
	case errors.As(err, &done):
		return s.refuse(fmt.Errorf("%s: undo what was done, at the other side and in your own tables, and say so by --steps-undone, or use --hand-over", done.Done()))
	case errors.Is(err, pgstore.ErrMoved), errors.Is(err, pgstore.ErrNotInProgress):
		return s.refuse(err)
	case errors.Is(err, pgstore.ErrLeaseLive):
		s.say(s.stderr, "idemgen: %s", plainError(err))
		s.say(s.stderr, "idemgen: nothing was changed. Use --hand-over; or wait, or --force where you are sure that no worker is at it")
		return errNo
	case errors.Is(err, pgstore.ErrSlow):
		return fmt.Errorf("%w: a worker may be writing this record just now; nothing was changed", err)
	case err != nil:
		return err
	}
	if s.format == "json" {
		return writeRecordJSON(s.stdout, releasedJSON{Version: 1, Ref: e.Ref, Action: string(release.Action)})
	}
	if r.free {
		fmt.Fprintf(s.stdout, "%s: freed; the next request with its key runs the work from its beginning\n", e.Ref)
		return nil
	}
	fmt.Fprintf(s.stdout, "%s: handed over; recovery, or the next request with its key, goes on with it\n", e.Ref)
	return nil
}

type releasedJSON struct {
	Version int    `json:"version"`
	Ref     string `json:"ref"`
	Action  string `json:"action"` // "handed over", "freed"
}

func (s *session) refuse(err error) error {
	s.say(s.stderr, "idemgen: %s", plainError(err))
	s.say(s.stderr, "idemgen: nothing was changed")
	return errNo
}
