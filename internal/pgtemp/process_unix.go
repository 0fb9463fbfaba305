//go:build unix

package pgtemp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// owner is the account that the server runs under. The zero value is our own.
type owner struct {
	uid, gid uint32
	other    bool
}

// serverOwner picks an account: ours, or when we are root, which PostgreSQL refuses to be run by, postgres or nobody.
func serverOwner() (*owner, error) {
	if os.Geteuid() != 0 {
		return &owner{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("account %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("account %s: %w", name, err)
		}
		return &owner{uid: uint32(uid), gid: uint32(gid), other: true}, nil
	}
	return nil, fmt.Errorf("PostgreSQL cannot be run as root, and this machine has neither an account postgres nor nobody; run as another user")
}

func (o *owner) own(paths ...string) error {
	if !o.other {
		return nil
	}
	for _, path := range paths {
		if err := os.Chown(path, int(o.uid), int(o.gid)); err != nil {
			return fmt.Errorf("give %s to the server's account: %w", path, err)
		}
	}
	return nil
}

func (o *owner) runAs(cmd *exec.Cmd) {
	// A process group of its own keeps Ctrl-C in a terminal away from the server: it is we who stop it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if o.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
}

// keeper runs the server and watches file descriptor 3, a pipe of which we hold the other end and never write to. When
// we close it, or die in whatever way, the read ends, the server is told to quit at once and its folder is removed. No
// signal of the system's own (such as Linux's parent death signal) works everywhere.
//
// A server that ends while there is a file "restart" is started again.
const keeper = `
folder=$1; shift
run() { "$@" </dev/null 3<&- & server=$!; echo $server >"$folder/pid"; }
run "$@"
{
	read -r _ <&3
	while [ -d "$folder" ]; do kill -QUIT "$(cat "$folder/pid")"; sleep 0.05; done
} 2>/dev/null &
watch=$!
wait $server
while [ -e "$folder/restart" ]; do
	rm -f "$folder/restart"
	run "$@"
	wait $server
done
rm -rf -- "$folder"
kill $watch 2>/dev/null
exit 0
`

// process is a running server with its keeper.
type process struct {
	ended chan struct{} // closed when the keeper, and so the server, has ended

	folder   string
	cmd      *exec.Cmd
	lifeline *os.File // closing it ends the server
	output   *os.File // what the server wrote; readable after the folder has gone
	once     sync.Once
}

func startProcess(folder string, owner *owner, program string, args []string) (*process, error) {
	output, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	watched, lifeline, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe for the server: %w", err), output.Close())
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", keeper, "keeper", folder, program}, args...)...)
	cmd.Dir = folder
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = []*os.File{watched}
	owner.runAs(cmd)
	err = cmd.Start()
	closed := watched.Close() // the keeper has its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), closed, lifeline.Close(), output.Close())
	}

	p := &process{ended: make(chan struct{}), folder: folder, cmd: cmd, lifeline: lifeline, output: output}
	go func() {
		_ = cmd.Wait() // how it ended is in the log
		close(p.ended)
	}()
	return p, nil
}

// log returns the last of what the server wrote.
func (p *process) log() string {
	const keep = 4096
	info, err := p.output.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), keep))
	n, _ := p.output.ReadAt(text, info.Size()-int64(len(text)))
	return string(text[:n])
}

// crash makes the server quit without cleaning up; the keeper starts it again.
func (p *process) crash() error {
	pid, err := p.serverPID()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.folder, "restart"), nil, 0o600); err != nil {
		return fmt.Errorf("ask for a restart: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("stop the server: %w", err)
	}
	const patience = 10 * time.Second
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if now, err := p.serverPID(); err == nil && now != pid {
			return nil
		}
	}
	return errors.New("the server was told to restart and did not")
}

func (p *process) serverPID() (int, error) {
	text, err := os.ReadFile(filepath.Join(p.folder, "pid"))
	if err != nil {
		return 0, fmt.Errorf("find the server's process: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return 0, fmt.Errorf("find the server's process: %q is not a process id", text)
	}
	return pid, nil
}

// stop ends server and keeper and waits for both.
func (p *process) stop() {
	p.once.Do(func() {
		const patience = 10 * time.Second
		_ = p.lifeline.Close()
		select {
		case <-p.ended:
		case <-time.After(patience):
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // the whole group that Setpgid made
			<-p.ended
		}
		_ = p.output.Close()
	})
}
