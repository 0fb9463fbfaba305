package policy

import "testing"

func TestSameTable(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"payments", "payments", true}, {"Payments", "payments", true}, {"public.payments", "payments", true}, {"payments", "billing.Payments", true},
		{"public.payments", "billing.payments", false}, {"payments", "payment", false}, {"", "a", false},
	} {
		if got := SameTable(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %v", test.a, test.b, got)
		}
	}
}
