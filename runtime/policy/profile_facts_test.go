package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// unseen are members that a provider cannot document, for no client sees them, or that are words of this project's own.
func unseen(member string) bool {
	return member == "mode" || strings.HasPrefix(member, "lease.") || member == "inFlight.maxWait" || member == "store.maxBody" || member == "store.body" ||
		strings.HasPrefix(member, "errors.tooLarge.") || strings.HasPrefix(member, "errors.") && (strings.HasSuffix(member, ".type") || strings.HasSuffix(member, ".title"))
}

// Each profile says of each member that a client can see what the provider has, or why it holds no value (P1).
func TestProfiles_AreWhole_P1(t *testing.T) {
	builtin, err := policy.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		set := func(member string) bool {
			value, ok := profile.Find(member)
			return ok && value.Value != nil
		}
		for _, value := range builtin.Values {
			member := value.Member
			switch {
			case unseen(member):
				continue
			case member == "key.name" && set("key.pointer"), member == "key.syntax" && !inHeader(profile):
				continue
			case member == "replay.value" && !set("replay.header"):
				continue
			case (member == "key.firstSent.maxSkew" || strings.HasPrefix(member, "errors.expired.")) && !set("key.firstSent.header"):
				continue
			}
			if _, ok := profile.Find(member); !ok {
				t.Errorf("%s says nothing of %s: give it a value, or the basis not-found with what was read", name, member)
			}
		}
	}
}

func inHeader(profile *policy.Profile) bool {
	value, ok := profile.Find("key.in")
	return ok && string(value.Value) == `"header"`
}

// What a profile holds is what the provider documents: a few facts of each, as they were read.
func TestProfiles_Facts(t *testing.T) {
	for _, fact := range []struct{ profile, member, value string }{
		{"stripe-v2", "retention", `"P30D"`}, {"stripe-v2", "store.statuses", `["2XX"]`}, {"stripe-v2", "errors.mismatch.status", ""},
		{"adyen", "key.maxLength", "64"}, {"adyen", "errors.inFlight.code", `"704"`}, {"adyen", "errors.inFlight.headers", `{"Transient-Error": "true"}`}, {"adyen", "answers.headers", `{"Idempotency-Key": "{key}"}`},
		{"aws", "key.pointer", `"/ClientToken"`}, {"aws", "replay.as", `"current"`}, {"aws", "errors.mismatch.code", `"IdempotentParameterMismatch"`}, {"aws", "retention", ""},
		{"paypal", "key.name", `"PayPal-Request-Id"`}, {"paypal", "replay.status", `{"201": 200}`}, {"paypal", "replay.as", `"current"`}, {"paypal", "errors.mismatch.code", `"DUPLICATE_REQUEST_ID"`},
		{"square", "key.maxLength", "45"}, {"square", "key.lengthUnit", `"bytes"`}, {"square", "errors.mismatch.code", `"IDEMPOTENCY_KEY_REUSED"`}, {"square", "retention", ""},
		{"repeatability", "key.firstSent.header", `"Repeatability-First-Sent"`}, {"repeatability", "errors.expired.status", "412"}, {"repeatability", "retention", `"PT5M"`}, {"repeatability", "answers.headers", `{"Repeatability-Result": "accepted"}`},
		{"aip-155", "key.pointer", `"/requestId"`}, {"aip-155", "key.maxLength", "36"}, {"aip-155", "key.required", "false"},
		{"dwolla", "retention", `"PT24H"`}, {"dwolla", "errors.inFlight.status", "409"}, {"plaid", "retention", `"PT48H"`}, {"plaid", "key.maxLength", "50"},
		{"modern-treasury", "scope", `["account"]`}, {"modern-treasury", "fingerprint.body", `"none"`}, {"increase", "errors.mismatch.type", `"idempotency_key_already_used_error"`}, {"increase", "key.maxLength", "200"},
		{"lithic", "key.format", `"uuid"`}, {"gocardless", "replay.status", `{"200": 409, "201": 409}`}, {"checkout", "store.statuses", `["2XX"]`}, {"checkout", "inFlight.retryAfter", `"PT30S"`},
		{"obie", "key.pattern", `"^\\S(.*\\S)?$"`}, {"obie", "key.maxLength", "40"}, {"iceberg", "key.format", `"uuid7"`}, {"iceberg", "store.statuses", `["200", "201", "204", "4XX"]`},
		{"twilio", "key.in", `"form"`}, {"mercury", "replay.status", `{"200": 409, "201": 409}`},
	} {
		profile, err := policy.LoadProfile(fact.profile)
		if err != nil {
			t.Error(err)
			continue
		}
		if value, ok := profile.Find(fact.member); !ok || string(value.Value) != fact.value {
			t.Errorf("%s: %s is %s, want %s", fact.profile, fact.member, value.Value, fact.value)
		}
	}
}

// A value that only a third party gives is marked so, and none is given where nothing was found.
func TestProfiles_Bases(t *testing.T) {
	profile, err := policy.LoadProfile("adyen")
	if err != nil {
		t.Fatal(err)
	}
	third := []string{"retention", "errors.inFlight.status", "errors.inFlight.code", "errors.unavailable.status"}
	for _, value := range profile.Values {
		if slices.Contains(third, value.Member) != (value.Basis == policy.ThirdParty) && value.Member != "inFlight.answer" && value.Member != "errors.inFlight.headers" {
			t.Errorf("%s has the basis %s", value.Member, value.Basis)
		}
	}
}

// What one service of a provider documents is no word of another one's: the profile says so by its basis.
func TestProfiles_BorrowedValuesAreNotPublished(t *testing.T) {
	profile, err := policy.LoadProfile("aws")
	if err != nil {
		t.Fatal(err)
	}
	if value, _ := profile.Find("errors.mismatch.status"); value.Basis != policy.ProjectChoice {
		t.Errorf("the status of EC2's mismatch has the basis %s, and its source names another service: %s", value.Basis, value.Source)
	}
}

// A source is something that a reader can look up.
func TestProfiles_SourcesAreForReaders(t *testing.T) {
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range profile.Values {
			if strings.Contains(value.Source, "earlier table") {
				t.Errorf("%s: the source of %s is nowhere to be read: %s", name, value.Member, value.Source)
			}
		}
	}
}
