package runtime

import (
	"net/http"
	goruntime "runtime"
	"runtime/debug"
	"time"
)

// ErrWorkLimit is why the context of work in lease mode ends at the limit of [WithWorkLimit].
var ErrWorkLimit = Explain("the work has gone on for longer than one worker may (WithWorkLimit), and is left to another", nil)

// errLeftBehind is work whose handler does not return.
var errLeftBehind = Explain("the handler did not return when its context ended, and is left behind in its goroutine: have its calls heed the context, and give them a timeout", ErrWorkLimit)

// errGoexit is a handler that ended its goroutine.
var errGoexit = Explain("the handler ended its goroutine by runtime.Goexit", nil)

// way is how the goroutine of a handler ended. A panic and runtime.Goexit that nobody caught go on in the one that waits.
type way struct {
	end      leaseEnd
	panicked any
	goexit   bool
}

// goOn has what nobody caught go on.
func (w *way) goOn() {
	switch {
	case w.panicked != nil:
		panic(w.panicked)
	case w.goexit:
		goruntime.Goexit()
	}
}

// do has the handler run, and what it came to settled, in a goroutine of its own, so that a handler which does not return
// holds neither client nor recovery. At the limit of [WithWorkLimit] its context ends, and its heartbeat, so that the lease
// comes to an end too. One lease later it is waited for no more: what it still writes counts while nobody has taken the work
// over, and changes nothing afterwards.
func (l *Lease[TX]) do() way {
	defer l.stop(nil) // for what the handler has left behind, and so that the context above holds nothing of this one
	defer l.keeper.end()
	told := make(chan way, 1)
	go l.run(told)

	limit := time.NewTimer(l.call.engine.settings.workLimit)
	defer limit.Stop()
	select {
	case w := <-told:
		return w
	case <-limit.C:
	}
	l.stop(ErrWorkLimit)
	l.keeper.halt()
	limit.Reset(l.duration())
	select {
	case w := <-told:
		l.limited(false, ErrWorkLimit)
		return w
	case <-limit.C:
	}
	l.mu.Lock()
	l.left = true
	l.mu.Unlock()
	select {
	case w := <-told: // in the last moment, so that nobody else tells how it ended
		l.limited(false, ErrWorkLimit)
		return w
	default:
	}
	l.limited(true, errLeftBehind)
	return way{end: leaseEnd{kind: endLeft, reply: l.call.refuse(l.call.plan.suspended(0))}}
}

// limited tells of work that has come to the limit.
func (l *Lease[TX]) limited(left bool, err error) {
	l.call.observe(l.ctx, "work limit reached", err)
	l.call.engine.settings.observer.WorkLimit(l.ctx, WorkLimitEvent{Operation: l.call.plan.op.ID, Epoch: l.held.Fence.Epoch, Left: left})
}

// run runs the handler to its end, and tells how it ended.
func (l *Lease[TX]) run(told chan<- way) {
	w := way{goexit: true} // until the contrary is known
	defer func() {
		if value := recover(); value != nil {
			w.goexit, w.panicked = false, value
			if value != http.ErrAbortHandler { //nolint:errorlint // net/http compares it in this way
				w.panicked = &PanicError{Value: value, Stack: debug.Stack()}
			}
		}
		told <- w
		l.mu.Lock()
		left := l.left
		l.mu.Unlock()
		if fault, ok := w.panicked.(*PanicError); ok && left { // with nobody there any more to have it go on
			_ = caught(func() error {
				l.call.observe(l.ctx, "work failed after its handler was left behind", fault)
				return nil
			})
		}
	}()
	l.handle(&w.end)
	w.goexit = false
}

// handle runs the handler and settles what it came to, whichever way it ends. The panic by which net/http aborts an answer, and
// runtime.Goexit, go on by themselves afterwards, which is why end is there for them too.
func (l *Lease[TX]) handle(end *leaseEnd) {
	if l.unfollow != nil {
		defer l.unfollow()
	}
	if l.held.Fence.Epoch == 1 && l.call.late() { // it has waited since its time was compared
		*end = l.release(l.call.refuse(l.call.plan.expired()))
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		err := error(errGoexit)
		if value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
		*end = l.settle(Response{}, err)
		if value == http.ErrAbortHandler { //nolint:errorlint // net/http compares it in this way
			panic(value)
		}
	}()
	answer, err := l.work.Run(l.ctx, l)
	returned = true
	*end = l.settle(answer, err)
}
