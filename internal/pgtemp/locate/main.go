// Command locate prints the folder of the PostgreSQL binaries that tests and demos use, or one sentence that says how to
// get them, with exit code 1. The Makefile asks it before it downloads any.
package main

import (
	"fmt"
	"os"

	"github.com/idemgen/idemgen/internal/pgtemp"
)

func main() {
	folder, err := pgtemp.Locate()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(folder)
}
