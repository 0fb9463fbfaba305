package settings

import "slices"

// Confidence is how sure a finding is.
type Confidence string

// Low: names only, a body was not in view. Medium: the flow was followed but rests on one assumption that the message names. High: every step was seen.
const (
	Low    Confidence = "low"
	Medium Confidence = "medium"
	High   Confidence = "high"
)

var confidences = []Confidence{Low, Medium, High}

// Known reports whether c is one of the three.
func (c Confidence) Known() bool { return slices.Contains(confidences, c) }

// AtLeast reports whether c is as sure as least; an empty least is [Medium].
func (c Confidence) AtLeast(least Confidence) bool {
	if least == "" {
		least = Medium
	}
	return slices.Index(confidences, c) >= slices.Index(confidences, least)
}
