package wire

import (
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/runtime"
)

var _ runtime.ProblemError = (*Invalid)(nil)

// HTTPProblem is the answer to the request, of the type invalid-request or unsupported-media-type: the violations are the
// member "errors" of the problem document.
func (e *Invalid) HTTPProblem() *runtime.Problem {
	problem := &runtime.Problem{
		Status:     http.StatusBadRequest,
		Name:       runtime.ProblemInvalidRequest,
		Detail:     "The members of errors say what to change.",
		Extensions: map[string]any{"errors": e.Violations},
		Err:        e,
	}
	if e.Status == http.StatusUnsupportedMediaType {
		problem.Status = e.Status
		problem.Name = runtime.ProblemUnsupportedMedia
		problem.Header = http.Header{"Accept": {strings.Join(e.Accept, ", ")}} // RFC 9110, section 15.5.16
	}
	return problem
}
