package runtime

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// The values stand here so that they never change: another one would be a second call to the other side.
func TestDerive_A3_KeysNeverChange(t *testing.T) {
	secrets := map[string][]byte{"2026": []byte("0123456789abcdef"), "2027": []byte("fedcba9876543210")}
	s := defaults()
	if err := WithDownstreamSecrets("2026", secrets)(&s); err != nil {
		t.Fatal(err)
	}
	id := ID{Scope: "p6:acct_1o12:createPayout", Key: "k"}
	for _, c := range []struct {
		id                            ID
		operation, secret, step, name string
		format                        policy.Format
		want                          string
	}{
		{id, "createPayout", "", "transfer", "bank", policy.UUID5, "94b73b47-0012-5181-af9a-78e287fab137"},
		{id, "createPayout", "", "transfer", "bank", policy.AnyFormat, "94b73b47-0012-5181-af9a-78e287fab137"},
		{id, "createPayout", "", "transfer", "bank", "", "94b73b47-0012-5181-af9a-78e287fab137"},
		{id, "createPayout", "", "transfer", "bank", policy.UUID4, "94b73b47-0012-4181-af9a-78e287fab137"},
		{id, "createPayout", "", "transfer", "bank", policy.UUID7, "94b73b47-0012-7181-af9a-78e287fab137"},
		{id, "createPayout", "2026", "transfer", "bank", policy.UUID5, "1962a59f-2e54-53b1-825d-540739cd6c81"},
		{id, "createPayout", "2027", "transfer", "bank", policy.UUID, "9dab90be-caa7-5d06-a33a-f4a58667882c"},
		{id, "createPayout", "", "transfer", "mail", policy.UUID5, "17cdc787-f4ad-5899-9928-c220edf83aa2"},
		{id, "createPayout", "", "transferb", "ank", policy.UUID5, "3b9be358-e6b3-5f52-b849-9e1648a791cd"},
		{id, "createRefund", "", "transfer", "bank", policy.UUID5, "f8283e98-2d2b-52a1-b8e1-766553fd50b6"},
		{ID{Scope: "p6:acct_2o12:createPayout", Key: "k"}, "createPayout", "", "transfer", "bank", policy.UUID5, "e066adb4-172d-5998-ba0d-7800db69863f"},
		{ID{Scope: "p6:acct_1o12:createPayoutk", Key: ""}, "createPayout", "", "transfer", "bank", policy.UUID5, "68fb43f8-75c6-5fb0-ae3a-b5e18ed106aa"},
	} {
		d, err := s.derivation(c.id, c.operation, c.secret)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.key(c.step, c.name, c.format); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}

// Each part counts for itself, and a key is of the version that is asked for.
func TestDerive_A3_KeysDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []ID{{"s", "k"}, {"sk", ""}, {"", "sk"}, {"s", "l"}} {
		for _, secret := range []string{"", "0123456789abcdef", "0123456789abcdeg"} {
			for _, part := range []string{"o|s|n", "os||n", "|os|n", "o|sn|", "o|s|m"} {
				parts := strings.Split(part, "|")
				d := derivation{id: id, operation: parts[0]}
				if secret != "" {
					d.secret = []byte(secret)
				}
				what := id.Scope + "/" + id.Key + " " + secret + " " + part
				key := d.key(parts[1], parts[2], policy.UUID5)
				if other := seen[key]; other != "" {
					t.Errorf("%s and %s have one key", other, what)
				}
				seen[key] = what
			}
		}
	}
	d := derivation{}
	for format, version := range map[policy.Format]int{policy.UUID: 5, policy.UUID4: 4, policy.UUID5: 5, policy.UUID7: 7, policy.AnyFormat: 5} {
		if got := uuidVersion(d.key("s", "n", format)); got != version {
			t.Errorf("%s: version %d", format, got)
		}
	}
}

func TestWithDownstreamSecrets(t *testing.T) {
	long := []byte("0123456789abcdef")
	for name, option := range map[string]Option{
		"no current":      WithDownstreamSecrets("", map[string][]byte{"": long}),
		"unknown current": WithDownstreamSecrets("b", map[string][]byte{"a": long}),
		"nil":             WithDownstreamSecrets("a", nil),
		"short":           WithDownstreamSecrets("a", map[string][]byte{"a": long, "b": long[:15]}),
	} {
		s := defaults()
		err := option(&s)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "0123") {
			t.Errorf("the error tells a secret: %v", err)
		}
	}
	s := defaults()
	if _, err := s.derivation(ID{}, "", "gone"); err == nil {
		t.Error("a secret that is gone is derived with all the same")
	}
}
