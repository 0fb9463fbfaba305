package pgstore

import (
	"context"
	"time"
)

// PurgeClock gives p another clock, and purgers of tests a place to begin.
func PurgeClock(p *Purger, now func() time.Time, sleep func(context.Context, time.Duration) error) {
	p.now, p.sleep = now, sleep
}

// PurgeFrom has each pass of p begin at a part of the table.
func PurgeFrom(p *Purger, part float64) { p.chance = func() float64 { return part } }

// PurgeBatch is what a batch is allowed, and what it came to.
type PurgeBatch struct {
	Records, Bytes int
	Deleted        int64
	Read           int
}

// PurgeBatches has f called in place of each batch of p. real makes the batch.
func PurgeBatches(p *Purger, f func(ctx context.Context, allowed PurgeBatch, real func() (PurgeBatch, error)) (PurgeBatch, error)) {
	p.batch = func(ctx context.Context, walk purgeWalk, size purgeSize) (purgeBatch, error) {
		var whole purgeBatch
		did, err := f(ctx, PurgeBatch{Records: size.records, Bytes: size.bytes}, func() (PurgeBatch, error) {
			var err error
			whole, err = walk.batch(ctx, size)
			return PurgeBatch{Deleted: whole.deleted, Read: whole.bytes}, err
		})
		whole.deleted, whole.bytes = did.Deleted, did.Read
		return whole, err
	}
}

// PurgePagesSQL is the statement of a batch by pages.
func PurgePagesSQL(s *Store) string { return s.onTable(purgePagesSQL) }
