// Command e2e is golangci-lint with the idemvet plugin in it, for tests of the plugin alone.
//
// golangci-lint is under the GPL, version 3: this program is a test artefact, built in a test's temporary folder, and neither it nor a binary of it is ever shipped. The plugin does not import golangci-lint. Users build theirs with "golangci-lint custom".
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/idemgen/idemgen/analyzer/golangci"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{Version: "v2.15.0", GoVersion: "unknown", Commit: "unknown", Date: "unknown"}); err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(exitcodes.Failure)
	}
}
