package storeflow

import "testing"

func TestStepsReadAsGoDoes(t *testing.T) {
	for _, c := range []struct {
		step Step
		want string
	}{
		{Step{"(*example.com/shop/store.Orders).Create", "orders.go:12"}, "(*store.Orders).Create (orders.go:12)"},
		{Step{"(example.com/shop/store.Orders).Create", ""}, "(store.Orders).Create"},
		{Step{"example.com/shop/store.New", "store.go:3"}, "store.New (store.go:3)"},
		{Step{"(*Orders).Create", "orders.go:12"}, "(*Orders).Create (orders.go:12)"},
		{Step{"main", ""}, "main"},
		{Step{}, ""},
	} {
		if got := c.step.String(); got != c.want {
			t.Errorf("%+v reads %q, want %q", c.step, got, c.want)
		}
	}
}
