package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Dir is the folder that files are written to: that of the configuration file. Nothing outside it is written, also not
// through a symbolic link. A Dir is safe for use by one goroutine.
type Dir struct {
	root *os.Root
	name string
}

// Open opens the folder, which must exist. The caller closes the Dir.
func Open(folder string) (*Dir, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w", folder, cause(err))
	}
	return &Dir{root: root, name: folder}, nil
}

// Close lets go of the folder.
func (d *Dir) Close() error { return d.root.Close() }

// FS gives the folder's content to read; a symbolic link that leaves the folder cannot be followed.
func (d *Dir) FS() fs.FS { return d.root.FS() }

// Lock waits until no other idemgen of this user writes to the folder, or until ctx is done. It is taken before anything
// is read that decides what is written, such as the number of the next migration. The lock is the operating system's: it
// goes with the process, however that ends.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) {
	file, err := d.lockFile()
	if err != nil {
		return nil, err
	}
	type result struct {
		unlock func()
		err    error
	}
	done := make(chan result, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		done <- result{unlock, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("cannot lock the folder %s: %w", d.name, r.err)
		}
		return r.unlock, nil
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				r.unlock()
			}
		}()
		return nil, fmt.Errorf("waiting for another idemgen that writes to %s: %w", d.name, context.Cause(ctx))
	}
}

// lockFile is in the user's cache, named after the folder: a lock file in the folder itself would have to be ignored by
// every repository that uses idemgen.
func (d *Dir) lockFile() (string, error) {
	folder, err := filepath.Abs(d.name)
	if err != nil {
		return "", fmt.Errorf("cannot lock the folder %s: %w", d.name, err)
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	name := hashOf([]byte(folder))[:32] + ".lock"
	var failed error
	for _, base := range lockBases() {
		if err := os.MkdirAll(base, 0o700); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		return filepath.Join(base, name), nil
	}
	return "", fmt.Errorf("no place for a lock file: %w", failed)
}

// lockBases are the places for lock files, best first: a build container may have no home, or one that cannot be written.
func lockBases() []string {
	var bases []string
	if cache, err := os.UserCacheDir(); err == nil {
		bases = append(bases, filepath.Join(cache, "idemgen", "locks"))
	}
	return append(bases, filepath.Join(os.TempDir(), fmt.Sprintf("idemgen-%d", os.Getuid()), "locks"))
}
