package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressAfter is how long a run may take before it says what it does.
const progressAfter = 500 * time.Millisecond

// progress shows one line that says what is going on, on a terminal and for long work only.
type progress struct {
	w    io.Writer
	on   bool
	mu   sync.Mutex
	what string
	seen bool // the line stands on the terminal
	stop chan struct{}
	done chan struct{}
}

func newProgress(w io.Writer, on bool) *progress { return &progress{w: w, on: on} }

// say names the work that begins now. The first call starts the clock.
func (p *progress) say(what string) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.stop == nil {
		p.stop, p.done = make(chan struct{}), make(chan struct{})
		go p.show(p.stop, p.done)
	}
}

// above prints something while the line stands; the line moves down under it, a moment later.
func (p *progress) above(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	print()
}

// clear takes the line off the terminal. The caller holds the lock.
func (p *progress) clear() {
	if p.seen {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.seen = false
}

// end takes the line away. Anything else may be printed afterwards.
func (p *progress) end() {
	p.mu.Lock()
	stop, done := p.stop, p.done
	p.stop = nil
	p.mu.Unlock()
	if stop == nil {
		return
	}
	close(stop)
	<-done
}

func (p *progress) show(stop <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	began := time.Now()
	select {
	case <-stop:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		p.seen = true
		fmt.Fprintf(p.w, "\r\x1b[K%s (%.1f s)", visible(p.what, keepNothing), time.Since(began).Seconds())
		p.mu.Unlock()
		select {
		case <-stop:
			p.mu.Lock()
			p.clear()
			p.mu.Unlock()
			return
		case <-tick.C:
		}
	}
}
