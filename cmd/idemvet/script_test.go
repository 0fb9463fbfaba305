package main

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the expected output in scripts anew")

// TestMain lets scripts run idemvet as a process of its own: the test binary is the command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idemvet": main})
}

func TestScripts(t *testing.T) {
	// What the go command needs to work without a network, from the machine's own caches.
	var goEnv []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		goEnv = append(goEnv, name+"="+string(value[:len(value)-1]))
	}
	// go vet runs a tool by its path, and asks a test binary for the version of the tool that it is.
	tool := t.TempDir() + "/idemvet"
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// One module has a bug of each kind; the tests of the golangci-lint plugin use it too.
	sample, err := filepath.Abs("../../analyzer/golangci/e2e/testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, goEnv...)
			env.Vars = append(env.Vars, "TOOL="+tool, "SAMPLE="+sample, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command that ends with a certain code: "exits 3 idemvet ./...".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("%v ended with %d, not %d", args[1:], code, want)
	}
}
