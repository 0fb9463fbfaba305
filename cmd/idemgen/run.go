package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Exit codes.
const (
	exitDone    = 0
	exitNo      = 1 // stale outputs, or findings of severity error
	exitTrouble = 2 // usage, configuration, files that cannot be read or written
)

// errNo ends a command whose answer is no and has been printed already.
var errNo = errors.New("no")

// run is the whole command with everything it takes from the process as a parameter.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	s := newSession(stdout, stderr, env)
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := errors.Join(root.ExecuteContext(ctx), s.profile.stop())
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, errTrouble):
		return exitTrouble
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "idemgen: interrupted; nothing was left half-written")
		return exitTrouble
	default:
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "idemgen: %s\n", visible(strings.TrimRight(line, "\n"), keepNothing))
		}
		return exitTrouble
	}
}
