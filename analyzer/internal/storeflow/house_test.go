package storeflow

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestSameHouse: what a job queue from elsewhere does to its own tables is none of its caller's.
func TestSameHouse(t *testing.T) {
	for _, c := range []struct {
		module, own, other string
		want               bool
	}{
		{"github.com/shop/orders", "github.com/shop/orders/api", "github.com/shop/orders/store", true},
		{"github.com/shop/orders", "github.com/shop/orders/api", "github.com/shop/orders", true},
		{"github.com/shop/orders", "github.com/shop/orders/api", "github.com/shop/ledger/store", true},
		{"github.com/shop/orders", "github.com/shop/orders/api", "github.com/queue/jobs/rows", false},
		{"github.com/shop/orders", "github.com/shop/orders/api", "github.com/shopping/orders", false},
		{"github.com/shop/orders", "github.com/shop/orders/api", "database/sql", false},
		{"orders", "orders/api", "orders/store", true},
		{"orders", "orders/api", "ordersdb/store", false},
		{"", "orders/api", "orders/store", true},
		{"", "github.com/shop/orders/api", "github.com/shop/orders/store", true},
		{"", "github.com/shop/orders/api", "github.com/queue/jobs", false},
	} {
		p := &Result{pass: &analysis.Pass{Pkg: types.NewPackage(c.own, "api")}}
		if c.module != "" {
			p.pass.Module = &analysis.Module{Path: c.module}
		}
		if got := p.sameHouse(c.other); got != c.want {
			t.Errorf("%s of %s and %s are of one house: %t", c.own, c.module, c.other, got)
		}
	}
}
