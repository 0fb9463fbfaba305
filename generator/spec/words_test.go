package spec

import (
	"testing"
	"time"
)

func TestNames(t *testing.T) {
	n := names{"a_2": 1}
	for _, want := range []string{"a", "a_3", "a_4"} {
		if got := n.claim("a"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := n.claim("a_3"); got != "a_3_2" {
		t.Errorf("got %s", got)
	}
	start := time.Now()
	for range 200_000 {
		n.claim("b")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("200 000 equal names take %s", took)
	}
}
