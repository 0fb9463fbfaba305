package pgstore_test

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/storetest"
)

// TestLeases runs the suite of lease mode: both strategies of transaction mode beside it, under every isolation level.
func TestLeases(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) { storetest.RunLeases(t, suite(t, database(t), nil, v.options()...)) })
	}
}
