package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// session is what all commands share: the streams, and the flags that say how a run talks.
type session struct {
	stdout, stderr io.Writer
	env            func(string) (string, bool)

	format  string // text, json, github
	colour  string // auto, always, never
	verbose bool
	profile profile
	// resultOnStdout is set by commands whose result goes to stdout: findings then stay away from it.
	resultOnStdout bool
}

func newSession(stdout, stderr io.Writer, env func(string) (string, bool)) *session {
	return &session{stdout: stdout, stderr: stderr, env: env}
}

// errTrouble ends a command that cannot do its work and has said so already.
var errTrouble = errors.New("trouble")

// moreFormats is the annotation of a command that prints more than text, json and github: their names, with spaces between.
const moreFormats = "formats"

// check looks at the flags that every command has. more are the formats that this command alone has.
func (s *session) check(more string) error {
	if formats := append([]string{"text", "json", "github"}, strings.Fields(more)...); !slices.Contains(formats, s.format) {
		last := len(formats) - 1
		return fmt.Errorf("--format %s: known are %s and %s", s.format, strings.Join(formats[:last], ", "), formats[last])
	}
	if colours := []string{"auto", "always", "never"}; !slices.Contains(colours, s.colour) {
		return fmt.Errorf("--color %s: known are auto, always and never", s.colour)
	}
	return nil
}

// colourOn follows --color, then NO_COLOR (https://no-color.org), then whether w is a terminal that can show any.
func (s *session) colourOn(w io.Writer) bool {
	switch s.colour {
	case "always":
		return true
	case "never":
		return false
	}
	return !s.set("NO_COLOR") && s.capable(w)
}

// capable reports whether w is a terminal that obeys escape sequences.
func (s *session) capable(w io.Writer) bool {
	kind, _ := s.env("TERM")
	return kind != "dumb" && isTerminal(w)
}

func (s *session) set(name string) bool {
	value, _ := s.env(name)
	return value != ""
}

func (s *session) newProgress() *progress {
	return newProgress(s.stderr, s.format == "text" && !s.set("CI") && s.capable(s.stderr))
}

// report prints findings for people or for GitHub. With --format json they are a part of the outcome instead.
func (s *session) report(found diag.List) {
	switch s.format {
	case "text":
		r := reporter{w: s.stderr, colour: s.colourOn(s.stderr), verbose: s.verbose}
		r.print(found)
	case "github":
		writeGitHub(s.machine(), found)
	}
}

// outcome prints the outcome of a run in --format json.
func (s *session) outcome(o outcome) error {
	if s.format != "json" {
		return nil
	}
	return writeJSON(s.machine(), o)
}

// machine is where findings go that a program reads.
func (s *session) machine() io.Writer {
	if s.resultOnStdout {
		return s.stderr
	}
	return s.stdout
}

// say prints a line for people, and for people only.
func (s *session) say(w io.Writer, format string, args ...any) {
	if s.format != "json" {
		fmt.Fprintf(w, format+"\n", args...)
	}
}
