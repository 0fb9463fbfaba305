package runtime

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// S1: what a scope was made of can be read from it, whatever its parts hold.
func TestParseScope_S1_ReadsWhatScopeWrites(t *testing.T) {
	long := strings.Repeat("x", maxScopePart+1)
	for _, c := range []struct {
		principal, region, tenant string
	}{
		{"acct_0001", "eu", "t1"},
		{"p4:o3:x", "n", ":"},
		{"\x1b[2J\x00\xff", "eu", long},
		{long, "eu", ""},
	} {
		op := &Operation{ID: "createPayment"}
		op.Policy.Scope = []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation, policy.ScopeRegion, "header:X-Tenant"}
		p := &plan{op: op, settings: &settings{region: c.region}}
		r := &http.Request{Header: http.Header{}}
		if c.tenant != "" {
			r.Header.Set("X-Tenant", c.tenant)
		}
		text, problem := p.scope(r, c.principal)
		if problem != nil {
			t.Fatal(problem)
		}
		got, ok := ParseScope(text)
		if !ok || len(got) != 4 || !strings.HasPrefix(text, PrincipalScope(c.principal)) {
			t.Fatalf("%q: %+v, %t", text, got, ok)
		}
		want := []ScopeValue{{Kind: "principal", Value: c.principal}, {Kind: "operation", Value: "createPayment"}, {Kind: "region", Value: c.region}, {Kind: "header", Value: c.tenant}}
		for i, part := range want {
			switch {
			case len(part.Value) > maxScopePart:
				if !got[i].Hashed || len(got[i].Value) != 64 {
					t.Errorf("%q: %+v", text, got[i])
				}
				continue
			case part.Value == "":
				part.Absent = true
			}
			if !reflect.DeepEqual(got[i], part) {
				t.Errorf("%q: %+v, want %+v", text, got[i], part)
			}
		}
	}
	for _, text := range []string{"", "9:acct_0001,13:createPayment", "p9:acct", "p-1:", "p09:acct_0001", "p1x", "q1:x", "\x00", "p99999999999999999999:x"} {
		if got, ok := ParseScope(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
