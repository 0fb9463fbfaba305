//go:build unix

package crash

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// site is a database, a provider, and two or more processes of the service between them.
type site struct {
	kind      ProviderKind
	provider  *provider
	pool      *pgxpool.Pool
	processes []*process
	web       []*http.Server
}

// siteSettings say how a site is made.
type siteSettings struct {
	kind      ProviderKind
	database  string
	processes int
	conns     int32 // of each process
	off       Switch
	director  *director
	// watched: the processes say where they are.
	watched bool
	problem func(string)
}

func openSite(ctx context.Context, server *pgtemp.Server, s siteSettings) (_ *site, err error) {
	at := &site{kind: s.kind}
	defer func() {
		if err != nil {
			at.close()
		}
	}()
	databaseURL, err := createDatabase(ctx, server.URL, s.database)
	if err != nil {
		return nil, err
	}
	if at.pool, err = pgxpool.New(ctx, databaseURL); err != nil {
		return nil, fmt.Errorf("open a pool: %w", err)
	}
	if err := pgstore.Migrate(ctx, at.pool, ""); err != nil {
		return nil, err
	}
	if _, err := at.pool.Exec(ctx, tables); err != nil {
		return nil, fmt.Errorf("make the business tables: %w", err)
	}
	at.provider = newProvider(s.kind, 2*s.director.lease, s.director.providerFault)
	providerURL, err := at.serve(at.provider)
	if err != nil {
		return nil, err
	}
	directorURL := ""
	if s.watched {
		if directorURL, err = at.serve(s.director); err != nil {
			return nil, err
		}
	}
	for range s.processes {
		s.director.mu.Lock()
		number := len(s.director.processes)
		s.director.mu.Unlock()
		p, err := startProcess(settings{
			Victim: number, Database: databaseURL, Provider: providerURL, Kind: s.kind, Director: directorURL,
			Lease: s.director.lease, Conns: s.conns, Off: s.off,
		}, s.problem)
		if err != nil {
			return nil, err
		}
		at.processes = append(at.processes, p)
		s.director.mu.Lock()
		s.director.processes = append(s.director.processes, p)
		s.director.mu.Unlock()
	}
	return at, nil
}

// serve serves h on a free port.
func (s *site) serve(h http.Handler) (base string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen: %w", err)
	}
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	s.web = append(s.web, web)
	go func() { _ = web.Serve(listener) }() // until it is closed
	return "http://" + listener.Addr().String(), nil
}

// close ends the processes and what they talk to.
func (s *site) close() {
	for _, p := range s.processes {
		p.close()
	}
	for _, web := range s.web {
		_ = web.Close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
}

func createDatabase(ctx context.Context, server, name string) (string, error) {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", fmt.Errorf("connect to the server: %w", err)
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return "", fmt.Errorf("create a database: %w", err)
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("the server's URL: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}
