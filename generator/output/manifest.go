package output

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// DefaultManifest is the manifest's name beside idemgen.yaml.
const DefaultManifest = ".idemgen.json"

// manifestVersion is the layout that this package writes; it reads no later one.
const manifestVersion = 1

// manifest lists the generated files of the last run, so that a file that is generated no more can be told from a file
// that idemgen has nothing to do with. Files that are written once belong to the user, and issued migrations to history:
// neither is listed.
type manifest struct {
	Comment string  `json:"$comment"`
	Version int     `json:"version"`
	Files   []entry `json:"files"`
}

// entry is one file of a manifest.
type entry struct {
	// Path is slash-separated and relative to the manifest's own folder.
	Path string `json:"path"`
	// SHA256 is the hash of what was written, in hexadecimal.
	SHA256 string `json:"sha256"`
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// encode returns the manifest as it is written: entries sorted, one line each, so that two branches that each add a file
// merge without a conflict where they can.
func (m manifest) encode() []byte {
	slices.SortFunc(m.Files, func(a, b entry) int { return cmp.Compare(a.Path, b.Path) })
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\n  \"$comment\": %q,\n  \"version\": %d,\n  \"files\": [", Marker, manifestVersion)
	for i, e := range m.Files {
		if i > 0 {
			text.WriteByte(',')
		}
		line, _ := json.Marshal(e) // two strings: cannot fail
		text.WriteString("\n    ")
		text.Write(line)
	}
	if len(m.Files) > 0 {
		text.WriteString("\n  ")
	}
	text.WriteString("]\n}\n")
	return text.Bytes()
}

// decodeManifest reads the manifest called name. No content is an empty manifest.
func decodeManifest(name string, content []byte) (manifest, error) {
	if len(content) == 0 {
		return manifest{}, nil
	}
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return manifest{}, &Refusal{Path: name, Reason: "is not a manifest of idemgen: " + err.Error(),
			Hint: "restore it from version control, or delete it: stale files are then left in place"}
	}
	if m.Version != manifestVersion {
		return manifest{}, &Refusal{Path: name, Reason: fmt.Sprintf("has version %d, and this idemgen reads version %d", m.Version, manifestVersion),
			Hint: "use the idemgen that wrote it, or a later one"}
	}
	return m, nil
}

// owners are the files that the other manifests in the folder of the one called name list, each with its manifest: two
// configurations in one folder must not write over each other's files. A manifest that cannot be read lists none.
func (d *Dir) owners(name string) (map[string]string, error) {
	folder, err := fs.ReadDir(d.FS(), path.Dir(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for other manifests beside %s: %w", name, cause(err))
	}
	owners := map[string]string{}
	for _, beside := range folder {
		other := path.Join(path.Dir(name), beside.Name())
		if other == name || !strings.HasPrefix(beside.Name(), ".") || path.Ext(other) != ".json" {
			continue
		}
		found, err := d.read(other)
		if err != nil || !HasMarker(found.content) {
			continue
		}
		m, err := decodeManifest(other, found.content)
		if err != nil {
			continue
		}
		for _, e := range m.Files {
			if file, ok := e.resolve(other); ok {
				owners[file] = other
			}
		}
	}
	return owners, nil
}

// resolve returns where an entry of the manifest called name lies, relative to the root; ok is false for one that would
// leave the root, which is never touched.
func (e entry) resolve(name string) (file string, ok bool) {
	file = path.Join(path.Dir(name), e.Path)
	return file, checkPath(file) == nil
}

// relativeTo is the reverse of resolve: file as it stands in the manifest called name.
func relativeTo(name, file string) string {
	folder := path.Dir(name)
	up := ""
	for folder != "." {
		if rest, inside := cutFolder(file, folder); inside {
			return up + rest
		}
		up += "../"
		folder = path.Dir(folder)
	}
	return up + file
}

func cutFolder(file, folder string) (rest string, inside bool) {
	if len(file) > len(folder) && file[:len(folder)] == folder && file[len(folder)] == '/' {
		return file[len(folder)+1:], true
	}
	return "", false
}
