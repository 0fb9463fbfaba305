package migration

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The markers. Their text is a contract with folders out there: never change one, add another.
const (
	markSchema  = "schema"      // -- idemgen:schema VERSION sha256:HASH
	markGuard   = "guard"       // -- idemgen:guard CONSTRAINT sha256:HASH
	markIndex   = "guard-index" // -- idemgen:guard-index CONSTRAINT sha256:HASH
	markTable   = "table"       // -- idemgen:table NAME, in each schema step
	markDropped = "dropped"     // -- idemgen:dropped CONSTRAINT, written by the user where a guard is dropped
	markRenamed = "renamed"     // -- idemgen:renamed OLD NEW, written by the user where the keys table is renamed
)

var (
	markerLine = regexp.MustCompile(`(?m)^-- idemgen:(schema|guard|guard-index) (\S+) (sha256:[0-9a-f]{64}|edited) *$`)
	otherLine  = regexp.MustCompile(`(?m)^-- idemgen:(table|dropped|renamed) (.+?) *$`)
)

// marker is what one issued file says of itself.
type marker struct {
	kind, name string
	// hash is "sha256:..." or "edited", with which a user owns up to a change.
	hash string
	pos  policy.Position
}

// issued is what a folder holds already.
type issued struct {
	// version is the newest schema step per keys table.
	version map[string]int
	// guards are the constraints in place, with the marker that put them there; indexes those built but not attached.
	guards, indexes map[string]marker
}

// readIssued reads the markers of every file, in the order of the versions, and reports the files that were changed.
func readIssued(dir string, files []Existing) (issued, diag.List) {
	found := issued{version: make(map[string]int), guards: make(map[string]marker), indexes: make(map[string]marker)}
	var findings diag.List
	for _, file := range files {
		content := normalise(file.Content)
		marks := markers(path.Join(dir, file.Name), content)
		for _, m := range marks {
			if m.hash != "edited" && m.hash != hashOf(content) {
				findings = append(findings, edited(m, content))
			}
		}
		// A way down says nothing about what was done.
		if !strings.HasSuffix(file.Name, ".down.sql") {
			found.add(marks, content)
		}
	}
	return found, findings
}

// add takes in what a file says was done: by us, and by the user's own statements.
func (found *issued) add(marks []marker, content []byte) {
	for _, m := range marks {
		switch m.kind {
		case markSchema:
			// A marker whose number cannot be read was edited, and has been reported as that.
			if version, err := strconv.Atoi(m.name); err == nil {
				table := tableOf(content)
				found.version[table] = max(found.version[table], version)
			}
		case markGuard:
			found.guards[m.name] = m
		case markIndex:
			found.indexes[m.name] = m
		}
	}
	for _, match := range otherLine.FindAllSubmatch(content, -1) {
		argument := string(match[2])
		switch string(match[1]) {
		case markDropped:
			delete(found.guards, argument)
			delete(found.indexes, argument)
		case markRenamed:
			from, to, _ := strings.Cut(argument, " ")
			if version, ok := found.version[from]; ok {
				found.version[strings.TrimSpace(to)] = version
				delete(found.version, from)
			}
		}
	}
}

// has reports whether a guard was issued, or its index.
func (found *issued) has(g guard) bool {
	_, done := found.guards[g.Constraint]
	_, begun := found.indexes[g.Constraint]
	return done || begun
}

func tableOf(content []byte) string {
	for _, match := range otherLine.FindAllSubmatch(content, -1) {
		if string(match[1]) == markTable {
			return string(match[2])
		}
	}
	return DefaultTable
}

func markers(file string, content []byte) []marker {
	var marks []marker
	for _, at := range markerLine.FindAllSubmatchIndex(content, -1) {
		marks = append(marks, marker{
			kind: string(content[at[2]:at[3]]),
			name: string(content[at[4]:at[5]]),
			hash: string(content[at[6]:at[7]]),
			pos:  policy.Position{File: file, Line: 1 + bytes.Count(content[:at[0]], []byte("\n")), Column: 1},
		})
	}
	return marks
}

func edited(m marker, content []byte) diag.Diagnostic {
	lines := strings.Split(string(content), "\n")
	return diag.Diagnostic{
		Pos: m.pos, Rule: "migration-edited", Severity: diag.Error,
		Message: fmt.Sprintf("the issued migration for %s %s was changed after it was written", m.kind, m.name),
		Hint:    "restore the file and put the change into a new migration; if the change is meant, write edited in place of the hash on this line",
		Source:  lines[m.pos.Line-1],
	}
}

// seal puts the marker under the directives of a file and fills in its hash.
func seal(p part, kind, name string, notes ...string) []byte {
	const blank = "sha256:"
	mark := "-- idemgen:" + kind + " " + name + " "
	text := p.directives + mark + blank + "\n"
	for _, note := range notes {
		text += note + "\n"
	}
	text += "-- Issued once and never written again: put changes into a new migration.\n\n" + tidy(p.body)
	return []byte(strings.Replace(text, mark+blank, mark+hashOf([]byte(text)), 1))
}

// hashOf hashes a file's content without the hash in its marker.
func hashOf(content []byte) string {
	bare := markerHash.ReplaceAll(content, []byte("${1}sha256:"))
	sum := sha256.Sum256(bare)
	return "sha256:" + hex.EncodeToString(sum[:])
}

var markerHash = regexp.MustCompile(`(?m)^(-- idemgen:(?:schema|guard|guard-index) \S+ )sha256:[0-9a-f]{64} *$`)

// normalise undoes what a checkout may have done to a file.
func normalise(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// tidy ends a text with one newline and removes what editors would remove: spaces at the ends of lines, and empty lines
// beyond one.
func tidy(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRight(line, " \t")
		if line == "" && len(kept) > 0 && kept[len(kept)-1] == "" {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n") + "\n"
}
