package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// keeper keeps a lease alive while its work goes on, and says when it is lost. Its worker believes that it holds the lease
// until a renewal's duration from when that was sent, by this process's monotonic clock, less a margin: the store counts
// from later on, so that no belief outlasts the lease by another clock's word.
type keeper struct {
	renew    func(ctx context.Context) error
	duration time.Duration // of the lease
	beat     time.Duration // between two renewals
	fail     func(error)   // told of the first renewal that fails
	lose     context.CancelCauseFunc

	mu     sync.Mutex
	until  time.Time // the end of the belief
	open   bool      // a transaction of the worker is open
	ending bool      // the worker writes the record's end
	lost   bool      // the store has said so
	told   bool      // fail was called
	last   error     // of the last renewal; nil where it did not fail
	expiry *time.Timer

	stop context.CancelFunc
	done chan struct{}
}

// marginOf is how much earlier than the store a worker takes its lease for over.
func marginOf(lease time.Duration) time.Duration { return min(lease/10, time.Second) }

// keep starts to keep a lease of the given duration that was asked for at sent. fail is told the
// first error of a renewal that does not say that the lease is lost, and lose is called with [ErrLeaseLost], and why renewals failed,
// when it is lost or may be.
func keep(sent time.Time, duration, beat time.Duration, renew func(context.Context) error, fail func(error), lose context.CancelCauseFunc) *keeper {
	k := &keeper{renew: renew, duration: duration, beat: beat, fail: fail, lose: lose, done: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.mu.Lock()
	k.until = sent.Add(duration - marginOf(duration))
	k.expiry = time.AfterFunc(time.Until(k.until), k.expire)
	k.mu.Unlock()
	go k.run(ctx, sent.Add(beat))
	return k
}

// halt stops the renewals; one that is under way is given up.
func (k *keeper) halt() { k.stop() }

// end stops the renewals and returns when none is under way.
func (k *keeper) end() {
	k.stop()
	<-k.done
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expiry.Stop()
}

// left is how much of the lease is left, as the worker believes.
func (k *keeper) left() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return max(time.Until(k.until), 0)
}

// renewed notes that the lease was renewed by what was sent at the given time.
func (k *keeper) renewed(sent time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if until := sent.Add(k.duration - marginOf(k.duration)); until.After(k.until) {
		k.until = until
		k.expiry.Reset(time.Until(until))
	}
}

// during notes whether a transaction of the worker is open. Under REPEATABLE READ and SERIALIZABLE a renewal meanwhile
// would have its commit fail, so there is none while half of the lease is left.
func (k *keeper) during(open bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = open
}

// final notes whether the worker writes the record's end. What a renewal finds meanwhile says nothing: the write itself
// finds out whether the lease is held.
func (k *keeper) final(ending bool) {
	k.mu.Lock()
	k.ending = ending
	k.mu.Unlock()
	if !ending {
		k.expire()
	}
}

// expire ends the worker's context if its belief has ended, and the renewals: who was told to stop keeps nobody off.
func (k *keeper) expire() {
	k.mu.Lock()
	over := !k.ending && !time.Now().Before(k.until)
	k.mu.Unlock()
	if over {
		k.lose(k.loss())
		k.stop()
	}
}

// loss is [ErrLeaseLost], and why the last renewal failed.
func (k *keeper) loss() error {
	if err := k.failure(); err != nil {
		return fmt.Errorf("%w; it could not be renewed: %w", ErrLeaseLost, err)
	}
	return ErrLeaseLost
}

// failure is why the last renewal failed; nil where it did not, and where nothing was renewed.
func (k *keeper) failure() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last
}

// wasLost reports whether the store has refused a renewal.
func (k *keeper) wasLost() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost
}

func (k *keeper) run(ctx context.Context, next time.Time) {
	defer close(k.done)
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		again, lost := k.try(ctx)
		if lost {
			k.lose(k.loss())
			return
		}
		timer.Reset(again)
	}
}

// try renews the lease once, if that is called for, and says after which time to try again.
func (k *keeper) try(ctx context.Context) (again time.Duration, lost bool) {
	soon := max(k.beat/4, time.Millisecond)
	k.mu.Lock()
	wait := k.ending || k.open && time.Until(k.until) > k.duration/2
	until := k.until
	k.mu.Unlock()
	if wait {
		return soon, false
	}
	sent := time.Now()
	bounded, cancel := context.WithDeadline(ctx, until) // who queues for a connection keeps its place
	err := k.renew(bounded)
	cancel()
	switch {
	case err == nil:
		k.mu.Lock()
		k.last = nil
		k.mu.Unlock()
		k.renewed(sent)
		return max(k.beat-time.Since(sent), time.Millisecond), false
	case errors.Is(err, ErrLeaseLost):
		k.mu.Lock()
		defer k.mu.Unlock()
		k.lost = !k.ending
		return soon, k.lost
	case ctx.Err() != nil: // it was given up
		return soon, false
	default: // the store does not answer; the belief ends by itself
		k.failed(err)
		return soon, false
	}
}

// failed notes why a renewal failed, and tells of the first that does.
func (k *keeper) failed(err error) {
	k.mu.Lock()
	first := !k.told
	k.told, k.last = true, err
	k.mu.Unlock()
	if first {
		k.fail(err)
	}
}
