package output

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Refusal says why one file is left as it is. Nothing at all is written when a plan meets one.
type Refusal struct {
	// Path is relative to the root; Reason completes the sentence that it begins.
	Path, Reason string
	// Hint says what the user can do.
	Hint string
}

// Error is the refusal in one line.
func (r *Refusal) Error() string {
	if r.Hint == "" {
		return r.Path + " " + r.Reason
	}
	return r.Path + " " + r.Reason + "; " + r.Hint
}

// Refusals is every refusal of a plan, sorted by path.
type Refusals []*Refusal

// Error is one line per refusal.
func (r Refusals) Error() string {
	lines := make([]string, len(r))
	for i := range r {
		lines[i] = r[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As each refusal.
func (r Refusals) Unwrap() []error {
	all := make([]error, len(r))
	for i := range r {
		all[i] = r[i]
	}
	return all
}

func (r Refusals) sorted() Refusals {
	slices.SortFunc(r, func(a, b *Refusal) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}

// cause is what the operating system said, without the names it said it of: those are temporary ones, or half a path.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}
