package pgstore_test

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// wire is put between a pool and the server. It counts and delays what the client sends, and cuts connections.
type wire struct {
	writes atomic.Int64 // each write is a round trip begun: pgx sends a pipeline as one
	delay  atomic.Int64 // before each write, in nanoseconds
	cut    atomic.Int32 // what the next write comes to, after those of skip; reset by it
	skip   atomic.Int32 // how many writes go through before the cut
}

const (
	cutNever  int32 = iota
	cutBefore       // nothing arrives
	cutAfter        // all of it arrives, and no answer comes back
	cutHalf         // the first half arrives
)

// cutNext has the connection cut at the next write but skip.
func (w *wire) cutNext(cut int32, skip int) {
	w.skip.Store(int32(skip))
	w.cut.Store(cut)
}

// attach makes config's connections go through w.
func (w *wire) attach(config *pgxpool.Config) {
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &wireConn{Conn: conn, wire: w}, nil
	}
}

type wireConn struct {
	net.Conn
	wire *wire
	deaf atomic.Bool // no answer comes back any more
}

func (c *wireConn) Read(p []byte) (int, error) {
	if c.deaf.Load() {
		return 0, net.ErrClosed
	}
	return c.Conn.Read(p)
}

func (c *wireConn) Write(p []byte) (int, error) {
	c.wire.writes.Add(1)
	if d := c.wire.delay.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	cut := cutNever
	if c.wire.cut.Load() != cutNever && c.wire.skip.Add(-1) < 0 {
		cut = c.wire.cut.Swap(cutNever)
	}
	switch cut {
	case cutBefore:
		_ = c.Close()
	case cutHalf:
		n, _ := c.Conn.Write(p[:len(p)/2])
		_ = c.Close()
		return n, net.ErrClosed
	case cutAfter:
		c.deaf.Store(true)
		n, err := c.Conn.Write(p)
		// The server answers when it has done all of it. Cut any sooner, pgx would ask it to cancel what it still does.
		_, _ = c.Conn.Read(make([]byte, 1))
		_ = c.Close()
		return n, err
	}
	return c.Conn.Write(p)
}
