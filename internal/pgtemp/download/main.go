// Command download fetches PostgreSQL's binaries where a machine has none and its package manager cannot be asked, and
// prints the folder that holds them, for IDEMGEN_POSTGRES_BIN.
//
//	IDEMGEN_POSTGRES_BIN=$(cd internal/pgtemp/download && go run .) make test
//
// It is a module of its own, so that the library that downloads is no dependency of idemgen. It must never be run by
// root: what it fetched would run with the rights of whoever can write the folder.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

func main() {
	if err := run(os.Geteuid(), "", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "download:", err)
		os.Exit(1)
	}
}

// run prints the folder. An empty repository means the library's own.
func run(uid int, repository string, out io.Writer) error {
	if uid == 0 {
		return errors.New("not as root: install PostgreSQL with the package manager (Debian and Ubuntu: apt install postgresql)")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("find a folder for the binaries: %w", err)
	}
	folder := filepath.Join(cache, "idemgen", "postgres-"+string(embedded.V18))
	if err := fetch(folder, repository); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, filepath.Join(folder, "bin"))
	return err
}

// fetch makes folder/bin hold the server. The library downloads, checks and unpacks as the first part of a start; the
// rest of the start shows that the binaries run on this machine.
func fetch(folder, repository string) error {
	if _, err := os.Stat(filepath.Join(folder, "bin", "postgres")); err == nil {
		return nil
	}
	scratch, err := os.MkdirTemp("", "idemgen-download-")
	if err != nil {
		return fmt.Errorf("make a folder for the trial start: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	port, err := freePort()
	if err != nil {
		return err
	}
	config := embedded.DefaultConfig()
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	server := embedded.NewDatabase(config.
		Version(embedded.V18).
		BinariesPath(folder).
		CachePath(filepath.Join(scratch, "cache")).
		RuntimePath(filepath.Join(scratch, "run")).
		DataPath(filepath.Join(scratch, "data")).
		Port(port).
		Logger(io.Discard))
	if err := server.Start(); err != nil {
		return fmt.Errorf("fetch PostgreSQL %s: %w; install PostgreSQL yourself, or set IDEMGEN_POSTGRES_BIN to the folder of initdb and postgres",
			embedded.V18, errors.Join(err, os.RemoveAll(folder)))
	}
	return server.Stop()
}

func freePort() (uint32, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return uint32(port), listener.Close()
}
