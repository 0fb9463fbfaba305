package runtime

import (
	"log/slog"
	"time"
)

// DefaultProblemBase is where the problem types of the runtime are documented.
const DefaultProblemBase = "https://github.com/idemgen/idemgen/blob/main/docs/problems.md#"

// The bounds of an engine that is given no others.
const (
	defaultClaimTimeout  = 5 * time.Second
	defaultCommitTimeout = 5 * time.Second
	defaultWorkLimit     = 15 * time.Minute
)

// LeastRetention is the shortest retention that an engine with its default bounds registers. What has expired counts as
// absent: under a shorter one, a commit whose answer was lost would be taken for none, and the work run again (A6).
const LeastRetention = 2*defaultCommitTimeout + defaultClaimTimeout

// leastRetention is [LeastRetention] for other bounds.
func (s *settings) leastRetention() time.Duration { return 2*s.commitTimeout + s.claimTimeout }

func defaults() settings {
	return settings{
		maxRequestBody:  1 << 20,
		maxResponseBody: 64 << 20,
		claimTimeout:    defaultClaimTimeout,
		commitTimeout:   defaultCommitTimeout,
		attempts:        3,
		workLimit:       defaultWorkLimit,
		problemBase:     DefaultProblemBase,
		challenge:       "Bearer",
		logger:          slog.Default(),
		observer:        Unobserved{},
	}
}
