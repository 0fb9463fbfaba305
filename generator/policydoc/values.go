package policydoc

import (
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What a page says of a policy, for others who have to say the same.

// Duration is a duration in ISO 8601, as x-idempotency takes it: PT24H, P7D, PT0.5S.
func Duration(d time.Duration) string { return isoDuration(d) }

// DurationInWords is a duration as the page has it: 24 hours.
func DurationInWords(d time.Duration) string { return inWords(d) }

// SizeInWords is a number of bytes as the page has it: 1 MiB.
func SizeInWords(bytes int64) string { return inBytes(bytes) }

// KeptHeaders are the headers of a first answer that a repetition has, sorted: those that are always kept and the policy's.
func KeptHeaders(p *policy.Policy) []string { return keptHeaders(p) }

// RetryAfter is what Retry-After says, in whole seconds, of a request that is at work.
func RetryAfter(p *policy.Policy) int64 { return retryAfter(p) }
