package pgstore_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// TestStore_PgBouncer runs the conformance suite through a real PgBouncer in transaction mode with fewer server
// connections than clients, where the machine has one.
func TestStore_PgBouncer(t *testing.T) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("pgbouncer is not installed")
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeCacheDescribe} {
		for name, strategy := range map[string]pgstore.Strategy{"AdvisoryLock": pgstore.AdvisoryLock, "InsertFirst": pgstore.InsertFirst} {
			t.Run(mode.String()+"/"+name, func(t *testing.T) {
				conformOn(t, bouncer(t, program, database(t)), func(c *pgxpool.Config) {
					c.ConnConfig.DefaultQueryExecMode = mode
				}, pgstore.WithStrategy(strategy))
			})
		}
	}
}

// bouncer starts a PgBouncer before the database at target and returns the URL through it.
func bouncer(t *testing.T, program, target string) string {
	t.Helper()
	to, err := url.Parse(target)
	must(t, err)
	password, _ := to.User.Password()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	must(t, listener.Close())

	folder, err := os.MkdirTemp("", "idemgen-bouncer-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	config := filepath.Join(folder, "pgbouncer.ini")
	must(t, os.WriteFile(config, []byte(fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s password=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
unix_socket_dir =
logfile = %s
`, to.Hostname(), to.Port(), to.User.Username(), password, port, filepath.Join(folder, "log"))), 0o600))

	args := []string{config}
	if os.Geteuid() == 0 { // which PgBouncer refuses to stay
		nobody, err := user.Lookup("nobody")
		must(t, err)
		uid, err := strconv.Atoi(nobody.Uid)
		must(t, err)
		gid, err := strconv.Atoi(nobody.Gid)
		must(t, err)
		must(t, errors.Join(os.Chown(folder, uid, gid), os.Chown(config, uid, gid)))
		args = []string{"-u", "nobody", config}
	}
	process := exec.Command(program, args...)
	must(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(folder, "log"))
			t.Fatalf("pgbouncer does not listen: %s", log)
		}
	}
	to.Host = address
	return to.String()
}
