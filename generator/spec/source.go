package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// maxFileSize bounds a single file, in bytes. The largest public documents have under 20 MiB.
const maxFileSize = 128 << 20

// source is one file.
type source struct {
	name  string // as the user wrote it, or as the referring file resolves it; for positions
	index int    // its number in the nodes' lines
	text  string // without a byte order mark
	json  bool
	root  *yaml.Node // nil when the file cannot be parsed
	// overlays is the main document when this file is an overlay of it: its nodes become the document's.
	overlays *source
	profile  bool // a profile's file, which is no part of the document
	broken   bool

	lineStarts []int                 // filled at the first question
	resolved   map[string]*yaml.Node // reference -> node
	indexes    map[*yaml.Node]map[string]*yaml.Node
	anchors    map[string]*yaml.Node // $anchor -> schema; filled at the first question
}

// sources are the files read so far. File 0 is nobody's.
type sources struct {
	files  []*source
	byName map[string]*source
	folder string   // the folder of all files that references may lead to, absolute
	root   *os.Root // the same, opened: no reference leaves it, not through a symbolic link either
	// rootName is what messages call it.
	rootName string
}

func newSources() *sources {
	return &sources{files: []*source{nil}, byName: map[string]*source{}}
}

func (s *sources) close() {
	if s.root != nil {
		_ = s.root.Close()
	}
}

// openMain reads the document itself, which may stand anywhere, and opens the folder that references may lead into: root,
// or the document's own.
func (s *sources) openMain(file, root string) (*source, error) {
	data, err := readFile(func() (fs.File, error) { return os.Open(file) })
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	s.rootName = "the root folder"
	if root == "" {
		root, s.rootName = filepath.Dir(file), "the document's folder"
	}
	if s.folder, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("find %s: %w", s.rootName, err)
	}
	if s.root, err = os.OpenRoot(root); err != nil {
		return nil, fmt.Errorf("open %s: %w", s.rootName, err)
	}
	if _, ok := s.inside(file); !ok {
		return nil, fmt.Errorf("%s %s does not hold the document %s: name one that holds it and every file it refers to", s.rootName, root, file)
	}
	return s.add(file, data), nil
}

// openOverlay reads an overlay file, which may stand anywhere.
func (s *sources) openOverlay(file string) (*source, error) {
	data, err := readFile(func() (fs.File, error) { return os.Open(file) })
	if err != nil {
		return nil, fmt.Errorf("read the overlay: %w", err)
	}
	return s.add(file, data), nil
}

// openProfile reads a profile's file, which may stand anywhere.
func (s *sources) openProfile(file string) (*source, error) {
	data, err := readFile(func() (fs.File, error) { return os.Open(file) })
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	f := s.add(file, data)
	f.profile = true
	return f, nil
}

// inside is a file's path from the root, if it is below it.
func (s *sources) inside(file string) (string, bool) {
	absolute, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return "", false
	}
	inside, err := filepath.Rel(s.folder, absolute)
	return inside, err == nil && filepath.IsLocal(inside)
}

// errOutside is what a reference that leaves the document's folder gets.
var errOutside = errors.New("the file is outside the folder that references stay in")

// openRef reads the file that a reference in from names, by its path relative to from.
func (s *sources) openRef(from *source, ref string) (*source, error) {
	if s.root == nil || ref == "" || strings.ContainsAny(ref, "\\\x00") || path.IsAbs(ref) {
		return nil, errOutside
	}
	name := path.Join(path.Dir(filepath.ToSlash(from.name)), ref)
	if known := s.byName[name]; known != nil {
		return known, nil
	}
	inside, ok := s.inside(name)
	if !ok {
		return nil, errOutside
	}
	if len(s.files) >= maxFiles {
		return nil, fmt.Errorf("the document is spread over more than %d files", maxFiles)
	}
	data, err := readFile(func() (fs.File, error) { return s.root.Open(inside) })
	if err != nil {
		var failure *fs.PathError
		if errors.As(err, &failure) {
			err = failure.Err // the path would be the machine's, not the user's
		}
		if strings.Contains(err.Error(), "escapes from parent") { // os.Root has no error value for it
			err = errOutside
		}
		return nil, err
	}
	return s.add(name, data), nil
}

