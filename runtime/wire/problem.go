package wire

import (
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/runtime"
)

var _ runtime.ProblemError = (*Invalid)(nil)

// HTTPProblem is the answer to the request: the violations are the member "errors" of the problem document.
func (e *Invalid) HTTPProblem() *runtime.Problem {
	problem := &runtime.Problem{
		Status:     http.StatusBadRequest,
		Title:      "The request is not valid",
		Detail:     "The members of errors say what to change.",
		Extensions: map[string]any{"errors": e.Violations},
		Err:        e,
	}
	if e.Status == http.StatusUnsupportedMediaType {
		problem.Status = e.Status
		problem.Title = "The content type is not supported"
		problem.Header = http.Header{"Accept": {strings.Join(e.Accept, ", ")}} // RFC 9110, section 15.5.16
	}
	return problem
}
