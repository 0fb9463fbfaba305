package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Write carries the plan out. All new content is written beside its place first, under a temporary name; only when every
// file is there are the names exchanged, stale files deleted and, last, the manifest written. A failure, or ctx being done
// before the exchange, leaves the folder as it was; a process that is killed leaves at most temporary files, which the
// next run writes over. Files that do not differ are not touched, so their times and the build cache stay valid.
//
// There is no fsync: after a power failure everything here can be generated again.
func (p *Plan) Write(ctx context.Context) error {
	work := p.inOrder()
	w := writer{root: p.dir.root, staged: make(map[string]string, len(work))}
	if err := w.stage(ctx, work); err != nil {
		return errors.Join(err, w.clean())
	}
	if err := w.exchange(work); err != nil {
		return errors.Join(err, w.undo(), w.clean())
	}
	return nil
}

// inOrder lists the changes as they have to happen: new content, then deletions, then the manifest. Wherever a process
// dies in between, the manifest on the disk lists every generated file that is there and may go one day.
func (p *Plan) inOrder() []Change {
	work := slices.Clone(p.Changes)
	slices.SortStableFunc(work, func(a, b Change) int { return order(a) - order(b) })
	if p.manifest != nil {
		work = append(work, *p.manifest)
	}
	return work
}

func order(c Change) int {
	if c.Action == Delete {
		return 1
	}
	return 0
}

// writer remembers what it has done, so that it can be taken back.
type writer struct {
	root    *os.Root
	staged  map[string]string // path -> temporary name
	folders []string          // made by us, parents first
	done    []Change
}

func (w *writer) stage(ctx context.Context, work []Change) error {
	for _, change := range work {
		if ctx.Err() != nil {
			return fmt.Errorf("nothing was changed: %w", context.Cause(ctx))
		}
		if change.Action == Delete {
			continue
		}
		if err := w.makeFolder(path.Dir(change.Path)); err != nil {
			return fmt.Errorf("nothing was changed: cannot make the folder of %s: %w", change.Path, cause(err))
		}
		if err := w.writeTemporary(change.Path, change.New, change.mode); err != nil {
			return fmt.Errorf("nothing was changed: cannot write %s: %w", change.Path, cause(err))
		}
	}
	return nil
}

// exchange gives each staged file its name and deletes what is to go. It is not interrupted.
func (w *writer) exchange(work []Change) error {
	for _, change := range work {
		var err error
		if change.Action == Delete {
			err = w.root.Remove(change.Path)
		} else {
			err = w.root.Rename(w.staged[change.Path], change.Path)
		}
		if err != nil {
			return fmt.Errorf("nothing was changed: cannot %s %s: %w", change.Action, change.Path, cause(err))
		}
		delete(w.staged, change.Path)
		w.done = append(w.done, change)
	}
	return nil
}

// undo brings back what was there before the exchange, newest change first.
func (w *writer) undo() error {
	var failed error
	for _, change := range slices.Backward(w.done) {
		var err error
		if change.Action == Create {
			err = w.root.Remove(change.Path)
		} else if err = w.writeTemporary(change.Path, change.Old, change.mode); err == nil {
			err = w.root.Rename(w.staged[change.Path], change.Path)
			delete(w.staged, change.Path)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s could not be put back: %w", change.Path, cause(err)))
		}
	}
	w.done = nil
	return failed
}

// clean removes temporary files and the folders made for them.
func (w *writer) clean() error {
	var failed error
	for _, temporary := range w.staged {
		if err := w.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("the temporary file %s is left over: %w", temporary, cause(err)))
		}
	}
	for _, folder := range slices.Backward(w.folders) {
		_ = w.root.Remove(folder) // fails when somebody else has used it meanwhile, which is right
	}
	return failed
}

func (w *writer) makeFolder(folder string) error {
	if folder == "." {
		return nil
	}
	if _, err := w.root.Stat(folder); err == nil {
		return nil
	}
	if err := w.makeFolder(path.Dir(folder)); err != nil {
		return err
	}
	err := w.root.Mkdir(folder, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.folders = append(w.folders, folder)
	}
	return err
}

// writeTemporary writes content to a new file in the folder of name. Its name is fixed, so that what a killed run leaves
// is replaced and never piles up; Remove and O_EXCL see to it that nothing that lies there is written through.
func (w *writer) writeTemporary(name string, content []byte, mode fs.FileMode) (err error) {
	temporary := path.Join(path.Dir(name), ".idemgen-"+hashOf([]byte(name))[:12]+".tmp")
	if err := w.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w.staged[name] = temporary
	defer func() { err = errors.Join(err, file.Close()) }()
	if mode != 0 {
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	_, err = file.Write(content)
	return err
}
