package storetest

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/runtime"
)

// tellsItsTime is for a store that is a runtime.Clock; another one has this process's clock taken for its own.
func tellsItsTime[TX any](t *testing.T, b *bench[TX]) {
	clock, ok := b.Store.(runtime.Clock)
	if !ok {
		t.Skip("the store tells no time")
	}
	before, err := clock.Now(b.context())
	if err != nil {
		t.Fatal(err)
	}
	id := testID("now")
	b.commit(b.win(b.Store, id), testRecord())
	record := b.find(b.Other, id)
	b.pass(moment)
	after, err := clock.Now(b.context())
	if err != nil {
		t.Fatal(err)
	}
	if record.CreatedAt.Before(before) || after.Sub(before) < moment || record.CreatedAt.After(after) {
		t.Errorf("%v, then a record of %v, then %v", before, record.CreatedAt, after)
	}

	ended, cancel := context.WithCancel(b.context())
	cancel()
	if _, err := clock.Now(ended); err == nil {
		t.Error("it tells the time to a context that has ended")
	}
}
