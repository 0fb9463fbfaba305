package drill

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/policydoc"
)

func number(p policydoc.Parameters, name string) int {
	value, _ := p[name].(float64)
	return int(value)
}

func text(p policydoc.Parameters, name string) string {
	value, _ := p[name].(string)
	return value
}

func flag(p policydoc.Parameters, name string) bool {
	value, _ := p[name].(bool)
	return value
}

func list(p policydoc.Parameters, name string) []string {
	values, _ := p[name].([]any)
	texts := make([]string, 0, len(values))
	for _, value := range values {
		if one, ok := value.(string); ok {
			texts = append(texts, one)
		}
	}
	return texts
}

func object(p policydoc.Parameters, name string) policydoc.Parameters {
	value, _ := p[name].(map[string]any)
	return value
}

// wrong says how an answer differs from the refusal that parameters describe; "" when it does not.
func (s *session) wrong(a *sent, refusal policydoc.Parameters) string {
	status := number(refusal, "status")
	switch {
	case !a.ok():
		return "there was no answer: " + a.err.Error()
	case s.marked(a):
		return fmt.Sprintf("it was answered with %d and marked as a repetition", a.status)
	case a.success():
		return fmt.Sprintf("it was carried out: %d", a.status)
	case a.status != status:
		return fmt.Sprintf("it was answered with %d, the policy says %d", a.status, status)
	}
	return s.wrongForm(a, refusal)
}

// wrongForm looks at what tells a refusal from others of its status.
func (s *session) wrongForm(a *sent, refusal policydoc.Parameters) string {
	headers := object(refusal, "headers")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if got := a.header.Get(name); got != text(headers, name) {
			return fmt.Sprintf("the refusal has no header %s: %s", name, text(headers, name))
		}
	}
	body := a.plain(s.run.plan.Limits.Body)
	code, kind := text(refusal, "code"), text(refusal, "type")
	if text(refusal, "shape") != "problem" {
		for _, value := range []string{code, kind} {
			if value != "" && !strings.Contains(value, "://") && !strings.Contains(string(body), value) && !anyHeader(a.header, value) {
				return fmt.Sprintf("the refusal does not say %q", value)
			}
		}
		return ""
	}
	if base, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); err != nil || base != "application/problem+json" {
		return "the refusal is no application/problem+json"
	}
	var problem struct{ Type, Code string }
	if err := json.Unmarshal(body, &problem); err != nil {
		return "the refusal's problem document cannot be read"
	}
	end := text(refusal, "typeEnd")
	switch {
	case kind != "" && problem.Type != kind:
		return fmt.Sprintf("the refusal's type is %q, the policy says %q", s.run.shortened(problem.Type), kind)
	case end != "" && !strings.HasSuffix(problem.Type, end):
		return fmt.Sprintf("the refusal's type is %q, and does not end in %q", s.run.shortened(problem.Type), end)
	case code != "" && problem.Code != code:
		return fmt.Sprintf("the refusal's code is %q, the policy says %q", s.run.shortened(problem.Code), code)
	}
	return ""
}

func anyHeader(header http.Header, value string) bool {
	for _, values := range header {
		if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, value) }) {
			return true
		}
	}
	return false
}

// is reports whether an answer is a refusal.
func (s *session) is(a *sent, refusal policydoc.Parameters) bool {
	return refusal != nil && s.wrong(a, refusal) == ""
}

// parameters are those of another promise of the operation; nil where it does not make it.
func (s *session) parameters(id string) policydoc.Parameters {
	promise, ok := s.op.Promise(id)
	if !ok {
		return nil
	}
	return promise.Parameters
}

// marked reports whether an answer says that it is a repetition.
func (s *session) marked(a *sent) bool {
	p := s.parameters(policydoc.PromiseReplayMarker)
	name := text(p, "header")
	return name != "" && !s.badMarker && a.ok() && a.header.Get(name) == text(p, "value")
}

func (s *session) hasMarker() bool {
	return !s.badMarker && text(s.parameters(policydoc.PromiseReplayMarker), "header") != ""
}
