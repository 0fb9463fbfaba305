package generator

import (
	"errors"
	"slices"

	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Version is one of two versions of a policy that are compared: the document that Input names or, where Published is not
// nil, the content of a JSON policy.
type Version struct {
	Input     Input
	Published []byte
	// Name is the file of a JSON policy, for positions.
	Name string
}

// Difference is what has changed between two versions.
type Difference struct {
	Changes []compat.Change
	// Published is true where a version is a JSON policy. It holds what is published alone, so nothing else was compared:
	// no guards, no steps, no calls of other services.
	Published bool
	// Undecided is true where neither version says of any operation what its repetition does: there was nothing to compare.
	Undecided bool
}

// Diff reads two versions of a policy, side by side, and compares them. There is no difference when a finding is an error;
// the findings of each version have their places in its own files.
func Diff(old, current Version) (d *Difference, before, after diag.List, err error) {
	type read struct {
		doc   *policy.Document
		found diag.List
		err   error
	}
	other := make(chan read, 1)
	go func() {
		doc, found, err := old.read()
		other <- read{doc, found, err}
	}()
	var versions [2]read
	versions[1].doc, versions[1].found, versions[1].err = current.read()
	versions[0] = <-other
	before, after = versions[0].found, versions[1].found
	if err := errors.Join(versions[0].err, versions[1].err); err != nil {
		return nil, before, after, err
	}
	if before.Err() != nil || after.Err() != nil {
		return nil, before, after, nil
	}
	d = &Difference{Published: old.Published != nil || current.Published != nil}
	for i, version := range []Version{old, current} {
		if d.Published && version.Published == nil {
			if versions[i].doc, err = policydoc.AsPublished(versions[i].doc); err != nil {
				return nil, before, after, err
			}
		}
	}
	d.Changes = compat.Compare(versions[0].doc, versions[1].doc)
	d.Undecided = !decides(versions[0].doc) && !decides(versions[1].doc)
	return d, before, after, nil
}

// decides reports whether doc says of any operation what its repetition does, beyond what HTTP says of its method.
func decides(doc *policy.Document) bool {
	return slices.ContainsFunc(doc.Operations, func(op policy.Operation) bool {
		return op.Decision != policy.Undecided && op.Decision != policy.Safe
	})
}

func (v Version) read() (*policy.Document, diag.List, error) {
	if v.Published == nil {
		return Load(v.Input)
	}
	doc, err := policydoc.ReadDocument(v.Published, v.Name)
	return doc, nil, err
}
