package runtime

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// errBodyTooLarge is a body over the bound, as sent or as unzipped.
var errBodyTooLarge = errors.New("the body is too large")

// errBodyWasRead is a service put together in a wrong way. Without this check all its requests would have one fingerprint.
var errBodyWasRead = Explain("the request's body was read before the engine could read it: let what reads it run later, or put it back", nil)

// readBody reads r's body whole, unzips it, and returns a copy of r whose Body reads from reader. Neither the bytes on the
// wire nor the unzipped ones may be more than the operation's bound.
func (p *plan) readBody(w http.ResponseWriter, r *http.Request, reader *bytes.Reader) (*http.Request, []byte, *Problem) {
	limit := p.maxBody
	zipped, ok := isGzip(r.Header)
	if !ok {
		problem := p.problem(caseBadEncoding, "Send the body as it is or with gzip.")
		problem.Header.Set("Accept-Encoding", "gzip, identity")
		return nil, nil, problem
	}
	var body []byte
	var err error
	switch {
	case r.Body == nil || r.Body == http.NoBody:
	case r.ContentLength > limit:
		err = errBodyTooLarge
	default:
		sent := http.MaxBytesReader(w, r.Body, limit)
		if zipped {
			body, err = gunzip(sent, limit)
		} else {
			body, err = readAll(sent, r.ContentLength)
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case len(body) == 0 && wasRead(r, err):
		problem := p.faulty()
		problem.Err = errBodyWasRead
		return nil, nil, problem
	case errors.Is(err, errBodyTooLarge) || errors.As(err, &tooLarge):
		return nil, nil, p.problem(caseBodyTooLarge,
			"Send a body of at most "+strconv.FormatInt(limit, 10)+" bytes, as it is and unzipped.")
	case err != nil:
		return nil, nil, p.problem(caseBadBody, "The body could not be read to its end.")
	}

	// A shallow copy: what runs around the engine keeps the request it knows.
	again := r.WithContext(r.Context())
	reader.Reset(body)
	again.Body = rewound{reader}
	again.ContentLength = int64(len(body))
	again.TransferEncoding = nil
	if zipped {
		again.Header = r.Header.Clone()
		again.Header.Del("Content-Encoding")
		again.Header.Del("Content-Length")
	}
	return again, body, nil
}

// wasRead reports whether something else has read the body of which nothing came but err: by its announced length, or by
// what it was parsed into.
func wasRead(r *http.Request, err error) bool {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) {
		return false
	}
	return r.ContentLength > 0 || len(r.PostForm) > 0 || r.MultipartForm != nil
}

// isGzip reports whether a body is zipped; ok is false for any other encoding.
func isGzip(header http.Header) (zipped, ok bool) {
	lines := header["Content-Encoding"]
	if len(lines) == 0 {
		return false, true
	}
	switch strings.ToLower(strings.TrimSpace(strings.Join(lines, ","))) {
	case "", "identity":
		return false, true
	case "gzip", "x-gzip":
		return true, true
	default:
		return false, false
	}
}

// maxTrusted is how much memory is taken for a body on the word of its Content-Length, in bytes. Beyond it memory is taken
// as the body comes, so that many announcements cost a client more than a service.
const maxTrusted = 16 << 10

// readAll is io.ReadAll with a first buffer of the announced size; sent is bounded already.
func readAll(sent io.Reader, announced int64) ([]byte, error) {
	var body bytes.Buffer
	if announced > 0 {
		body.Grow(int(min(announced, maxTrusted)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(sent)
	return body.Bytes(), err
}

func gunzip(sent io.Reader, limit int64) ([]byte, error) {
	unzipped, err := gzip.NewReader(sent)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(unzipped, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, errBodyTooLarge
	}
	return body, unzipped.Close()
}

// rewound is a body that [Call.Request] sets to its beginning.
type rewound struct{ *bytes.Reader }

func (rewound) Close() error { return nil }
