package pgtemp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// BinEnv names the environment variable that says where the binaries are. When it is set nothing else is searched.
const BinEnv = "IDEMGEN_POSTGRES_BIN"

// ErrNotFound is wrapped by the error of [Start] on a machine without PostgreSQL.
var ErrNotFound = errors.New("no PostgreSQL server found on this machine")

// usualFolders are globs of where packages, Homebrew and source builds put the binaries.
var usualFolders = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // the PGDG packages of Red Hat and its kin
	"/usr/libexec/postgresql*",          // Alpine
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew on ARM
	"/usr/local/opt/postgresql*/bin",    // Homebrew on Intel
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin", // make install
}

// Locate returns the folder that holds initdb and postgres: the one BinEnv names, else what pg_config says, else the
// PATH, else the newest in the usual places.
func Locate() (string, error) {
	return locate(os.Getenv, exec.LookPath, pgConfigFolder, usualFolders)
}

func locate(getenv func(string) string, lookPath func(string) (string, error), pgConfig func() string, globs []string) (string, error) {
	if folder := getenv(BinEnv); folder != "" {
		if !holdsServer(folder) {
			return "", fmt.Errorf("%s is %q, which does not hold initdb and postgres; set it to the folder that does, or unset it", BinEnv, folder)
		}
		return folder, nil
	}
	if folder := pgConfig(); folder != "" && holdsServer(folder) {
		return folder, nil
	}
	if postgres, err := lookPath("postgres"); err == nil {
		if folder := realFolder(postgres); holdsServer(folder) {
			return folder, nil
		}
	}
	var found []string
	for _, glob := range globs {
		folders, err := filepath.Glob(glob)
		if err != nil {
			return "", fmt.Errorf("glob %q: %w", glob, err)
		}
		for _, folder := range folders {
			if holdsServer(folder) {
				found = append(found, folder)
			}
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%w: install it (Debian and Ubuntu: apt install postgresql; macOS: brew install postgresql), or set %s to the folder that holds initdb and postgres", ErrNotFound, BinEnv)
	}
	sort.SliceStable(found, func(i, j int) bool { return newer(found[i], found[j]) })
	return found[0], nil
}

// pgConfigFolder asks pg_config. The client's development package has pg_config as well, so the answer is a hint only.
func pgConfigFolder() string {
	out, err := exec.Command("pg_config", "--bindir").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func realFolder(file string) string {
	if resolved, err := filepath.EvalSymlinks(file); err == nil {
		file = resolved
	}
	return filepath.Dir(file)
}

func holdsServer(folder string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// newer compares the version numbers in two folder names: /usr/lib/postgresql/16/bin before /usr/lib/postgresql/9.6/bin.
func newer(a, b string) bool {
	return version(a) > version(b)
}

func version(folder string) float64 {
	best := -1.0
	for _, field := range strings.FieldsFunc(folder, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }) {
		if v, err := strconv.ParseFloat(field, 64); err == nil && v > best {
			best = v
		}
	}
	return best
}
