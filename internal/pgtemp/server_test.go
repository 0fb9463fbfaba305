package pgtemp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// begin starts a server, or skips where there is none to start.
func begin(t *testing.T, o Options) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := Start(ctx, o)
	if errors.Is(err, ErrNotFound) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var answer string
	if err := conn.QueryRow(context.Background(), sql).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestStart_ServesOverTCPAndSocket(t *testing.T) {
	start := time.Now()
	server := begin(t, Options{Settings: map[string]string{"work_mem": "7MB"}})
	t.Logf("started in %v", time.Since(start))
	urls := []string{server.URL}
	if server.SocketURL != "" {
		urls = append(urls, server.SocketURL)
	}
	for _, url := range urls {
		if got := query(t, url, "SHOW work_mem"); got != "7MB" {
			t.Errorf("work_mem = %s over %s", got, url)
		}
		if got := query(t, url, "SHOW fsync"); got != "off" {
			t.Errorf("fsync = %s", got)
		}
	}
}

func TestStart_DurableKeepsFsync(t *testing.T) {
	server := begin(t, Options{Durable: true})
	for _, setting := range []string{"fsync", "full_page_writes"} {
		if got := query(t, server.URL, "SHOW "+setting); got != "on" {
			t.Errorf("%s = %s", setting, got)
		}
	}
}

func TestStart_AsksForThePassword(t *testing.T) {
	server := begin(t, Options{})
	config, err := pgx.ParseConfig(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "guessed"
	if conn, err := pgx.ConnectConfig(context.Background(), config); err == nil {
		_ = conn.Close(context.Background())
		t.Fatal("connected with a wrong password")
	}
}

func TestStop_LeavesNothing(t *testing.T) {
	server := begin(t, Options{})
	server.Stop()
	server.Stop()
	if _, err := os.Stat(server.folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := pgx.Connect(context.Background(), server.URL); err == nil {
		t.Error("the server still answers")
	}
}

func TestRestart_KeepsData(t *testing.T) {
	server := begin(t, Options{})
	conn, err := pgx.Connect(context.Background(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), "CREATE TABLE kept AS SELECT 'yes' AS answer"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := server.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, server.URL, "SELECT answer FROM kept"); got != "yes" {
		t.Errorf("kept = %s", got)
	}
	if conn.Ping(context.Background()) == nil {
		t.Error("a connection outlived the restart")
	}
}

func TestStart_WrongSettingSaysWhy(t *testing.T) {
	begin(t, Options{}).Stop() // skips where there is no server
	_, err := Start(context.Background(), Options{Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Fatalf("err = %v", err)
	}
}

func TestStart_GivesUpWithItsContext(t *testing.T) {
	begin(t, Options{}).Stop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if server, err := Start(ctx, Options{}); err == nil {
		server.Stop()
		t.Fatal("started under a cancelled context")
	}
}

// TestParentKilled runs this test again in a second process, kills that, and looks for what it left.
func TestParentKilled_LeavesNoServer(t *testing.T) {
	if os.Getenv("PGTEMP_VICTIM") == "1" {
		server := begin(t, Options{})
		_, _ = os.Stdout.WriteString("victim " + server.folder + " " + server.URL + "\n")
		select {}
	}
	begin(t, Options{}).Stop()
	victim := exec.Command(os.Args[0], "-test.run=TestParentKilled_LeavesNoServer")
	victim.Env = append(os.Environ(), "PGTEMP_VICTIM=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var folder, url string
	buffer := make([]byte, 4096)
	n, err := out.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(buffer[:n]))
	if len(fields) < 3 || fields[0] != "victim" {
		t.Fatalf("the victim said %q", buffer[:n])
	}
	folder, url = fields[1], fields[2]
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(folder); os.IsNotExist(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the folder of a killed process is still there")
		}
	}
	if _, err := pgx.Connect(context.Background(), url); err == nil {
		t.Error("the server of a killed process still answers")
	}
}
