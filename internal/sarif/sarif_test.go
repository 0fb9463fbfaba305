package sarif

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written is a run with one finding in a file, as bytes and as what a viewer reads of it.
func written(t *testing.T, root, file string, at Place, identity string) (text []byte, uri string, column int, fingerprint string) {
	t.Helper()
	at.File = file
	run := Run{Tool: "t", Version: "1", Fingerprint: "t/v1", Root: root, Results: []Result{{Rule: "r", Level: Warning, Message: "m", At: at, Identity: identity}}}
	var out bytes.Buffer
	if err := Write(&out, run); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	result := log.Runs[0].Results[0]
	place := result.Locations[0].PhysicalLocation
	return out.Bytes(), place.ArtifactLocation.URI, place.Region.StartColumn, result.PartialFingerprints["t/v1"]
}

// Columns are given in bytes and written in code points, a path is that below the root, and the same finding gives the same
// bytes without a word of the machine in them.
func TestWrite_PlacesAndBytes(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a b", "ä.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("ééx: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, uri, column, _ := written(t, root, file, Place{Line: 1, Column: 5}, "")
	if uri != "a%20b/%C3%A4.yaml" || column != 3 {
		t.Errorf("at %s, column %d", uri, column)
	}
	again, _, _, _ := written(t, root, file, Place{Line: 1, Column: 5}, "")
	if !bytes.Equal(text, again) || strings.Contains(string(text), filepath.ToSlash(root)) {
		t.Errorf("twice the same finding:\n%s\n%s", text, again)
	}
	if _, uri, column, _ = written(t, root, filepath.Join(filepath.Dir(root), "other.yaml"), Place{}, ""); !strings.HasPrefix(uri, "file:///") || column != 1 {
		t.Errorf("a file outside of the root that is not there: %s, column %d", uri, column)
	}
}

// A finding is known again when its line has moved, and is another one when its line or its identity is another.
func TestWrite_FingerprintsFollowTheLine(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a.yaml")
	of := func(content string, line int, identity string) string {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, _, fingerprint := written(t, root, file, Place{Line: line, Column: 1}, identity)
		return fingerprint
	}
	first := of("x: 1\ny: 2\n", 1, "")
	if moved := of("a: 0\n  x: 1\n", 2, ""); moved != first {
		t.Error("the finding is another one when its line has moved")
	}
	if other := of("x: 1\ny: 2\n", 2, ""); other == first {
		t.Error("a finding in another line is the same")
	}
	if one, two := of("x: 1\n", 1, "one"), of("x: 1\n", 1, "two"); one == two || one == first {
		t.Error("identities do not count")
	}
}
