package schema

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// finding is what a walk through a module finds.
type finding struct {
	folders []string            // with SQL files, in natural order
	sql     map[string][]string // folder -> its files, in the order in which they are applied
	sqlc    []string            // configurations of sqlc
	ent     []string            // schema.go files of ent's migrate packages
}

// skipped are folders whose files are nobody's schema: dependencies, and data of tests.
var skipped = map[string]bool{"vendor": true, "node_modules": true, "testdata": true}

// discover looks for files that tell of tables.
func discover(fsys fs.FS) finding {
	f := finding{sql: map[string][]string{}}
	folders, files := 0, 0
	_ = fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name := path.Base(file)
		if entry.IsDir() {
			folders++
			switch {
			case file == ".":
			case folders > maxFolders:
				return fs.SkipAll
			case skipped[name], strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"), strings.Count(file, "/") >= maxDepth:
				return fs.SkipDir
			}
			return nil
		}
		folder := path.Dir(file)
		switch {
		case !entry.Type().IsRegular(), strings.HasSuffix(name, "_test.sql"):
		case strings.HasSuffix(strings.ToLower(name), ".sql"):
			if files++; files > maxFiles {
				return fs.SkipAll
			}
			if len(f.sql[folder]) == 0 {
				f.folders = append(f.folders, folder)
			}
			f.sql[folder] = append(f.sql[folder], file)
		case name == "sqlc.yaml", name == "sqlc.yml", name == "sqlc.json":
			f.sqlc = append(f.sqlc, file)
		case name == "schema.go" && path.Base(folder) == "migrate":
			f.ent = append(f.ent, file)
		}
		return nil
	})
	slices.SortFunc(f.folders, natural)
	for folder, list := range f.sql {
		f.sql[folder] = applied(list)
	}
	return f
}

// applied gives the files that are applied when a database is set up, in the order of the tools: by the number before the name, flyway's repeatable ones last. Files that only undo something are left out.
func applied(files []string) []string {
	files = slices.DeleteFunc(slices.Clone(files), undoes)
	slices.SortStableFunc(files, func(a, b string) int {
		if c := natural(path.Dir(a), path.Dir(b)); c != 0 {
			return c
		}
		va, na := version(path.Base(a))
		vb, nb := version(path.Base(b))
		if (va == "") != (vb == "") { // files without a number come behind the others
			if va == "" {
				return 1
			}
			return -1
		}
		if c := natural(va, vb); c != 0 {
			return c
		}
		return natural(na, nb)
	})
	return files
}

// undoes reports whether a file is the way back of another one: of golang-migrate, of flyway, or by its plain name.
func undoes(file string) bool {
	name := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(name, ".sql")
	for _, end := range []string{".down", "_down", "-down", ".rollback", "_rollback", ".undo"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	if stem == "down" || stem == "rollback" {
		return true
	}
	return len(name) > 1 && name[0] == 'u' && name[1] >= '0' && name[1] <= '9' && strings.Contains(name, "__")
}

// version splits a file's name into its version and the rest. Flyway's V1_2__name has version 1.2; the others lead with their number.
func version(name string) (version, rest string) {
	lower := strings.ToLower(name)
	if head, tail, ok := strings.Cut(lower, "__"); ok && len(head) > 1 && (head[0] == 'v' || head[0] == 'b') && isDigit(head[1]) {
		return strings.ReplaceAll(head[1:], "_", "."), tail
	}
	n := 0
	for n < len(lower) && isDigit(lower[n]) {
		n++
	}
	if n == 0 && len(lower) > 1 && lower[0] == 'v' && isDigit(lower[1]) { // v1_name, v1.2/...
		n = 1
		for n < len(lower) && isDigit(lower[n]) {
			n++
		}
		return lower[1:n], lower[n:]
	}
	return lower[:n], lower[n:]
}

// natural compares texts with their numbers as numbers: v2 before v10.
func natural(a, b string) int {
	for a != "" && b != "" {
		na, nb := run(a), run(b)
		pa, pb := a[:na], b[:nb]
		a, b = a[na:], b[nb:]
		if isDigit(pa[0]) && isDigit(pb[0]) {
			ta, tb := strings.TrimLeft(pa, "0"), strings.TrimLeft(pb, "0")
			if len(ta) != len(tb) {
				return len(ta) - len(tb)
			}
			if c := strings.Compare(ta, tb); c != 0 {
				return c
			}
			continue
		}
		if c := strings.Compare(pa, pb); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// run counts the leading bytes that are all digits, or all none.
func run(s string) int {
	n := 1
	for n < len(s) && isDigit(s[n]) == isDigit(s[0]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
