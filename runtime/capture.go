package runtime

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/idemgen/idemgen/runtime/policy"
)

// ErrAnswerTooLarge is returned to an untyped handler that writes more than [WithMaxResponseBody] allows.
var ErrAnswerTooLarge = Explain("the answer is too large to be held until the commit", nil)

// Handler serves op with an untyped handler, which writes to w as any http.Handler does. What it writes is held until the
// commit, then sent whole. Streaming is refused: w is no http.Flusher, and flushing or hijacking it through
// http.ResponseController gives [ErrStreaming], after which nothing is committed. An error that work returns discards
// what was written.
//
// Handler panics when op cannot be registered, as http.ServeMux does for a pattern that it cannot serve, and when op's
// replays are rebuilt: what rebuilds them is set by [Call.Current], which an untyped handler has no place for.
func (e *Engine[TX]) Handler(op *Operation, work func(ctx context.Context, w http.ResponseWriter, r *http.Request, tx TX) error) http.Handler {
	if err := e.Register(op); err != nil {
		panic(fmt.Sprintf("runtime.Handler: %v", err))
	}
	if op.Policy.Replay.As == policy.Current {
		panic(fmt.Sprintf("runtime.Handler: operation %q has replay.as: current: use Engine.Begin, Call.Current and Call.Transaction", op.ID))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, ok := e.Begin(w, r, op)
		if !ok {
			return
		}
		call.Transaction(func(ctx context.Context, tx TX) (Response, error) {
			captured := &recorder{header: http.Header{}, limit: e.settings.maxResponseBody}
			if err := work(ctx, captured, call.Request(), tx); err != nil {
				return Response{}, err
			}
			return captured.response()
		})
	})
}

// recorder is an http.ResponseWriter that keeps what is written.
type recorder struct {
	header http.Header
	sent   http.Header // the headers as they were at WriteHeader
	status int
	body   []byte
	limit  int64
	err    error // the first refusal; it sticks
}

func (r *recorder) Header() http.Header { return r.header }

// WriteHeader takes the first final status; informational ones are dropped, as they would be sent before the commit.
func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	if !finalStatus(status) {
		_ = r.refuse(Explain(fmt.Sprintf("the handler wrote status %d", status), ErrStreaming))
	}
	r.status = status
	r.sent = r.header.Clone()
}

func (r *recorder) Write(data []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if r.err != nil {
		return 0, r.err
	}
	if noBody(r.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if int64(len(r.body))+int64(len(data)) > r.limit {
		return 0, r.refuse(ErrAnswerTooLarge)
	}
	r.body = append(r.body, data...)
	return len(data), nil
}

// FlushError refuses a flush through http.ResponseController.
func (r *recorder) FlushError() error { return r.refuse(ErrStreaming) }

// Hijack refuses to give the connection away.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, r.refuse(ErrStreaming)
}

func (r *recorder) refuse(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// response is what was written, 200 without a body if nothing was.
func (r *recorder) response() (Response, error) {
	if r.err != nil {
		return Response{}, r.err
	}
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	for name := range r.header { // set after WriteHeader: a trailer, if it was announced so
		if len(name) > len(http.TrailerPrefix) && name[:len(http.TrailerPrefix)] == http.TrailerPrefix {
			return Response{}, ErrStreaming
		}
	}
	return Response{Status: r.status, Header: r.sent, Body: r.body}, nil
}
