package output

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
)

// checkPath reports why a file of that name must not be written. A path may come from a configuration file, and parts of
// it from a document, so nothing is taken for granted: it stays within the root, on every operating system.
func checkPath(name string) error {
	switch {
	case name == "" || name == ".":
		return errors.New("has no name")
	case strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("has a control character in its name")
	case strings.ContainsRune(name, '\\'):
		return errors.New("has a backslash in its name: paths are written with slashes")
	case strings.HasPrefix(name, "/"):
		return errors.New("is absolute: paths are relative to the folder of the configuration file")
	case !fs.ValidPath(name):
		return errors.New("leaves the folder of the configuration file, or is not written plainly (no '.', '..' or empty part)")
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return errors.New("is not a name that this operating system allows")
	}
	return nil
}
