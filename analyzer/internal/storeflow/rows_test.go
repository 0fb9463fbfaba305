package storeflow

import "testing"

func TestKeyEqualities(t *testing.T) {
	for condition, want := range map[string]string{
		"pk = :v": "pk", "pk=:v AND begins_with(sk, :s)": "pk", "#r = :r and sk > :s": "#r", "pk = :a AND sk = :b": "pk sk", "": "", "begins_with(pk, :p)": "",
	} {
		got := ""
		for _, column := range keyEqualities(condition) {
			if got != "" {
				got += " "
			}
			got += column
		}
		if got != want {
			t.Errorf("%q compares %q, want %q", condition, got, want)
		}
	}
}
