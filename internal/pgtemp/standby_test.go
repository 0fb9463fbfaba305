package pgtemp

import (
	"context"
	"testing"
	"time"
)

func TestStandby_FollowsAndIsPromoted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	primary := begin(t, Options{})
	standby, err := primary.Standby(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Stop)
	if got := query(t, standby.URL, "SELECT pg_is_in_recovery()::text"); got != "true" {
		t.Fatalf("in recovery: %s", got)
	}
	query(t, primary.URL, "WITH made AS (SELECT lo_create(4711)) SELECT 'made' FROM made")
	for query(t, standby.URL, "SELECT count(*)::text FROM pg_largeobject_metadata") != "1" {
		if ctx.Err() != nil {
			t.Fatal("the standby does not follow")
		}
		time.Sleep(10 * time.Millisecond)
	}
	primary.Stop()
	if got := query(t, standby.URL, "SELECT pg_promote()::text"); got != "true" {
		t.Fatalf("promoted: %s", got)
	}
	if got := query(t, standby.URL, "SELECT pg_is_in_recovery()::text"); got != "false" {
		t.Errorf("in recovery after the promotion: %s", got)
	}
}
