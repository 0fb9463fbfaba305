package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is wrapped by the error of [WriteFile] for a file that is there and may not be replaced.
var ErrExists = errors.New("exists already")

// WriteFile writes one file that the user named on the command line, wherever that is, and makes its folder. It is written
// whole or not at all. A file that is there is replaced only when replace is true, and keeps its mode; a symbolic link is
// followed, and what is not a regular file, such as /dev/stdout or a pipe, is simply written to.
func WriteFile(name string, content []byte, replace bool) error {
	target := name
	mode := fs.FileMode(0)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(name, content)
	case err == nil && !replace:
		return fmt.Errorf("%s %w", name, ErrExists)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder of %s: %w", name, cause(err))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	defer root.Close()
	w := writer{root: root, staged: map[string]string{}}
	base := filepath.Base(target)
	err = w.writeTemporary(base, content, mode)
	if err == nil {
		err = root.Rename(w.staged[base], base)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot write %s: %w", name, cause(err)), w.clean())
	}
	return nil
}

func writeThrough(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	return nil
}
