package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Option sets one thing about an engine.
type Option func(*settings) error

type settings struct {
	maxRequestBody   int64
	maxRequestBodyOf map[string]int64 // by operationId
	maxResponseBody  int64
	claimTimeout     time.Duration
	commitTimeout    time.Duration
	attempts         int
	workLimit        time.Duration
	region           string
	shapes           map[string]shape // by the name of WithErrorShape
	problemBase      string
	challenge        string
	logger           *slog.Logger
	onError          func(ctx context.Context, operation string, err error)
	observer         Observer          // never nil
	secret           string            // the id of the present downstream secret; empty without any
	secrets          map[string][]byte // by id
}

// WithMaxRequestBody bounds a request's body, in bytes, as sent and as unzipped. A larger one is answered with 413, whose
// detail names the bound. With operations, which are operationIds, it is the bound of these alone, otherwise that of all
// others; an operation that no engine serves does no harm. The default is 1 MiB. A body is held in memory while its request
// is served.
func WithMaxRequestBody(bytes int64, operations ...string) Option {
	return func(s *settings) error {
		if bytes <= 0 {
			return fmt.Errorf("WithMaxRequestBody(%d): the bound must be positive", bytes)
		}
		if len(operations) == 0 {
			s.maxRequestBody = bytes
			return nil
		}
		if s.maxRequestBodyOf == nil {
			s.maxRequestBodyOf = map[string]int64{}
		}
		for _, operation := range operations {
			if operation == "" {
				return fmt.Errorf("WithMaxRequestBody(%d): an operation is empty", bytes)
			}
			s.maxRequestBodyOf[operation] = bytes
		}
		return nil
	}
}

// WithMaxResponseBody bounds what an untyped handler may write, in bytes, since an answer is held in memory until the
// commit. It is not the policy's store.maxBody, over which an answer is sent whole and not kept. The default is 64 MiB.
func WithMaxResponseBody(bytes int64) Option {
	return func(s *settings) error {
		if bytes <= 0 {
			return fmt.Errorf("WithMaxResponseBody(%d): the bound must be positive", bytes)
		}
		s.maxResponseBody = bytes
		return nil
	}
}

// WithClaimTimeout bounds how long a request waits for the store to answer at all, for a free connection above all, beside
// what the policy has it wait for another request. After it, the answer is 503. The default is 5 seconds.
func WithClaimTimeout(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("WithClaimTimeout(%v): the bound must be positive", d)
		}
		s.claimTimeout = d
		return nil
	}
}

// WithCommitTimeout bounds a commit, a rollback and the look after a commit of unknown outcome. They do not end with the
// request's context. The default is 5 seconds. No policy's retention may be shorter than twice this and the claim timeout.
func WithCommitTimeout(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("WithCommitTimeout(%v): the bound must be positive", d)
		}
		s.commitTimeout = d
		return nil
	}
}

// WithAttempts bounds how often the work of one request is run when the database asks for it to be run again. The
// default is 3.
func WithAttempts(n int) Option {
	return func(s *settings) error {
		if n < 1 {
			return fmt.Errorf("WithAttempts(%d): at least one attempt is needed", n)
		}
		s.attempts = n
		return nil
	}
}

// WithWorkLimit bounds how long one worker goes on with the work of one record in lease mode, in a request and in recovery. A
// handler that hangs would otherwise keep its lease for ever by its heartbeat, and the record would stay in progress with
// nobody told. At the limit the contexts of handler and steps end with [ErrWorkLimit], and the heartbeat stops; the log and
// [Observer] are told. What the handler returns within one lease from then on is settled as ever. One that does not return is
// left behind: its client is told that the work is not finished, its record is free to be taken over, and its goroutine, with
// what it holds, stays until it returns. So each further attempt may leave one more behind, which the log tells.
//
// The limit is longer than the slowest of the calls with their timeouts and all that goes on around them. The default is 15
// minutes: longer than the work of a request usually takes by far, and three times the longest pause before work is taken up
// again that has failed, so that what hangs is tried again in the same hour, and a person has something to find in the log.
func WithWorkLimit(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("WithWorkLimit(%v): the limit must be positive", d)
		}
		s.workLimit = d
		return nil
	}
}

// WithRegion names the region of this process, for policies that have "region" in their scope.
func WithRegion(region string) Option {
	return func(s *settings) error {
		if region == "" {
			return errors.New("WithRegion: the region is empty")
		}
		s.region = region
		return nil
	}
}

// WithProblemBase sets where the problem types that a policy does not name are documented, instead of
// [DefaultProblemBase]. The case's name is appended as it is, so base ends in "/" or "#".
func WithProblemBase(base string) Option {
	return func(s *settings) error {
		if !isURI(base) {
			return errors.New("WithProblemBase: not an absolute URI")
		}
		s.problemBase = base
		return nil
	}
}

// WithChallenge sets the WWW-Authenticate header of a 401, which RFC 9110, section 11.6.1, demands. The default is
// "Bearer".
func WithChallenge(challenge string) Option {
	return func(s *settings) error {
		if challenge == "" {
			return errors.New("WithChallenge: the challenge is empty")
		}
		s.challenge = challenge
		return nil
	}
}

// WithLogger sets where the engine reports what a client is not told: panics, unusable answers, a store that is down. It
// never logs a key or a body, and of a handler's error only the types, the SQLSTATE, names of the database's schema and
// what [Explained] errors in it say. [WithErrorObserver] gets errors whole. The default is slog.Default() at the time of [New].
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) error {
		if logger == nil {
			return errors.New("WithLogger: the logger is nil")
		}
		s.logger = logger
		return nil
	}
}

// WithErrorObserver has f called with each error that became a 500 or a 503, whole: a handler's own error, a
// [*PanicError], a store's. It replaces the log entry. Its text may repeat what the client sent. f is called from many
// goroutines.
func WithErrorObserver(f func(ctx context.Context, operation string, err error)) Option {
	return func(s *settings) error {
		if f == nil {
			return errors.New("WithErrorObserver: the function is nil")
		}
		s.onError = f
		return nil
	}
}

// WithObserver has observer told what becomes of requests, of leases and of recovery; [Observers] makes one of several. The
// default is [Unobserved].
func WithObserver(observer Observer) Option {
	return func(s *settings) error {
		if observer == nil {
			return errors.New("WithObserver: the observer is nil")
		}
		s.observer = observer
		return nil
	}
}
