package policydoc

import "github.com/idemgen/idemgen/templates"

// Options says which documents are written, and where. Paths are slash-separated and relative, as output.File wants
// them; an empty one leaves its document out.
type Options struct {
	Markdown, HTML, JSON, Overlay string
	// Templates render the page, in both forms; nil means the built-in ones.
	Templates *templates.Set
}
