package policy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestProfileNames(t *testing.T) {
	names := policy.ProfileNames()
	if !slices.Contains(names, "ietf") || !slices.Contains(names, "stripe") || slices.Contains(names, "builtin") || !slices.IsSorted(names) {
		t.Errorf("got %v", names)
	}
	if !slices.Contains(names, policy.DefaultProfile) {
		t.Errorf("the default profile %s is not among %v", policy.DefaultProfile, names)
	}
}

// Each value of each profile has its source and the month it was read in; what was not found has no value.
func TestLoadProfile(t *testing.T) {
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if profile.Name != name || profile.Title == "" || !strings.HasPrefix(profile.URL, "https://") || len(profile.Values) == 0 {
			t.Errorf("%s: %+v", name, profile)
		}
		for _, value := range profile.Values {
			if value.Source == "" || len(value.Read) != len("2026-11") || (value.Value == nil) != (value.Basis == policy.NotFound) {
				t.Errorf("%s: %+v", name, value)
			}
		}
	}
}

func TestLoadProfile_Unknown(t *testing.T) {
	for _, name := range []string{"nobody", "", "builtin", "../profiles/ietf", "ietf.json"} {
		_, err := policy.LoadProfile(name)
		if !errors.Is(err, policy.ErrUnknownProfile) || !strings.Contains(err.Error(), "stripe, stripe-v2") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestProfile_Find(t *testing.T) {
	stripe, err := policy.LoadProfile("stripe")
	if err != nil {
		t.Fatal(err)
	}
	if value, ok := stripe.Find("inFlight.retryAfter"); !ok || value.Documented() || value.Value != nil {
		t.Errorf("got %+v", value)
	}
	if _, ok := stripe.Find("note"); ok {
		t.Error("a profile without a note has one")
	}
}

func ExampleLoadProfile() {
	stripe, err := policy.LoadProfile("stripe")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, member := range []string{"retention", "errors.inFlight.code", "inFlight.retryAfter"} {
		value, _ := stripe.Find(member)
		if !value.Documented() {
			fmt.Println(member, "is not documented by the provider")
			continue
		}
		fmt.Printf("%s %s (%s)\n", member, value.Value, value.Basis)
	}
	// Output:
	// retention "PT24H" (published)
	// errors.inFlight.code "idempotency_key_in_use" (third-party)
	// inFlight.retryAfter is not documented by the provider
}
