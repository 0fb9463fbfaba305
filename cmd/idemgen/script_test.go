package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the expected output in scripts and golden files anew")

// TestMain lets scripts run idemgen as a process of its own: the test binary is the command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idemgen": main})
}

func TestScripts(t *testing.T) {
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// What the go command needs to work without a network, from the machine's own caches.
	var goEnv []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		goEnv = append(goEnv, name+"="+string(value[:len(value)-1]))
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(repository, "testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, goEnv...)
			env.Vars = append(env.Vars, "REPOSITORY="+repository, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
				"XDG_CACHE_HOME="+filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "root":
				return os.Geteuid() == 0, nil
			case "postgres":
				return hasPostgres(), nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "age": age, "untouched": untouched, "put": put, "gomodule": gomodule,
			"database": database(t), "working": working, "sql": sql,
		},
	})
}

// exits CODE COMMAND... runs a command that has to end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// age FILE... makes files old; untouched FILE... fails for one that was written since.
func age(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		ts.Check(os.Chtimes(ts.MkAbs(name), longAgo, longAgo))
	}
}

func untouched(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if same := info.ModTime().Equal(longAgo); same == neg {
			ts.Fatalf("%s: written %v", name, info.ModTime())
		}
	}
}

// gomodule makes the working directory a module that uses this repository, and idemgen as a tool, from what the machine
// has already: there is no network.
func gomodule(ts *testscript.TestScript, neg bool, args []string) {
	repository := ts.Getenv("REPOSITORY")
	for name, content := range moduleFiles(ts, repository) {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(content), 0o644))
	}
}

// put FILE QUOTED writes what a script file cannot hold, as a Go string literal.
func put(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: put FILE QUOTED")
	}
	content, err := strconv.Unquote(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o644))
}
