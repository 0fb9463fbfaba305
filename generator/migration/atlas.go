package migration

import (
	"crypto/sha256"
	"encoding/base64"
	"path"
	"slices"
	"strings"
)

const atlasSumName = "atlas.sum"

// atlasSum is the content of atlas.sum for a folder: a line per file in the order of the names, each with a hash over all
// files so far, and before them a hash over the lines. It follows ariga.io/atlas/sql/migrate, HashFile.
func atlasSum(files []Existing) []byte {
	files = slices.Clone(files)
	files = slices.DeleteFunc(files, func(f Existing) bool { return path.Ext(f.Name) != ".sql" })
	slices.SortFunc(files, func(a, b Existing) int { return strings.Compare(a.Name, b.Name) })

	running, whole := sha256.New(), sha256.New()
	var lines strings.Builder
	for _, file := range files {
		running.Write([]byte(file.Name))
		if atlasIgnores(file.Content) {
			continue
		}
		running.Write(file.Content)
		hash := base64.StdEncoding.EncodeToString(running.Sum(nil))
		whole.Write([]byte(file.Name))
		whole.Write([]byte(hash))
		lines.WriteString(file.Name + " h1:" + hash + "\n")
	}
	return []byte("h1:" + base64.StdEncoding.EncodeToString(whole.Sum(nil)) + "\n" + lines.String())
}

// atlasIgnores reports whether the file's first line takes it out of the sum ("atlas:sum ignore").
func atlasIgnores(content []byte) bool {
	line, _, _ := strings.Cut(string(content), "\n")
	_, directive, found := strings.Cut(line, "atlas:sum ")
	return found && strings.TrimSpace(directive) == "ignore"
}
