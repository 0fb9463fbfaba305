//go:build unix

package crash

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// reply is what a client got.
type reply struct {
	status   int
	body     string
	replayed bool
}

// final says whether a client asks no more: 409 and 5xx are the answers that tell it to come back.
func (r reply) final() bool {
	return r.status != http.StatusConflict && r.status < http.StatusInternalServerError
}

// caller sends requests to the services of a [site].
type caller struct {
	client *http.Client
	try    time.Duration // how long one request may take
}

func newCaller(try time.Duration) *caller {
	return &caller{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128, IdleConnTimeout: time.Minute}}, try: try}
}

// once sends a request once.
func (c *caller) once(ctx context.Context, base, path, key string, amount int) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, c.try)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(fmt.Appendf(nil, `{"amount":%d}`, amount)))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Authorization", "Bearer acct_1")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(keyHeader, key)
	resp, err := c.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	return reply{resp.StatusCode, string(body), resp.Header.Get(replayedHeader) == "true"}, nil
}

// until sends a request to one service or another, with the same key, until the answer is final or ctx ends.
func (c *caller) until(ctx context.Context, site *site, path, key string, amount int, pause func() time.Duration) (reply, error) {
	last := fmt.Errorf("no service was there")
	for {
		if base := site.processes[rand.IntN(len(site.processes))].url(); base != "" {
			r, err := c.once(ctx, base, path, key, amount)
			if err == nil && r.final() {
				return r, nil
			}
			if last = err; err == nil {
				last = fmt.Errorf("the last answer was %d %s", r.status, r.body)
			}
		}
		select {
		case <-ctx.Done():
			return reply{}, last
		case <-time.After(pause()):
		}
	}
}
