package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime"
)

// partner is another company's service, which does a thing once for each key and can be asked about a key.
type partner struct {
	url    string // of its things, such as http://bank.example/transfers
	client *http.Client
}

// receipt is what a partner has done, or why it has refused to. Both are final, so both are results: an error would say that
// nobody knows.
type receipt struct {
	ID      string `json:"id"`
	Refused string `json:"refused,omitempty"`
}

// ask has the partner do what body describes, once for the key of out.
func (p partner) ask(ctx context.Context, out *runtime.Outbound, body any) (receipt, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return receipt{}, runtime.NoEffect(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(encoded))
	if err != nil {
		return receipt{}, runtime.NoEffect(err)
	}
	req.Header.Set("Content-Type", "application/json")
	out.SetHeaders(req.Header)
	// An error of dialling alone would not do: net/http sends a request with this header again by itself when its connection
	// is lost, so the error may be that of a second try.
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	r, found, err := p.send(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	switch {
	case err != nil && !connected.Load():
		return receipt{}, runtime.NoEffect(err) // nobody was there to do anything
	case err == nil && !found:
		err = errors.New("the answer's status is 404")
	}
	return r, err
}

// reconcile asks what became of an interrupted step. Where the partner does not know its key the step is run again, which
// is right even if the first call is still on its way: it has the same key, and the partner does the thing once.
func (p partner) reconcile(ctx context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/"+url.PathEscape(step.Key()), nil)
	if err != nil {
		return runtime.Unknown(), err
	}
	r, found, err := p.send(req)
	switch {
	case err != nil:
		return runtime.Unknown(), err
	case found:
		return runtime.Done(r), nil
	default:
		return runtime.NotDone(), nil
	}
}

// send is one exchange. found is false where the partner does not know what it is asked about.
func (p partner) send(req *http.Request) (r receipt, found bool, err error) {
	res, err := p.client.Do(req)
	if err != nil {
		return receipt{}, false, err
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusOK:
		if err = json.NewDecoder(res.Body).Decode(&r); err == nil && r == (receipt{}) {
			err = errors.New("the answer is no receipt")
		}
		return r, err == nil, err
	case http.StatusNotFound:
		return receipt{}, false, nil
	default:
		return receipt{}, false, fmt.Errorf("the answer's status is %d", res.StatusCode)
	}
}
