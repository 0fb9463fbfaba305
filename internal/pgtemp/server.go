package pgtemp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// errPortTaken: somebody else took the port that was free a moment ago.
var errPortTaken = errors.New("its port was taken by another program")

// Options changes how [Start] sets a server up. The zero value is right for tests.
type Options struct {
	// BinDir is the folder of initdb and postgres; empty: [Locate] finds it.
	BinDir string
	// Durable keeps fsync and full-page writes on, as a server in production has them. Off, a crash of the machine would
	// lose data, which no test needs; nothing that a client can see differs.
	Durable bool
	// Settings are server parameters, for example {"wal_level": "replica"}. They win over the defaults.
	Settings map[string]string
}

// Server is a running PostgreSQL server of one's own. Its methods are safe for concurrent use.
type Server struct {
	// URL connects as superuser over TCP on 127.0.0.1, to the database "postgres".
	URL string
	// SocketURL connects over the Unix socket. It is empty where the temporary folder's path is too long for one.
	SocketURL string

	folder  string
	port    int
	process *process
}

const (
	superuser = "postgres"
	// attempts is how often another port is tried when somebody else takes the one that was free a moment ago.
	attempts = 3
	// maxSocketPath is the shortest limit of sockaddr_un among the systems we know (macOS; Linux has 108).
	maxSocketPath = 104
)

// Start makes a new database cluster in a temporary folder and starts a server on it. It works as root as well: the
// server then runs as the user postgres, or nobody. ctx bounds the start, not the server's life.
//
// The error wraps [ErrNotFound] where the machine has no PostgreSQL.
func Start(ctx context.Context, o Options) (*Server, error) {
	bin, owner, err := o.binaries()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		server, err := start(ctx, bin, owner, o)
		if !errors.Is(err, errPortTaken) || attempt == attempts {
			return server, err
		}
	}
}

// binaries are the folder of the server's programs, and who is to run them.
func (o *Options) binaries() (bin string, _ *owner, err error) {
	if bin = o.BinDir; bin == "" {
		if bin, err = Locate(); err != nil {
			return "", nil, err
		}
	}
	owner, err := serverOwner()
	return bin, owner, err
}

func start(ctx context.Context, bin string, owner *owner, o Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "idemgen-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the server: %w", err)
	}
	server, err := startIn(ctx, folder, bin, owner, o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return server, nil
}

func startIn(ctx context.Context, folder, bin string, owner *owner, o Options) (*Server, error) {
	password, err := randomPassword()
	if err != nil {
		return nil, err
	}
	passwordFile := filepath.Join(folder, "password")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		return nil, fmt.Errorf("write the server's password: %w", err)
	}
	if err := owner.own(folder, passwordFile); err != nil {
		return nil, err
	}
	if err := initCluster(ctx, folder, bin, passwordFile, owner); err != nil {
		return nil, err
	}
	return launch(ctx, folder, bin, password, owner, o)
}

// initCluster runs initdb. Passwords are asked for even on the loopback interface: a superuser of PostgreSQL can run
// programs, and other people may have accounts on this machine.
func initCluster(ctx context.Context, folder, bin, passwordFile string, owner *owner) error {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"--pgdata="+dataFolder(folder), "--username="+superuser, "--pwfile="+passwordFile, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir = folder
	owner.runAs(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb in %s failed: %w: %s", bin, err, lastLines(string(out)))
	}
	return nil
}

func launch(ctx context.Context, folder, bin, password string, owner *owner, o Options) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, ".s.PGSQL."+strconv.Itoa(port))
	hasSocket := len(socket) < maxSocketPath

	process, err := startProcess(folder, owner, filepath.Join(bin, "postgres"), arguments(folder, port, hasSocket, o))
	if err != nil {
		return nil, err
	}
	server := &Server{URL: tcpURL(password, port), folder: folder, port: port, process: process}
	if hasSocket {
		server.SocketURL = socketURL(password, folder, port)
	}
	if err := server.awaitReady(ctx); err != nil {
		log := lastLines(process.log())
		process.stop()
		if strings.Contains(log, "could not bind") {
			err = errPortTaken
		}
		return nil, fmt.Errorf("the PostgreSQL server in %s did not start: %w: %s", bin, err, log)
	}
	return server, nil
}

// arguments are the server's command line, in a fixed order.
func arguments(folder string, port int, hasSocket bool, o Options) []string {
	settings := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(port),
		"unix_socket_directories": "",
		"logging_collector":       "off",
		"max_connections":         "200",
		"TimeZone":                "UTC",
	}
	if hasSocket {
		settings["unix_socket_directories"] = folder
	}
	if !o.Durable {
		settings["fsync"] = "off"
		settings["full_page_writes"] = "off"
	}
	for name, value := range o.Settings {
		settings[name] = value
	}
	args := []string{"-D", dataFolder(folder)}
	for _, name := range sortedNames(settings) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// awaitReady returns once a client can log in.
func (s *Server) awaitReady(ctx context.Context) error {
	const pause = 10 * time.Millisecond
	for {
		conn, err := pgx.Connect(ctx, s.URL)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.process.ended:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// Port is the server's TCP port on 127.0.0.1.
func (s *Server) Port() int { return s.port }

// Restart stops the server as a crash would and starts it again on the same data and port: for tests of what a
// restart does to clients. Open connections break.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.process.crash(); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

// Stop ends the server without ceremony and removes its folder. Stopping twice does nothing.
func (s *Server) Stop() {
	s.process.stop()
	_ = os.RemoveAll(s.folder) // the process has removed it already unless it had to be killed
}

func dataFolder(folder string) string { return filepath.Join(folder, "data") }

func tcpURL(password string, port int) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path:     "/postgres",
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

func socketURL(password, folder string, port int) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, password),
		Path:     "/postgres",
		RawQuery: url.Values{"host": {folder}, "port": {strconv.Itoa(port)}}.Encode(),
	}
	return u.String()
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

func randomPassword() (string, error) {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", fmt.Errorf("make a password: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

func sortedNames(settings map[string]string) []string {
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// lastLines keeps an error message short: what a server says last is why it stopped.
func lastLines(text string) string {
	const keep = 5
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > keep {
		lines = lines[len(lines)-keep:]
	}
	return strings.Join(lines, "; ")
}
