package pgtemp

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binaries makes a folder that looks as if it held a server.
func binaries(t *testing.T, path ...string) string {
	t.Helper()
	folder := filepath.Join(path...)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestLocate_Order(t *testing.T) {
	root := t.TempDir()
	named := binaries(t, root, "named")
	config := binaries(t, root, "config")
	onPath := binaries(t, root, "path")
	binaries(t, root, "lib", "9.6", "bin")
	newest := binaries(t, root, "lib", "16", "bin")
	empty := filepath.Join(root, "lib", "99", "bin")
	if err := os.MkdirAll(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	globs := []string{filepath.Join(root, "lib", "*", "bin")}

	env := func(value string) func(string) string { return func(string) string { return value } }
	path := func(folder string) func(string) (string, error) {
		return func(name string) (string, error) {
			if folder == "" {
				return "", exec.ErrNotFound
			}
			return filepath.Join(folder, name), nil
		}
	}
	said := func(folder string) func() string { return func() string { return folder } }

	tests := []struct {
		name         string
		env          string
		config, path string
		globs        []string
		want         string
		wantErr      string
	}{
		{name: "the variable wins", env: named, config: config, path: onPath, globs: globs, want: named},
		{name: "a wrong variable is an error", env: empty, config: config, wantErr: BinEnv},
		{name: "then pg_config", config: config, path: onPath, globs: globs, want: config},
		{name: "a pg_config without a server is passed over", config: empty, path: onPath, globs: globs, want: onPath},
		{name: "then the newest of the usual places", globs: globs, want: newest},
		{name: "nothing", wantErr: "apt install postgresql"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := locate(env(test.env), path(test.path), said(test.config), test.globs)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("err = %v, want one that names %q", err, test.wantErr)
				}
				return
			}
			if err != nil || got != test.want {
				t.Fatalf("locate = %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestLocate_NothingIsErrNotFound(t *testing.T) {
	_, err := locate(func(string) string { return "" }, func(string) (string, error) { return "", exec.ErrNotFound }, func() string { return "" }, nil)
	if !errors.Is(err, ErrNotFound) {
		t.Fatalf("err = %v", err)
	}
}
