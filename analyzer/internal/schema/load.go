package schema

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// Bounds of what is read of a module.
const (
	maxFiles     = 5000
	maxFileSize  = 2 << 20
	maxEntSize   = 8 << 20
	maxTotalSize = 64 << 20
	maxDepth     = 8
	maxFolders   = 20000
)

// Load reads the schema of the module at root: the files that globs name, or, without globs, those that the common tools would read. Files that cannot be read are left out.
//
// The go command does not know of these files: go vet gives its cached findings for a package when only an SQL file has changed.
func Load(root string, globs []string) (*Schema, error) {
	if _, err := os.Stat(root); err != nil {
		return nil, err
	}
	return LoadFS(os.DirFS(root), globs)
}

// LoadFS is [Load] for a file system. Its error tells of a glob that is malformed.
//
// Files of one folder are one set, applied in the order of their numbers. Sets are independent, as those of two services or of two databases are, and a table that two of them create has the rules of both; a set that changes a table which it does not create changes that of the sets before it.
func LoadFS(fsys fs.FS, globs []string) (*Schema, error) {
	l := &loader{fsys: fsys, schema: &Schema{Tables: map[string]*Table{}}, taken: map[string]bool{}, all: map[string]*state{}}
	if len(globs) > 0 {
		files, err := l.globbed(globs)
		if err != nil {
			return nil, err
		}
		l.set(files)
		return l.finish(nil), nil
	}
	found := discover(fsys)
	for _, config := range found.sqlc {
		for _, files := range l.sqlc(config) {
			l.set(files)
		}
	}
	for _, folder := range found.folders {
		l.set(found.sql[folder])
	}
	return l.finish(found.ent), nil
}

// Unmatched gives those of the globs that name no file below root, so that whoever misspelt one is told.
func Unmatched(root string, globs []string) []string {
	l := &loader{fsys: os.DirFS(root)}
	var list []string
	for _, glob := range globs {
		if files, err := l.globbed([]string{glob}); err == nil && len(files) == 0 {
			list = append(list, glob)
		}
	}
	return list
}

// loader reads sets of files.
type loader struct {
	fsys   fs.FS
	schema *Schema
	taken  map[string]bool   // files read already
	all    map[string]*state // tables of the sets so far
	size   int
}

// set reads one set of files, in the order in which they are applied.
func (l *loader) set(files []string) {
	m := &migration{own: map[string]*state{}, before: l.all}
	for _, file := range files {
		if l.taken[file] || len(l.schema.Files) >= maxFiles {
			continue
		}
		l.taken[file] = true
		text, ok := l.read(file, maxFileSize)
		if !ok || !definesTables(text) {
			continue
		}
		l.schema.Files = append(l.schema.Files, file)
		applied := upOnly(string(text))
		m.apply(sqltext.ParseDefinitions(applied), lines(file, applied))
	}
	for name, t := range m.own {
		if known := l.all[name]; known != nil {
			known.union(t)
		} else {
			l.all[name] = t
		}
	}
}

// union adds what another set says of a table. A rule of only one of them is kept: two sets are two databases as a rule, and the code at hand may use either.
func (t *state) union(other *state) {
	for name, notNull := range other.columns {
		if known, ok := t.columns[name]; !ok || notNull && !known {
			t.columns[name] = notNull
		}
	}
	for _, r := range other.rules {
		if !slices.ContainsFunc(t.rules, func(known rule) bool {
			return known.Where == r.Where && known.Primary == r.Primary && slices.Equal(known.Columns, r.Columns)
		}) {
			t.rules = append(t.rules, r)
		}
	}
}

// finish gives the schema, with the tables of ent's generated code.
func (l *loader) finish(ent []string) *Schema {
	for _, t := range l.all {
		l.schema.merge(t.table())
	}
	for _, file := range ent {
		if text, ok := l.read(file, maxEntSize); ok {
			tables := entTables(file, text)
			if len(tables) > 0 {
				l.schema.Files = append(l.schema.Files, file)
			}
			for _, t := range tables {
				l.schema.merge(t)
			}
		}
	}
	return l.schema
}

// read gives a file's text unless it is too large or too much was read already.
func (l *loader) read(file string, limit int) ([]byte, bool) {
	info, err := fs.Stat(l.fsys, file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > int64(limit) || l.size+int(info.Size()) > maxTotalSize {
		return nil, false
	}
	text, err := fs.ReadFile(l.fsys, file)
	if err != nil || len(text) > limit {
		return nil, false
	}
	l.size += len(text)
	return text, true
}

// definesTables reports whether a text can create or change a table. Most query files cannot.
func definesTables(text []byte) bool {
	for at := 0; ; {
		next := bytes.IndexAny(text[at:], "tTiI")
		if next < 0 || at+next+5 > len(text) {
			return false
		}
		at += next
		switch word := text[at:]; {
		case bytes.EqualFold(word[:5], []byte("table")), bytes.EqualFold(word[:5], []byte("index")):
			return true
		}
		at++
	}
}

// lines gives a function from bytes of a text to their lines, for offsets in any order.
func lines(file, text string) func(int) Position {
	var starts []int
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i)
		}
	}
	return func(offset int) Position {
		line, _ := slices.BinarySearch(starts, offset)
		return Position{File: file, Line: line + 1}
	}
}

// globbed gives the files that globs name, in the order of the globs, and below one glob in that of their numbers. A folder stands for the SQL files in it; ** stands for any folders.
func (l *loader) globbed(globs []string) ([]string, error) {
	var files []string
	for _, glob := range globs {
		glob = path.Clean(strings.TrimPrefix(strings.ReplaceAll(glob, `\`, "/"), "./"))
		if _, err := path.Match(glob, ""); err != nil {
			return nil, err
		}
		var found []string
		if head, tail, deep := strings.Cut(glob, "**"); deep {
			tail = strings.TrimPrefix(tail, "/")
			if tail == "" {
				tail = "*.sql"
			}
			for _, file := range below(l.fsys, path.Clean(head+".")) {
				if ok, _ := path.Match(tail, path.Base(file)); ok {
					found = append(found, file)
				}
			}
		} else if found, _ = fs.Glob(l.fsys, glob); len(found) == 1 {
			if info, err := fs.Stat(l.fsys, found[0]); err == nil && info.IsDir() {
				found, _ = fs.Glob(l.fsys, path.Join(found[0], "*.sql"))
			}
		}
		files = append(files, applied(found)...)
	}
	return files, nil
}

// below gives the SQL files of a folder and the folders in it.
func below(fsys fs.FS, folder string) []string {
	var files []string
	_ = fs.WalkDir(fsys, folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case entry.IsDir() && strings.Count(file, "/") > maxDepth:
			return fs.SkipDir
		case strings.HasSuffix(file, ".sql") && len(files) < maxFiles:
			files = append(files, file)
		}
		return nil
	})
	return files
}
