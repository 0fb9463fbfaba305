package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// identity is what a baseline knows a finding by: its rule and its operation, and which one of these it is. Neither its
// place nor its words count: both change when somebody works on something else.
func identity(f *Finding, seen map[string]int) string {
	key := strings.Join([]string{f.Rule, f.Operation}, "\x00")
	seen[key]++
	sum := sha256.Sum256([]byte(key + strings.Repeat("\x00", seen[key])))
	return hex.EncodeToString(sum[:8])
}

// Without leaves out the findings that a baseline has. The answers and the score stay as they are: they are about the
// document as it is.
func (r *Report) Without(baseline map[string]bool) *Report {
	kept := *r
	kept.Findings = nil
	for _, f := range r.Findings {
		if !baseline[f.ID] {
			kept.Findings = append(kept.Findings, f)
		}
	}
	return &kept
}
