package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
)

// Problem is an answer that says what is wrong, as RFC 9457 describes it. It is an error: a handler, a validation or the
// principal function returns one to be answered as it says. It never holds what the client sent, such as a key or a body.
type Problem struct {
	// Status is the HTTP status. Anything but 400 to 599 counts as 500: an error never looks like a success.
	Status int
	// Type is a URI that names the kind of problem; empty counts as what Name says, and without a name as "about:blank".
	Type string
	// Name is one of the runtime's own kinds, such as [ProblemInvalidRequest]. It fills in what is not set of Status, Type
	// and Title; the type begins as [WithProblemBase] says.
	Name string
	// Title is the kind of problem in a few words, Detail what a client can do about this occurrence.
	Title, Detail string
	// Instance is a URI of this occurrence; usually empty.
	Instance string
	// Code is a provider's error code, for body shapes that have one.
	Code string
	// Extensions are further members. A name that RFC 9457 defines is left out.
	Extensions map[string]any
	// Header is sent with the answer, for example Retry-After.
	Header http.Header
	// Err is the cause; it is never sent.
	Err error

	kind    string  // the name that it had, or was made of, for body shapes; empty where the problem is not the runtime's own
	outcome Outcome // what an observer is told; empty where the problem is not the runtime's own
}

// ProblemError is an error that knows how it is answered. *wire.Invalid is one.
type ProblemError interface {
	error
	HTTPProblem() *Problem
}

// Error is the title and the detail on one line.
func (p *Problem) Error() string {
	p = p.named(DefaultProblemBase)
	title := p.Title
	if title == "" {
		title = http.StatusText(p.status())
	}
	if p.Detail == "" {
		return title
	}
	return title + ": " + p.Detail
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// HTTPProblem returns p, so that a *Problem is a [ProblemError] too.
func (p *Problem) HTTPProblem() *Problem { return p }

func (p *Problem) status() int {
	if p.Status < 400 || p.Status > 599 {
		return http.StatusInternalServerError
	}
	return p.Status
}

// named is p with what its name fills in. base is where the runtime's types are documented.
func (p *Problem) named(base string) *Problem {
	if p.Name == "" {
		return p
	}
	for _, c := range cases {
		if c.name != p.Name {
			continue
		}
		whole := *p
		whole.Name, whole.kind = "", c.name
		if whole.Status == 0 {
			whole.Status = c.status
		}
		if whole.Type == "" {
			whole.Type = base + c.name
		}
		if whole.Title == "" {
			whole.Title = c.title
		}
		return &whole
	}
	return p
}

// asProblem finds the problem that err is or wraps. One that is nil counts as a 500 that says nothing.
func asProblem(err error) (*Problem, bool) {
	var known ProblemError
	if !errors.As(err, &known) {
		return nil, false
	}
	if problem := known.HTTPProblem(); problem != nil {
		return problem, true
	}
	return &Problem{Err: err}, true
}

// MarshalJSON writes the members of RFC 9457, section 3.1, first and in its order, then "code" when there is one, then
// the extensions sorted by name.
func (p *Problem) MarshalJSON() ([]byte, error) {
	p = p.named(DefaultProblemBase)
	members := []struct {
		name  string
		value any
		set   bool
	}{
		{"type", orBlank(p.Type), true},
		{"title", p.Title, p.Title != ""},
		{"status", p.status(), true},
		{"detail", p.Detail, p.Detail != ""},
		{"instance", p.Instance, p.Instance != ""},
		{"code", p.Code, p.Code != ""},
	}
	var out bytes.Buffer
	write := func(name string, value any) error {
		encodedName, err := json.Marshal(name)
		if err != nil {
			return err
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return err
		}
		separator := byte(',')
		if out.Len() == 0 {
			separator = '{'
		}
		out.WriteByte(separator)
		out.Write(encodedName)
		out.WriteByte(':')
		out.Write(encoded)
		return nil
	}
	taken := map[string]bool{}
	for _, m := range members {
		taken[m.name] = true
		if !m.set {
			continue
		}
		if err := write(m.name, m.value); err != nil {
			return nil, err
		}
	}
	names := make([]string, 0, len(p.Extensions))
	for name := range p.Extensions {
		if !taken[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := write(name, p.Extensions[name]); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func orBlank(uri string) string {
	if uri == "" {
		return "about:blank"
	}
	return uri
}
