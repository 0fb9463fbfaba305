package drill

import (
	"errors"
	"fmt"
	"time"
)

// Outcome is what became of a promise.
type Outcome string

// The outcomes.
const (
	Kept        Outcome = "kept"
	Broken      Outcome = "broken"
	NotTestable Outcome = "not testable"
	// Skipped is a promise that was not chosen, or that cannot be judged as another one is broken.
	Skipped Outcome = "skipped"
)

// SchemaURL is the address of the schema of a report's JSON form.
const SchemaURL = "https://raw.githubusercontent.com/idemgen/idemgen/main/docs/schema/drill-v1.schema.json"

// Report is what a drill found. Its JSON form, as docs/schema/drill-v1.schema.json describes it, only ever gains
// members.
type Report struct {
	Schema     string            `json:"$schema"` // SchemaURL
	Version    int               `json:"version"`
	API        string            `json:"api"`
	URL        string            `json:"url"`
	Started    time.Time         `json:"started"`
	Seconds    float64           `json:"seconds"`
	MaxEffects int               `json:"maxEffects"`
	Requests   int               `json:"requests"`
	Operations []OperationReport `json:"operations"`
	// Stopped says why the drill did not come to its end; empty when it did.
	Stopped string `json:"stopped,omitempty"`
}

// OperationReport is one operation's part.
type OperationReport struct {
	ID      string   `json:"id"`
	Method  string   `json:"method"`
	Path    string   `json:"path"`
	Results []Result `json:"results"`
}

// Result is what became of one promise.
type Result struct {
	Promise string  `json:"promise"`
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	// Testable is whether the policy says that it can be tested from outside.
	Testable bool `json:"testable"`
	// Why says what was wrong, why it could not be tested, or what was not looked at although the rest is kept.
	Why string `json:"why,omitempty"`
	// Evidence is what was sent and what came, for a broken promise; keys and credentials are masked.
	Evidence []Exchange `json:"evidence,omitempty"`
}

// Exchange is a request and its answer.
type Exchange struct {
	Request string `json:"request"` // its method, address, headers and body
	Answer  string `json:"answer"`  // its status line, headers and body, or what went wrong
}

// Count is how many results have an outcome.
func (r *Report) Count(outcome Outcome) int {
	n := 0
	for i := range r.Operations {
		for _, result := range r.Operations[i].Results {
			if result.Outcome == outcome {
				n++
			}
		}
	}
	return n
}

// Untested are the promises, each with its operation, that the policy calls testable and that this drill could not test: a
// second account, a way to set the clock or a body was not given, or the answers showed nothing. Those not chosen are not
// among them.
func (r *Report) Untested() []string {
	var untested []string
	for i := range r.Operations {
		for _, result := range r.Operations[i].Results {
			if result.Testable && result.Outcome == NotTestable {
				untested = append(untested, result.Promise+" of "+r.Operations[i].ID)
			}
		}
	}
	return untested
}

// Err says why the report is no good news, and is what a test wants to be nil: the promises that are broken, each with its
// operation; else that the drill did not come to its end, or that none of the promises could be tested.
func (r *Report) Err() error {
	var broken []error
	for i := range r.Operations {
		for _, result := range r.Operations[i].Results {
			if result.Outcome == Broken {
				broken = append(broken, fmt.Errorf("%s: %s: %s", r.Operations[i].ID, result.Promise, result.Why))
			}
		}
	}
	switch {
	case len(broken) > 0:
		return errors.Join(broken...)
	case r.Stopped != "":
		return fmt.Errorf("the drill did not come to its end: %s", r.Stopped)
	case r.Count(Kept) == 0:
		return errors.New("no promise could be tested: the reasons are with each of them")
	}
	return nil
}

func kept(notes ...string) Result { return Result{Outcome: Kept, Why: join(notes)} }

func notTestable(why string) Result { return Result{Outcome: NotTestable, Why: why} }

func skipped(why string) Result { return Result{Outcome: Skipped, Why: why} }

// broken is a promise that is not kept, with the messages that show it.
func (s *session) broken(why string, shown ...*sent) Result {
	r := Result{Outcome: Broken, Why: why}
	for _, one := range shown {
		if one != nil && len(r.Evidence) < maxEvidence {
			r.Evidence = append(r.Evidence, s.run.exchange(one))
		}
	}
	return r
}

const maxEvidence = 4

func join(notes []string) string {
	text := ""
	for _, note := range notes {
		if note == "" {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += note
	}
	return text
}
