package output

// File is one generated file, as a value: rooms return files, this package alone writes them.
type File struct {
	// Path is slash-separated and relative to the folder of the configuration file.
	Path string
	// Content is the whole file.
	Content []byte
	// Policy says what may happen to a file of that name that is there already.
	Policy WritePolicy
}

// WritePolicy is how a file may be treated once it exists.
type WritePolicy int

const (
	// Replace files are generated anew each time; they carry the generator's marker. A file at the path that lacks the
	// marker is never overwritten.
	Replace WritePolicy = iota
	// Once files are a start for the user to edit: written when absent, never touched again.
	Once
	// Issued files are migrations: once written they are never rewritten nor deleted, and a changed one is reported.
	Issued
	// Shared files belong to another tool that gives them no room for a marker, such as atlas.sum: they are written
	// whenever they differ, and never deleted.
	Shared
)
