package wire

import (
	"fmt"
	"net/http"
	"strings"
)

// MaxViolations bounds how many violations are listed for one request; what comes after them is left out.
const MaxViolations = 32

// Violation is one thing that is wrong with a request. Its members are those of the `errors` of a problem document
// (RFC 9457, section 3).
type Violation struct {
	// In and Parameter name a parameter: its place (path, query, header, cookie) and name. A body's violation has
	// neither.
	In        string `json:"in,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	// Pointer is a JSON Pointer in URI fragment form: within the body, or within the parameter when that is a list or
	// object.
	Pointer string `json:"pointer,omitempty"`
	// Detail says what the value must be. It never repeats what was sent.
	Detail string `json:"detail"`
}

// String is the violation on one line, for logs.
func (v Violation) String() string {
	where := v.Pointer
	if v.In != "" {
		where = strings.TrimSpace(v.In + " " + v.Parameter + v.Pointer)
	}
	return where + " " + v.Detail
}

// Invalid is the error of a request that is not what the document says. It is answered with Status and, where the
// content type was refused, with the Accept header that says which are taken.
type Invalid struct {
	// Status is 400, or 415 when the body's content type is not one that the operation takes.
	Status int
	// Accept lists the media types that would have been taken; only with 415.
	Accept []string
	// Violations are in the order in which they were found, at most [MaxViolations].
	Violations []Violation
}

// Error lists the violations.
func (e *Invalid) Error() string {
	lines := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		lines[i] = v.String()
	}
	return fmt.Sprintf("the request is not valid: %s", strings.Join(lines, "; "))
}

func (in *Reader) add(v Violation) {
	if in.full() {
		return
	}
	if in.invalid.Status == 0 {
		in.invalid.Status = http.StatusBadRequest
	}
	in.invalid.Violations = append(in.invalid.Violations, v)
}

// full reports whether no further violation is listed.
func (in *Reader) full() bool { return len(in.invalid.Violations) >= MaxViolations }
