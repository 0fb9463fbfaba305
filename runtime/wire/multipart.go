package wire

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
)

// File is one part of a multipart body.
type File struct {
	// Name is what the client calls the file, "" when the part is none. It is not to be trusted: it may hold a path.
	Name string
	// ContentType is the part's own, "" when it has none.
	ContentType string
	Content     []byte
}

// Multipart reads the body as multipart/form-data (RFC 7578): an object whose members are the parts by name. A part is
// read as a [File], as text, or, where it says that it is JSON or fields say so with [JSONText], as JSON.
func (in *Reader) Multipart(fields ...Field) Value {
	f, problem := in.parseMultipart()
	if problem != "" {
		in.add(Violation{Pointer: "#", Detail: problem})
		return in.whole(&node{kind: spoiled})
	}
	return in.whole(f.root(noEscape, fields))
}

func (in *Reader) parseMultipart() (f *form, problem string) {
	_, parameters, err := mime.ParseMediaType(in.request.Header.Get("Content-Type"))
	if err != nil || parameters["boundary"] == "" {
		return nil, "the content type must name the boundary of the parts"
	}
	f = newForm()
	parts := multipart.NewReader(bytes.NewReader(in.body), parameters["boundary"])
	for count := 0; ; count++ {
		part, err := parts.NextRawPart()
		switch {
		case err == io.EOF: //nolint:errorlint // wrapped, it says that the final boundary is missing
			return f, ""
		case err != nil:
			return nil, "the parts must be written as RFC 2046 has it"
		case count == MaxFields:
			return nil, "there are too many parts"
		case part.FormName() == "":
			return nil, "each part must have a name"
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, "the last part must end with the boundary"
		}
		file := &File{Name: part.FileName(), ContentType: part.Header.Get("Content-Type"), Content: content}
		if problem := f.add(part.FormName(), leaf{part: file}); problem != "" {
			return nil, "the body " + problem
		}
	}
}

// File returns a part as it is. A model that is read from JSON too has a string there, which stands for its bytes.
func (v Value) File() File {
	switch v.kind() {
	case absent, spoiled:
		return File{}
	case str:
		return File{Content: []byte(v.n.text)}
	case lazy:
		if src := v.n.source; len(src.leaves) == 1 && len(src.branches) == 0 && src.leaves[0].part != nil {
			return *src.leaves[0].part
		}
	}
	v.wrong("one part of a multipart body")
	return File{}
}
