package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionLine tells the module's version, as the go command recorded it, and that of Go.
func versionLine() string {
	return fmt.Sprintf("idemvet %s, %s", moduleVersion(), runtime.Version())
}

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown version)"
	}
	module := info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == "github.com/idemgen/idemgen" { // built by "go tool" in another module
			module = *dependency
		}
	}
	if module.Version == "" {
		return "(devel)"
	}
	return module.Version
}
