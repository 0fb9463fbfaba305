package leasemodel_test

import (
	"context"
	"errors"
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
	// sent: its next act was waited for already, by [process.begin], and is to go so.
	sent   bool
	course course
	// alone: it asks nobody before it does something, since there is no other.
	alone    bool
	dead     bool // it has crashed, and is never heard of again
	done     bool
	followed bool   // by its next attempt
	answer   string // what its client was told; "" is for nothing that is final
	told     runtime.Outcome
	// history is all that it has come to know. Since its code is deterministic, that is its state.
	history strings.Builder
	// began are the steps that were done when it was given the record.
	began map[string]bool
	// claimed is the record that it claimed last, by number; effects says that it did something that counts.
	claimed int
	effects bool
	// refuses: its handler does so, and asks the other side only to make sure that nothing was done.
	refuses bool
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
	courses []course // in which it can go, apart from the usual one
	granted chan course
}

// course is how an act goes.
type course byte

const (
	killed course = iota // its process was
	usual
	answerLost // it happens, and its process learns at once that it does not know
	lost       // it does not happen, and its process learns the same
	answerGone // it happens, and its process waits for the answer as long as it cares to
	gone       // it does not happen, and its process does the same
	unclear    // the other side cannot tell
	refused    // the handler comes to the end that nothing is to be done
)

var courses = [...]string{
	usual:      "%s does %s",
	answerLost: "%s does %s, and the answer is lost",
	lost:       "%s does not get through with %s",
	answerGone: "%s does %s, and hears nothing for long",
	gone:       "%s does not get through with %s, and hears nothing for long",
	unclear:    "%s does %s, and nobody can tell",
	refused:    "%s does %s, and refuses",
}

// happens says whether what the act is about is done.
func (c course) happens() bool { return c == usual || c == answerLost || c == answerGone }

// errLost is what a process learns of an act whose answer does not come.
var errLost = errors.New("no answer came")

// errKilled is one that the engine does not try again on.
var errKilled = fmt.Errorf("the process was killed: %w", runtime.ErrLeaseLost)

// do does f when the scheduler says so, and notes what came of it. ctx, where there is one, ends the wait, and then f is
// not done.
func (p *process) do(ctx context.Context, name string, f func() string) error {
	course, err := p.wait(ctx, name, nil)
	if err == nil {
		p.note(name, course, f)
	}
	return err
}

// venture does f in one of the courses, when the scheduler says so and as it says, and notes what came of it. An error is
// for what the process does not learn. patience is how long it waits for an answer.
func (p *process) venture(patience context.Context, name string, courses []course, f func() string) error {
	course, err := p.wait(nil, name, courses)
	if err != nil {
		return err
	}
	if p.note(name, course, f); course == answerGone || course == gone {
		<-patience.Done()
	}
	if course != usual {
		return errLost
	}
	return nil
}

// wait waits until the scheduler lets an act happen.
func (p *process) wait(ctx context.Context, name string, courses []course) (course, error) {
	switch {
	case p.alone:
		return usual, nil
	case p.sent:
		p.sent = false
		return p.course, nil
	case p.killed.Load():
		return killed, errKilled
	}
	a := p.trial.announce(p, name, courses)
	var given <-chan struct{}
	if ctx != nil {
		given = ctx.Done()
	}
	select {
	case course := <-a.granted:
		if course == killed {
			return killed, errKilled
		}
		return course, nil
	case <-given:
		p.trial.withdraw(a)
		return killed, ctx.Err()
	}
}

// note does f in the given course, and notes what the process has learnt by it.
func (p *process) note(name string, course course, f func() string) {
	learnt := ""
	if course.happens() {
		learnt = f()
	}
	switch course {
	case usual:
	case answerLost, lost:
		learnt = "no answer"
	case answerGone, gone:
		learnt = "silence"
	default:
		learnt = fmt.Sprint("course ", course)
	}
	fmt.Fprintf(&p.history, "%s=%s;", name, learnt)
}

// begin waits for the first act, before the engine hears of it: what the engine sends then is not on its way for longer
// than its lease, so that it does not find the lease over at the moment at which it gets it.
func (p *process) begin(name string) (err error) {
	p.course, err = p.wait(nil, name, claimCourses[name])
	p.sent = err == nil
	return err
}
