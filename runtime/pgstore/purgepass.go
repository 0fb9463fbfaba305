package pgstore

import (
	"context"
	"errors"
	"time"
)

// The bounds of a batch. A claim that replaces a record which is being deleted waits as long as one takes, so their size
// follows the time that they take.
const (
	batchTime    = 50 * time.Millisecond
	batchTimeout = 10 * time.Second
	leastBytes   = 8 << 10 // a page
	mostBytes    = 16 << 20
	leastRecords = 10
	mostSkipped  = 3 // one after the other: then it is not a single row any more
)

// purgeSize is how much a batch may take on.
type purgeSize struct {
	records int // to delete
	bytes   int // to read
}

// purgeBatch is what a batch has come to.
type purgeBatch struct {
	deleted int64
	bytes   int // read, at most
	oldest  time.Duration
	done    float64
}

// purgeWalk leads a pass through the table.
type purgeWalk interface {
	// batch deletes some of what has expired and goes on from where the last one ended.
	batch(ctx context.Context, size purgeSize) (purgeBatch, error)
	// skip passes over what the last batch failed on.
	skip(size purgeSize)
	ended() bool
}

// purgePass is one pass of a purger. It is used by one goroutine.
type purgePass struct {
	purger *Purger
	began  time.Time
	next   time.Time // when the budget allows the next batch
	size   purgeSize
	inRow  int // batches given up, one after the other
	event  PurgeEvent
}

func (p *purgePass) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	walk, err := p.purger.store.purgeWalk(ctx, p.purger.settings.walk, p.purger.chance())
	if err != nil {
		return err
	}
	for !walk.ended() {
		if err := p.purger.sleep(ctx, p.next.Sub(p.purger.now())); err != nil {
			return err
		}
		if err := p.batch(ctx, walk); err != nil {
			return err
		}
	}
	return nil
}

func (p *purgePass) batch(ctx context.Context, walk purgeWalk) error {
	began := p.purger.now()
	// ctx's end lets the batch finish: breaking it off would cost a connection, and its work.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()
	batch, err := p.purger.batch(bounded, walk, p.size)
	p.event.Batches++
	switch took := p.purger.now().Sub(began); {
	case err == nil:
		p.inRow = 0
		p.adapt(took)
	case (retryable(err) || sqlstate(err) == lockNotAvailable || errors.Is(err, context.DeadlineExceeded)) && p.inRow < mostSkipped:
		walk.skip(p.size)
		p.event.Skipped++
		p.inRow++
		p.adapt(2 * batchTime)
	default:
		return err
	}
	p.spend(began, batch)
	p.event.Deleted += batch.deleted
	p.event.Lag = max(p.event.Lag, batch.oldest)
	p.event.Done = max(p.event.Done, batch.done)
	p.tell()
	return nil
}

// spend says when the budget allows the next batch: once the time is over that this one is worth, counted from its
// beginning. Time that was not used is not saved up.
func (p *purgePass) spend(began time.Time, batch purgeBatch) {
	worth := max(
		float64(batch.deleted)/float64(p.purger.settings.rate),
		float64(batch.bytes)/float64(p.purger.settings.reading))
	p.next = began.Add(time.Duration(worth * float64(time.Second)))
}

// adapt halves the size of a batch that took too long and doubles that of a quick one, within bounds.
func (p *purgePass) adapt(took time.Duration) {
	switch {
	case took > batchTime:
		p.size = p.fit(p.size.records/2, p.size.bytes/2)
	case took < batchTime/2:
		p.size = p.fit(p.size.records*2, p.size.bytes*2)
	}
}

// fit keeps a size within its bounds. A batch does not use up more than the budget of a tenth of a second, so that the work
// is spread evenly, unless so little is hardly worth a transaction.
func (p *purgePass) fit(records, bytes int) purgeSize {
	settings := &p.purger.settings
	return purgeSize{
		records: max(min(records, settings.most, settings.rate/10), min(leastRecords, settings.most, settings.rate)),
		bytes:   max(min(bytes, mostBytes, settings.reading/10), leastBytes),
	}
}

func (p *purgePass) tell() {
	p.event.Elapsed = p.purger.now().Sub(p.began)
	p.purger.settings.observe(p.event)
}

func runBatch(ctx context.Context, walk purgeWalk, size purgeSize) (purgeBatch, error) {
	return walk.batch(ctx, size)
}
