package leasemodel_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// learnt is what a process learns from the store. How long something takes, and who the others are, makes no difference to it.
func (p *process) learnt(held *runtime.Held, record *runtime.Record, progress *runtime.Progress, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case held != nil:
		return fmt.Sprintf("held, first:%t, %s", held.Fence.Epoch == 1, steps(held.Steps))
	case record != nil:
		return fmt.Sprintf("record, mine:%t", p.trial.owner(record.Attempt) == p)
	case progress != nil:
		return fmt.Sprintf("in progress, mine:%t, over:%t", p.trial.owner(progress.Fence.Owner) == p, progress.Left == 0)
	default:
		return "nothing"
	}
}

func steps(all []runtime.StepResult) string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return strings.Join(names, "+")
}

// shared is the state of what the processes share, which is all that is left when they are gone.
func (tr *trial) shared() string {
	look, stored := tr.look(), "nothing"
	switch {
	case look.Record != nil:
		stored = fmt.Sprint("a record with ", look.Record.Status)
	case look.Progress != nil:
		p := look.Progress
		stored = fmt.Sprintf("in progress, first:%t, over:%t, %s", p.Fence.Epoch == 1, p.Left == 0, steps(p.Steps))
	}
	return fmt.Sprintf("%s; bank %d, reserved %d, booked %d", stored, len(tr.bank), tr.reserved, tr.booked)
}

// holder is the process that holds the record, or that completed it; nil where it is gone.
func (tr *trial) holder() *process {
	look := tr.look()
	var p *process
	switch {
	case look.Record != nil:
		p = tr.owner(look.Record.Attempt)
	case look.Progress != nil:
		p = tr.owner(look.Progress.Fence.Owner)
	}
	if p == nil || p.gone() {
		return nil
	}
	return p
}

// state is all that decides what can happen from here on.
type state [sha256.Size]byte

// state is that of now. Clients are alike, so a state in which they have changed places is the same.
func (tr *trial) state() state {
	byKind := map[string][]string{}
	for _, p := range tr.procs {
		if p.gone() {
			continue
		}
		kind := "client"
		if p.recovers() {
			kind = "recovery"
		}
		byKind[kind] = append(byKind[kind], fmt.Sprintf("%d %s holds:%t began:%v", p.attempt, p.history.String(), p == tr.holder(), p.began)+
			fmt.Sprintf(" effects:%t claimed:%t", p.effects, p.claimed == len(tr.numbers)))
	}
	var all strings.Builder
	fmt.Fprintf(&all, "%s; %d rests, %d losses, %d asides\n", tr.shared(), tr.rests, tr.losses, tr.asides)
	for _, kind := range []string{"client", "recovery"} {
		slices.Sort(byKind[kind])
		fmt.Fprintf(&all, "%s: %q\n", kind, byKind[kind])
	}
	return sha256.Sum256([]byte(all.String()))
}

// check holds the state against what must be so at all times.
func (tr *trial) check() {
	look := tr.look()
	if tr.reserved > 1 || tr.booked > 1 || len(tr.bank) > 1 {
		tr.violated("I1: step reserve has had %d effects, the bank %d, the last write %d", tr.reserved, len(tr.bank), tr.booked)
	}
	if tr.record == "" && look.Record != nil {
		tr.record, tr.body = tr.exactly(), string(look.Record.Body)
	}
	if tr.record != "" && tr.exactly() != tr.record {
		tr.violated("I7: the complete record has become: %s", tr.shared())
	}
	reserved := 1
	if tr.bound.outside {
		reserved = 0
	}
	switch done := tr.reserved == reserved && tr.booked == 1 && len(tr.bank) == 1; {
	case look.Record == nil:
	case look.Record.Status == http.StatusCreated && !done:
		tr.violated("I1: the record is complete, and what was done is not: %s", tr.shared())
	case look.Record.Status != http.StatusCreated && (tr.reserved > 0 || tr.booked > 0 || len(tr.bank) > 0):
		tr.violated("R4: the record says that nothing was done, and something was: %s", tr.shared())
	}
	for _, p := range tr.procs {
		if p.answer != "" && p.answer != tr.body {
			tr.violated("I3: %s was answered %s, and the record says %q", p.name, p.answer, tr.body)
		}
		switch stands := p.claimed == len(tr.numbers) && look != (runtime.Look{}); {
		case !p.done || !denies[p.told]:
		case p.effects:
			tr.violated("R4: %s was answered %q, and has done something: %s", p.name, p.told, tr.shared())
		case p.claimed > 0 && stands:
			tr.violated("R4: %s was answered %q, and what it began can be taken up: %s", p.name, p.told, tr.shared())
		}
	}
}

// denies are the outcomes that say that nothing was done, and that nothing will be.
var denies = map[runtime.Outcome]bool{runtime.OutcomeUnavailable: true, runtime.OutcomeFailed: true, runtime.OutcomeNotKept: true}

// end lets everything that still runs go, as when the power fails, and sees whether recovery brings what is left to an end:
// nothing, where nothing was done, or a complete record, with which a client that asks again is answered (I8).
func (tr *trial) end() {
	tr.kill()
	after := &process{trial: tr, name: "after", alone: true}
	engine, handler := tr.engine(tr.base, after)
	recovery, err := engine.NewRecovery()
	if err != nil {
		tr.t.Fatal(err)
	}
	before := tr.shared()
	for range 5 {
		time.Sleep(rest)
		if _, err := recovery.Once(tr.t.Context()); err != nil {
			tr.t.Fatal(err)
		}
		if tr.look().Progress == nil {
			break
		}
	}
	look := tr.look()
	switch {
	case look.Progress != nil:
		tr.violated("I8: recovery does not bring the record to an end: %s, then %s", before, tr.shared())
	case look.Record == nil && (tr.reserved > 0 || tr.booked > 0 || len(tr.bank) > 0):
		tr.violated("I8: nothing is recorded of what was done: %s, then %s", before, tr.shared())
	}
	tr.check()
	if answer := ask(handler); answer == "" && (look.Record == nil || look.Record.Status == http.StatusCreated) ||
		look.Record != nil && look.Record.Status == http.StatusCreated && answer != string(look.Record.Body) {
		tr.violated("I8: after recovery a client is answered %q: %s, then %s", answer, before, tr.shared())
	}
	tr.check()
}

// kill ends all processes.
func (tr *trial) kill() {
	for _, p := range tr.procs {
		p.killed.Store(true)
	}
	tr.mu.Lock()
	acts := tr.acts
	tr.acts = nil
	tr.mu.Unlock()
	for _, a := range acts {
		a.granted <- killed
	}
	tr.all.Wait()
}
