package leasemodel_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime"
)

// process is one attempt of a client, or one round of recovery, in a process of its own: with its own engine, and nothing
// in common with the others but store and bank.
type process struct {
	trial   *trial
	name    string // "A1" is the first attempt of client A
	kind    rune   // its letter
	attempt int
	order   int
	// killed: nothing that it still does reaches anybody.
	killed atomic.Bool
	// sent: its next act was waited for already, by [process.begin].
	sent bool
	// alone: it asks nobody before it does something, since there is no other.
	alone    bool
	dead     bool // it has crashed, and is never heard of again
	done     bool
	followed bool   // by its next attempt
	answer   string // what its client was told; "" is for nothing that is final
	// history is all that it has come to know. Since its code is deterministic, that is its state.
	history strings.Builder
	// began are the steps that were done when it was given the record.
	began map[string]bool
}

// recovers says that it is a recovery, and no client's.
func (p *process) recovers() bool { return p.kind >= 'R' }

// gone says that it does nothing any more.
func (p *process) gone() bool { return p.dead || p.done }

// act is something that a process is about to do to what it shares with others.
type act struct {
	process *process
	name    string
	seq     int
	granted chan bool // false: the process was killed
}

// errKilled is one that the engine does not try again on.
var errKilled = fmt.Errorf("the process was killed: %w", runtime.ErrLeaseLost)

// do does f when the scheduler says so, and notes what came of it. ctx, where there is one, ends the wait, and then f is
// not done.
func (p *process) do(ctx context.Context, name string, f func() string) error {
	switch {
	case p.alone:
		f()
		return nil
	case p.sent:
		p.sent = false
		fmt.Fprintf(&p.history, "%s=%s;", name, f())
		return nil
	case p.killed.Load():
		return errKilled
	}
	a := p.trial.announce(p, name)
	var given <-chan struct{}
	if ctx != nil {
		given = ctx.Done()
	}
	select {
	case granted := <-a.granted:
		if !granted {
			return errKilled
		}
	case <-given:
		p.trial.withdraw(a)
		return ctx.Err()
	}
	fmt.Fprintf(&p.history, "%s=%s;", name, f())
	return nil
}

// begin waits for the first act, before the engine hears of it: what the engine sends then is not on its way for longer
// than its lease, so that it does not find the lease over at the moment at which it gets it.
func (p *process) begin(name string) error {
	err := p.do(nil, name, func() string { return "" })
	p.sent = err == nil
	return err
}
