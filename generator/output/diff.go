package output

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff is the plan as a unified diff, from what the disk holds to what was generated; "git apply" and "patch -p1" take it.
// The manifest, which follows from the rest, is shown only when nothing else differs. Empty when nothing does.
//
// The algorithm is the Go project's own anchored diff in its public copy: O(n log n) on any input, and no dependency that
// the tests of this module do not need anyway.
func (p *Plan) Diff() []byte {
	var text bytes.Buffer
	for i := range p.Changes {
		text.Write(p.Changes[i].diff())
	}
	if text.Len() == 0 && p.manifest != nil {
		text.Write(p.manifest.diff())
	}
	return text.Bytes()
}

func (c *Change) diff() []byte {
	from, to := "a/"+c.Path, "b/"+c.Path
	switch c.Action {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	}
	if len(c.Old) == 0 && len(c.New) == 0 {
		return fmt.Appendf(nil, "--- %s\n+++ %s\n", from, to)
	}
	unified := diff.Diff(from, c.Old, to, c.New)
	// The library begins with a "diff old new" line, which patch reads over but git takes for a broken header.
	_, hunks, _ := bytes.Cut(unified, []byte("\n"))
	return hunks
}