func readFile(open func() (fs.File, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", info.Name())
	}
	if info.Size() > maxFileSize {
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d", info.Name(), info.Size(), maxFileSize)
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case isEOF(err):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) > maxFileSize:
			return nil, fmt.Errorf("%s grows while it is read", info.Name())
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func (s *sources) add(name string, data []byte) *source {
	f := &source{name: name, index: len(s.files), text: strings.TrimPrefix(string(data), "\ufeff")}
	f.json = looksLikeJSON(f.text)
	s.files = append(s.files, f)
	s.byName[path.Clean(filepath.ToSlash(name))] = f
	return f
}

// looksLikeJSON goes by the first character, not by the file's name: a YAML flow mapping that is not JSON is read as
// YAML after all, see parse.
func looksLikeJSON(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")
}

// parse reads f's text into f.root, plain.
func (f *source) parse() *syntaxError {
	if at := invalidUTF8(f.text); at >= 0 {
		line, column := f.locate(at)
		return &syntaxError{line: line, column: column, message: "the file is not UTF-8"}
	}
	if f.json {
		root, failure := parseJSON(f.text, f.index)
		if failure == nil {
			f.root = root
			return nil
		}
		if strings.HasSuffix(strings.ToLower(f.name), ".json") {
			return failure
		}
		f.json = false // `{a: 1}` is YAML
	}
	document, failure := parseYAML([]byte(f.text))
	if failure == nil {
		root := document.Content[0]
		if failure = plain(root, f.index); failure == nil {
			f.root = root
			return nil
		}
	}
	failure.column = f.byteColumn(failure.line, failure.column)
	return failure
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, width := utf8.DecodeRuneInString(text[i:]); width == 1 {
				return i
			}
		}
	}
	return -1
}

// at is where a node stands; the zero Position for nil and for nodes of no file.
func (s *sources) at(n *yaml.Node) policy.Position {
	if n == nil {
		return policy.Position{}
	}
	index := n.Line >> lineBits
	if index <= 0 || index >= len(s.files) {
		return policy.Position{}
	}
	f, line := s.files[index], n.Line&lineMask
	return policy.Position{File: f.name, Line: line, Column: f.byteColumn(line, n.Column)}
}

// fileOf is the file that a node stands in, nil for none.
func (s *sources) fileOf(n *yaml.Node) *source {
	if n == nil {
		return nil
	}
	index := n.Line >> lineBits
	if index <= 0 || index >= len(s.files) {
		return nil
	}
	return s.files[index]
}

// line is the text of a line without its break, "" when there is none.
func (f *source) line(number int) string {
	starts := f.starts()
	if number < 1 || number > len(starts) {
		return ""
	}
	rest := f.text[starts[number-1]:]
	if number < len(starts) {
		rest = rest[:starts[number]-starts[number-1]]
	}
	return strings.TrimRight(rest, "\r\n\u0085\u2028\u2029")
}

// starts are the offsets at which f's lines begin. YAML's parser ends a line at each of YAML 1.1's breaks, JSON's at a
// line feed only.
func (f *source) starts() []int {
	if f.lineStarts != nil {
		return f.lineStarts
	}
	f.lineStarts = append(make([]int, 0, 64+len(f.text)/40), 0)
	if f.json {
		for i := 0; ; {
			next := strings.IndexByte(f.text[i:], '\n')
			if next < 0 {
				return f.lineStarts
			}
			i += next + 1
			f.lineStarts = append(f.lineStarts, i)
		}
	}
	for i, r := range f.text {
		switch r {
		case '\r':
			if strings.HasPrefix(f.text[i+1:], "\n") {
				continue
			}
		case '\n', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		f.lineStarts = append(f.lineStarts, i+utf8.RuneLen(r))
	}
	return f.lineStarts
}

// locate is the line and byte column of an offset.
func (f *source) locate(offset int) (line, column int) {
	starts := f.starts()
	line = 1
	for line < len(starts) && starts[line] <= offset {
		line++
	}
	return line, offset - starts[line-1] + 1
}

// byteColumn turns a column into one that counts bytes. YAML's parser counts characters.
func (f *source) byteColumn(line, column int) int {
	if f.json || column <= 1 {
		return column
	}
	characters := 1
	for i := range f.line(line) {
		if characters == column {
			return i + 1
		}
		characters++
	}
	return column + len(f.line(line)) - utf8.RuneCountInString(f.line(line))
}
