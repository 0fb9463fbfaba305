//go:build unix

package crash

import (
	"bytes"
	"context"
	"encoding/hex"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// wire stands between the service's pool and the database. It cuts a connection with the next write that carries a key,
// and delays what is sent.
type wire struct {
	armed   atomic.Int32 // how many cuts there are, so that a write without any costs nothing
	delay   atomic.Int64 // before each write, in nanoseconds
	delayed atomic.Int64 // until when, in Unix nanoseconds

	mu   sync.Mutex
	cuts map[string]cut // by key
}

type cut struct {
	kind     FaultKind
	fraction float64
	done     func() // called when it has happened
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

// arm has the next write that carries key cut.
func (w *wire) arm(key string, c cut) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cuts == nil {
		w.cuts = map[string]cut{}
	}
	w.cuts[key] = c
	w.armed.Store(int32(len(w.cuts)))
}

// slow delays every write by d for the given time.
func (w *wire) slow(d, lasting time.Duration) {
	w.delay.Store(int64(d))
	w.delayed.Store(time.Now().Add(lasting).UnixNano())
}

// take returns the cut that is meant for p, once.
func (w *wire) take(p []byte) (cut, bool) {
	if w.armed.Load() == 0 {
		return cut{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, c := range w.cuts {
		if bytes.Contains(p, []byte(key)) || bytes.Contains(p, []byte(hex.EncodeToString([]byte(key)))) {
			delete(w.cuts, key)
			w.armed.Store(int32(len(w.cuts)))
			return c, true
		}
	}
	return cut{}, false
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
	if d := c.wire.delay.Load(); d > 0 && time.Now().UnixNano() < c.wire.delayed.Load() {
		time.Sleep(time.Duration(d))
	}
	cut, ok := c.wire.take(p)
	if !ok {
		return c.Conn.Write(p)
	}
	defer cut.done()
	switch cut.kind {
	case CutBefore:
		_ = c.Close()
		return 0, net.ErrClosed
	case CutHalf:
		n, _ := c.Conn.Write(p[:int(cut.fraction*float64(len(p)))])
		_ = c.Close()
		return n, net.ErrClosed
	default: // CutAfter
		c.deaf.Store(true)
		n, err := c.Conn.Write(p)
		// The server answers when it has done all of it. Cut any sooner, pgx would ask it to cancel what it still does.
		_, _ = c.Conn.Read(make([]byte, 1))
		_ = c.Close()
		return n, err
	}
}
