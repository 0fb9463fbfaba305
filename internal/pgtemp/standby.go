package pgtemp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Standby starts a second server that follows this one by streaming replication and answers reads. It has the same
// password and the same databases, and is promoted by SELECT pg_promote(). ALTER SYSTEM SET primary_conninfo and a reload
// cut it off. o.BinDir has to be of the same major version;
// empty takes what [Locate] finds.
//
// The copy is made by PostgreSQL's own functions and not by pg_basebackup, which packages of the server alone leave out.
func (s *Server) Standby(ctx context.Context, o Options) (*Server, error) {
	bin, owner, err := o.binaries()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "idemgen-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the standby: %w", err)
	}
	server, err := s.standbyIn(ctx, folder, bin, owner, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a standby: %w", err), os.RemoveAll(folder))
	}
	return server, nil
}

func (s *Server) standbyIn(ctx context.Context, folder, bin string, owner *owner, o Options) (*Server, error) {
	if err := owner.own(folder); err != nil {
		return nil, err
	}
	if err := s.copyTo(ctx, folder, owner); err != nil {
		return nil, err
	}
	primary, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	password, _ := primary.User.Password()
	// In the file and not on the command line, where ALTER SYSTEM could not change it.
	follow := fmt.Sprintf("primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s'\n", s.port, superuser, password)
	file := filepath.Join(dataFolder(folder), "postgresql.auto.conf")
	if err := errors.Join(os.WriteFile(file, []byte(follow), 0o600), owner.own(file)); err != nil {
		return nil, err
	}
	return launch(ctx, folder, bin, password, owner, o)
}

// copyTo copies the data folder of the running server between the start and the end of a backup, and marks the copy as a
// standby's.
func (s *Server) copyTo(ctx context.Context, folder string, owner *owner) error {
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	start, stop := "SELECT pg_backup_start('standby', true)", "SELECT labelfile FROM pg_backup_stop(false)"
	if version, err := strconv.Atoi(strings.SplitN(conn.PgConn().ParameterStatus("server_version"), ".", 2)[0]); err != nil || version < 15 {
		start, stop = "SELECT pg_start_backup('standby', true, false)", "SELECT labelfile FROM pg_stop_backup(false, false)"
	}
	if _, err := conn.Exec(ctx, start); err != nil {
		return err
	}
	cp := exec.CommandContext(ctx, "cp", "-R", "-p", dataFolder(s.folder), dataFolder(folder))
	owner.runAs(cp)
	if out, err := cp.CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data: %w: %s", err, lastLines(string(out)))
	}
	var label string
	if err := conn.QueryRow(ctx, stop).Scan(&label); err != nil {
		return err
	}
	for _, stale := range []string{"postmaster.pid", "postmaster.opts"} {
		if err := os.Remove(filepath.Join(dataFolder(folder), stale)); err != nil {
			return err
		}
	}
	for name, content := range map[string]string{"backup_label": label, "standby.signal": ""} {
		file := filepath.Join(dataFolder(folder), name)
		if err := errors.Join(os.WriteFile(file, []byte(content), 0o600), owner.own(file)); err != nil {
			return err
		}
	}
	return nil
}
