package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun_RefusesRoot(t *testing.T) {
	if err := run(0, "", &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "not as root") {
		t.Errorf("err = %v", err)
	}
}

func TestRun_NothingToFetch(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	var out bytes.Buffer
	err := run(1000, empty.URL, &out)
	if err == nil || !strings.Contains(err.Error(), "IDEMGEN_POSTGRES_BIN") || out.Len() > 0 {
		t.Errorf("err = %v, out %q", err, out.String())
	}
}

func TestFetch_KeepsWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "bin", "postgres"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fetch(folder, "http://127.0.0.1:1"); err != nil {
		t.Error(err)
	}
}
