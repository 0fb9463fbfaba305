//go:build unix

package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a service under test. When it ends it is started again at once, until it is closed.
type process struct {
	settings settings
	problem  func(text string) // told of an end that nobody asked for, and of what the race detector finds

	mu      sync.Mutex
	cmd     *exec.Cmd
	input   io.Closer // closing it ends the process
	address string    // "" while it is not ready
	killed  bool      // the present end is asked for
	closed  bool
	stopped bool // by SIGSTOP
	starts  int
	ended   chan struct{} // closed when the present process has ended
	done    chan struct{} // closed when no other will be started
}

// startProcess starts a service and returns when it serves.
func startProcess(s settings, problem func(string)) (*process, error) {
	p := &process{settings: s, problem: problem, done: make(chan struct{})}
	p.mu.Lock()
	err := p.start()
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	const patience = 30 * time.Second
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if p.url() != "" {
			return p, nil
		}
	}
	p.close()
	return nil, fmt.Errorf("service %d did not become ready within %v", s.Victim, patience)
}

// start begins one process and sees to its end. The mutex is held.
func (p *process) start() error {
	text, err := json.Marshal(p.settings)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), environment+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in a terminal is for us, and we end it
	output := &tail{}
	cmd.Stderr = output
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a service: %w", err)
	}
	p.cmd, p.input, p.address, p.killed, p.stopped, p.ended = cmd, input, "", false, false, make(chan struct{})
	p.starts++
	go p.attend(cmd, stdout, output, p.ended)
	return nil
}

// attend waits for a process to be ready, then for its end, and starts the next.
func (p *process) attend(cmd *exec.Cmd, stdout io.Reader, output *tail, ended chan struct{}) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			p.mu.Lock()
			p.address = address
			p.mu.Unlock()
		}
	}
	err := cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address = ""
	close(ended)
	if text := output.String(); !p.killed && !p.closed {
		p.problem(fmt.Sprintf("service %d ended by itself: %v: %s", p.settings.Victim, err, text))
	} else if strings.Contains(text, "DATA RACE") {
		p.problem(fmt.Sprintf("service %d: %s", p.settings.Victim, text))
	}
	if p.closed {
		close(p.done)
		return
	}
	if err := p.start(); err != nil {
		p.problem(err.Error())
		close(p.done)
	}
}

// url is where it serves; "" while it does not.
func (p *process) url() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.address == "" {
		return ""
	}
	return "http://" + p.address
}

// kill ends it by SIGKILL, and returns when it has ended.
func (p *process) kill() {
	p.mu.Lock()
	p.killed = true
	ended := p.ended
	_ = p.cmd.Process.Kill() // it may have ended just now
	p.mu.Unlock()
	<-ended
}

// stop has it stand still. It is false where it does already.
func (p *process) stop() (wake func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.address == "" {
		return nil, false
	}
	cmd := p.cmd
	if cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return nil, false
	}
	p.stopped = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = cmd.Process.Signal(syscall.SIGCONT) // it may have been killed meanwhile
		if p.cmd == cmd {
			p.stopped = false
		}
	}, true
}

// close ends it for good.
func (p *process) close() {
	p.mu.Lock()
	p.closed = true
	_ = p.input.Close()
	_ = p.cmd.Process.Kill()
	p.mu.Unlock()
	<-p.done
}

// tail keeps the last of what is written to it.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if extra := t.text.Len() - 2*tailSize; extra > 0 {
		t.text.Next(extra + tailSize)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
