package pgstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Purger deletes expired records in the background: pass after pass over the whole table, in batches that are short in
// time, within a budget. Any number of processes may run one; each record is deleted by one of them, and the budget is
// each one's own. It is safe for concurrent use.
//
// Expired records count as absent whether they are deleted or not, so a purger that is slow, or stopped, costs space and
// nothing else. Records of work in progress do not expire and are never touched. No claim waits for a purger, but one of an
// id whose expired record is being deleted, until that batch ends: some 50 ms at most.
//
// It needs the privileges SELECT, UPDATE (which locking rows asks for) and DELETE.
type Purger struct {
	store    *Store
	settings purgeSettings

	now    func() time.Time
	sleep  func(ctx context.Context, d time.Duration) error
	batch  func(ctx context.Context, walk purgeWalk, size purgeSize) (purgeBatch, error)
	chance func() float64 // at least 0 and below 1
}

type purgeSettings struct {
	interval time.Duration
	rate     int // records a second
	reading  int // bytes a second
	most     int // records a batch
	walk     PurgeWalk
	observe  func(PurgeEvent)
}

// PurgeOption changes a purger from its defaults.
type PurgeOption func(*purgeSettings) error

// PurgeEvent is how far a pass has come.
type PurgeEvent struct {
	// Deleted counts the records that the pass has deleted, Batches the transactions it took, Skipped those of them that
	// were given up because of another transaction. What they left is for the next pass.
	Deleted          int64
	Batches, Skipped int
	// Elapsed is since the pass began, the pauses that keep it within its budget included.
	Elapsed time.Duration
	// Lag is how long before it was deleted the record that had expired first had done so, by the database's clock: of all
	// that the pass has come across, the oldest. It comes with the deletion and costs nothing. Where the purger keeps up it
	// is about the interval and the length of a pass; one that grows from pass to pass asks for a larger budget.
	Lag time.Duration
	// Done is the part of the table that has been read, from 0 to 1; 0 where that is not known.
	Done float64
	// Ended marks the last event of a pass, and Err is what ended it before its time.
	Ended bool
	Err   error
}

// The defaults of a purger.
const (
	defaultPurgeInterval = 5 * time.Minute
	defaultPurgeRate     = 5000
	defaultPurgeReading  = 32 << 20
	defaultPurgeBatch    = 1000
)

// WithPurgeInterval sets the pause between two passes. A quarter of it more or less is left to chance, so that processes
// that were started together do not stay together. The default is 5 minutes.
func WithPurgeInterval(d time.Duration) PurgeOption {
	return func(s *purgeSettings) error {
		if d <= 0 {
			return fmt.Errorf("WithPurgeInterval(%v): the pause must be positive", d)
		}
		s.interval = d
		return nil
	}
}

// WithPurgeRate bounds how many records are deleted in a second. The default is 5000. A rate below the number of records
// that expire in a second lets the table grow; [PurgeEvent].Lag shows it.
func WithPurgeRate(records int) PurgeOption {
	return func(s *purgeSettings) error {
		if records < 1 {
			return fmt.Errorf("WithPurgeRate(%d): at least one record a second", records)
		}
		s.rate = records
		return nil
	}
}

// WithPurgeReading bounds how many bytes of the table are read in a second: a pass reads all of it to find what has
// expired, and a table that does not fit into memory comes from the disk. The default is 32 MiB.
func WithPurgeReading(bytes int) PurgeOption {
	return func(s *purgeSettings) error {
		if bytes < 1 {
			return fmt.Errorf("WithPurgeReading(%d): at least one byte a second", bytes)
		}
		s.reading = bytes
		return nil
	}
}

// WithPurgeBatch bounds how many records one transaction deletes. The default is 1000. Batches that take longer than some
// 50 ms are made smaller by themselves.
func WithPurgeBatch(records int) PurgeOption {
	return func(s *purgeSettings) error {
		if records < 1 {
			return fmt.Errorf("WithPurgeBatch(%d): at least one record", records)
		}
		s.most = records
		return nil
	}
}

// WithPurgeObserver has f called after each batch and at the end of each pass, by the goroutine that purges: for a metric of
// the records, a gauge of the lag, a log entry of the errors.
func WithPurgeObserver(f func(PurgeEvent)) PurgeOption {
	return func(s *purgeSettings) error {
		if f == nil {
			return errors.New("WithPurgeObserver: the function is nil")
		}
		s.observe = f
		return nil
	}
}

// WithPurgeWalk chooses how a pass goes through the table, instead of leaving it to [PurgeAuto].
func WithPurgeWalk(walk PurgeWalk) PurgeOption {
	return func(s *purgeSettings) error {
		if walk != PurgeAuto && walk != PurgeByPage && walk != PurgeByKey {
			return fmt.Errorf("WithPurgeWalk(%d): this walk is not known", walk)
		}
		s.walk = walk
		return nil
	}
}

// NewPurger returns a purger of store's table. Nothing is read yet.
func NewPurger(store *Store, opts ...PurgeOption) (*Purger, error) {
	if store == nil {
		return nil, errors.New("pgstore.NewPurger: the store is nil")
	}
	p := &Purger{
		store: store,
		settings: purgeSettings{
			interval: defaultPurgeInterval, rate: defaultPurgeRate, reading: defaultPurgeReading, most: defaultPurgeBatch,
			observe: func(PurgeEvent) {},
		},
		now: time.Now, sleep: sleep, batch: runBatch, chance: rand.Float64,
	}
	for _, opt := range opts {
		if err := opt(&p.settings); err != nil {
			return nil, fmt.Errorf("pgstore.NewPurger: %w", err)
		}
	}
	return p, nil
}

// Run purges until ctx ends. A batch that is under way then is finished first, which takes no longer than a batch does.
// Errors of the database are told to the observer, and the next pass tries again; Run returns nil.
func (p *Purger) Run(ctx context.Context) error {
	// Not all at once where many processes start together.
	pause := time.Duration(p.chance() * float64(p.settings.interval) / 4)
	for p.sleep(ctx, pause) == nil {
		_, _ = p.Once(ctx) // the observer has its error
		pause = p.settings.interval*3/4 + time.Duration(p.chance()*float64(p.settings.interval)/2)
	}
	return nil
}

// Once makes one pass: all that had expired when it came by is gone, but what another transaction held. It returns what it
// came to, with the error that ended it, which is ctx's where ctx ended.
func (p *Purger) Once(ctx context.Context) (PurgeEvent, error) {
	pass := &purgePass{purger: p, began: p.now()}
	pass.next = pass.began
	pass.size = pass.fit(100, 1<<20)
	err := pass.run(ctx)
	if err != nil {
		err = fmt.Errorf("pgstore: purge: %w", err)
	}
	pass.event.Ended, pass.event.Err = true, err
	pass.tell()
	return pass.event, err
}

func sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
