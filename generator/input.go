package generator

import (
	"io/fs"
	"path/filepath"
	"time"

	"github.com/idemgen/idemgen/generator/config"
)

// Input is everything that a run depends on.
type Input struct {
	// Config is complete: what [config.Config.With] returns.
	Config config.Config
	// Dir is the folder of the configuration file as seen from the working directory; empty means the same folder.
	// Findings name files relative to the working directory, generated files never do.
	Dir string
	// Files is the content of Dir. The migrations folder is read through it.
	Files fs.FS
	// Templates replace built-in ones of the same name; nil for none.
	Templates fs.FS
	// Now numbers a migration where the folder counts its files by time, and is used for nothing else.
	Now time.Time
	// Progress, if not nil, is told in a few words what is done next. It is called from one goroutine.
	Progress func(what string)
}

// path is a file that the configuration names, as seen from the working directory.
func (in Input) path(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(in.Dir, name)
}

func (in Input) progress(what string) {
	if in.Progress != nil {
		in.Progress(what)
	}
}
