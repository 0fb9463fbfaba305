//go:build unix

package crash

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// callTime is how long after its begin a call may still arrive at the provider. Whoever looks an effect up after that time
// finds all that there will be.
const callTime = 150 * time.Millisecond

// call asks the provider for what a step does.
func (s *service) call(intent string) func(context.Context, *runtime.Outbound) (receipt, error) {
	return func(ctx context.Context, out *runtime.Outbound) (receipt, error) {
		s.control.at(intent, callPoints[out.Step][0])
		r, err := s.ask(ctx, http.MethodPost, intent, out)
		if err == nil {
			s.control.at(intent, callPoints[out.Step][1])
		}
		return r, err
	}
}

// reconcile tells what became of a call. A provider that knows a call again is simply called again.
func (s *service) reconcile(ctx context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
	s.control.at(step.ClientKey, OnReconcile)
	if s.Kind == Deduplicating {
		return runtime.NotDone(), nil
	}
	select {
	case <-time.After(callTime + callTime/10): // an earlier call may be on its way
	case <-ctx.Done():
		return runtime.Unknown(), ctx.Err()
	}
	found, err := s.ask(ctx, http.MethodGet, step.ClientKey, &step.Outbound)
	switch {
	case err == nil:
		return runtime.Done(found), nil
	case err == errNotFound:
		return runtime.NotDone(), nil
	}
	return runtime.Unknown(), err
}

type callError string

func (e callError) Error() string { return string(e) }

const errNotFound = callError("the provider has done no such thing")

func (s *service) ask(ctx context.Context, method, intent string, out *runtime.Outbound) (receipt, error) {
	deadline := time.Now().Add(callTime)
	if err := ctx.Err(); err != nil {
		return receipt{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.Provider+"/"+out.Step, nil)
	if err != nil {
		return receipt{}, err
	}
	// net/http sends a request with this header again by itself when a connection is lost, so it is for those who know it.
	if s.Kind == Deduplicating {
		out.SetHeaders(r.Header)
	}
	if s.Kind == Deduplicating && s.Off == NoDerivedKey {
		r.Header.Set(keyHeader, rand.Text())
	}
	r.Header.Set(intentHeader, intent)
	r.Header.Set(deadlineHeader, strconv.FormatInt(deadline.UnixNano(), 10))
	resp, err := s.client.Do(r)
	if err != nil {
		return receipt{}, fmt.Errorf("call the provider: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound && method == http.MethodGet:
		return receipt{}, errNotFound
	case resp.StatusCode == http.StatusServiceUnavailable:
		return receipt{}, runtime.NoEffect(fmt.Errorf("the provider says %s", resp.Status))
	case resp.StatusCode != http.StatusOK:
		return receipt{}, fmt.Errorf("the provider says %s", resp.Status)
	}
	var done receipt
	if err := json.NewDecoder(resp.Body).Decode(&done); err != nil {
		return receipt{}, fmt.Errorf("read the provider's answer: %w", err)
	}
	return done, nil
}
