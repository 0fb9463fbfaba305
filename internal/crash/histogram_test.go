//go:build unix

package crash

import (
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h histogram
	if got := h.quantile(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	h.add(0)
	h.add(100 * time.Hour)
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond} {
		if got := h.quantile(q); got < want*97/100 || got > want*103/100 {
			t.Errorf("quantile %v is %v, want about %v", q, got, want)
		}
	}
	if h.count() != 1002 {
		t.Errorf("count %d", h.count())
	}
}
