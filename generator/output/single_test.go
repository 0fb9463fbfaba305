package output

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile(t *testing.T) {
	root := folder(t, map[string]string{"there": "old", "real/target": "old"})
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	if err := os.Symlink("real/target", at("link")); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(at("a/b/new"), []byte("x"), false); err != nil || get(t, root, "a/b/new") != "x" {
		t.Errorf("a new file: %v", err)
	}
	if err := WriteFile(at("there"), []byte("x"), false); !errors.Is(err, ErrExists) || get(t, root, "there") != "old" {
		t.Errorf("a file that is there: %v", err)
	}
	if err := WriteFile(at("there"), []byte("x"), true); err != nil || get(t, root, "there") != "x" {
		t.Errorf("a file to replace: %v", err)
	}
	if err := WriteFile(at("link"), []byte("x"), false); !errors.Is(err, ErrExists) {
		t.Errorf("a link to a file that is there: %v", err)
	}
	if err := WriteFile(at("link"), []byte("x"), true); err != nil || get(t, root, "real/target") != "x" {
		t.Errorf("a link to replace: %v", err)
	}
	if err := WriteFile(root, nil, true); err == nil {
		t.Error("a folder was written")
	}
	if err := WriteFile(at("there/x"), nil, false); err == nil {
		t.Error("a file was made a folder")
	}
	if err := WriteFile(os.DevNull, []byte("x"), false); err != nil {
		t.Errorf("the null device: %v", err)
	}
	if got, want := names(t, root), "a a/b a/b/new link real real/target there"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}
