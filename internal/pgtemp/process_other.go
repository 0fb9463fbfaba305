//go:build !unix

package pgtemp

import (
	"errors"
	"fmt"
	"os/exec"
)

// errSystem says what to do on a system that has no Unix shell and signals.
var errSystem = fmt.Errorf("%w that can be started here: on this system start a server yourself and set DATABASE_URL", ErrNotFound)

type owner struct{}

func serverOwner() (*owner, error) { return nil, errSystem }

func (*owner) own(...string) error { return nil }

func (*owner) runAs(*exec.Cmd) {}

type process struct{ ended chan struct{} }

func startProcess(string, *owner, string, []string) (*process, error) { return nil, errSystem }

func (*process) log() string { return "" }

func (*process) crash() error { return errors.ErrUnsupported }

func (*process) stop() {}
