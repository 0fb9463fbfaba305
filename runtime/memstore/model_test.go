package memstore_test

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/storetest/modeltest"
)

func TestStore_I1_I6_I7_IsAsTheModelSays(t *testing.T) {
	modeltest.Check(t, open)
}
