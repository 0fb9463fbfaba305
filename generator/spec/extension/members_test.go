package extension

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// samples has a value for each member of the grammar, other than its default.
var samples = map[string]string{
	"mode":                   "lease",
	"key.in":                 "query",
	"key.name":               "X-Key",
	"key.pointer":            "/id",
	"key.required":           "false",
	"key.format":             "uuid7",
	"key.minLength":          "16",
	"key.maxLength":          "64",
	"key.lengthUnit":         "bytes",
	"key.pattern":            "'^[a-z]{20}'",
	"key.syntax":             "bare",
	"key.refusePersonalData": "true",
	"key.firstSent.header":   "X-First-Sent",
	"key.firstSent.maxSkew":  "PT1M",
	"scope":                  "[principal, region]",
	"retention":              "P30D",
	"retryWindow":            "PT6H",
	"fingerprint.body":       "raw",
	"fingerprint.include":    "[/amount]",
	"fingerprint.exclude":    "[/trace]",
	"fingerprint.query":      "false",
	"fingerprint.headers":    "[Api-Version]",
	"store.statuses":         "[201, 4XX]",
	"store.headers":          "[X-Cost]",
	"store.maxBody":          "64KiB",
	"store.body":             "false",
	"replay.as":              "current",
	"replay.header":          "X-Replayed",
	"replay.value":           "'1'",
	"replay.status":          "{201: 200}",
	"inFlight.answer":        "conflict",
	"inFlight.maxWait":       "PT1S",
	"inFlight.retryAfter":    "PT9S",
	"lease.duration":         "PT1M",
	"lease.heartbeat":        "PT5S",
	"steps":                  "[reserve, charge]",
	"downstream":             "[{name: stripe, step: charge, header: X-Key, format: uuid7}]",
	"errors.shape":           "square",
	"answers.headers":        "{X-Key: '{key}'}",
	"guard":                  "[{table: payments, columns: [id]}]",
	"note":                   "text",
}

func sampleOf(path string) string {
	if sample, ok := samples[path]; ok {
		return sample
	}
	switch {
	case strings.HasSuffix(path, ".status"):
		return "418"
	case strings.HasSuffix(path, ".headers"):
		return "{X-A: b}"
	default:
		return "text"
	}
}

// nest writes a member's value at its place in the full form.
func nest(path, value string) string {
	parts := strings.Split(path, ".")
	return strings.Join(parts, ": {") + ": " + value + strings.Repeat("}", len(parts)-1)
}

// Each member of the grammar is read at each level, changes exactly what it is for, and says where it came from.
func TestGrammar_EachMember(t *testing.T) {
	base, _ := resolved(t, ResolveInput{}, "", "", "{}")
	for _, m := range grammar {
		text := nest(m.path, sampleOf(m.path))
		var first policy.Policy
		for i, level := range []policy.Level{policy.LevelDocument, policy.LevelPathItem, policy.LevelOperation} {
			layers := [3]string{"", "", "{}"}
			layers[i] = "{" + text + "}"
			op, found := resolved(t, ResolveInput{}, layers[0], layers[1], layers[2])
			for _, d := range found {
				if strings.HasPrefix(d.Rule, "unknown") || strings.HasPrefix(d.Rule, "wrong") || strings.HasPrefix(d.Rule, "bad") {
					t.Fatalf("%s: %v", text, d)
				}
			}
			origin, ok := op.Origins.Find(m.path)
			if !ok || origin.Member != m.path || origin.Level != level {
				t.Errorf("%s: origin %+v, want level %s", text, origin, level)
			}
			// Transaction mode has no lease, whatever is said of one, and clocks are not compared where no time is sent.
			without := strings.HasPrefix(m.path, "lease.") || m.path == "key.firstSent.maxSkew"
			if reflect.DeepEqual(op.Policy, base.Policy) != without {
				t.Errorf("%s at level %s changes nothing", text, level)
			}
			for g := range op.Policy.Guards {
				op.Policy.Guards[g].Pos = policy.Position{}
			}
			if i == 0 {
				first = op.Policy
			} else if !reflect.DeepEqual(op.Policy, first) {
				t.Errorf("%s at level %s gives\n%+v, at the root\n%+v", text, level, op.Policy, first)
			}
		}
	}
}

// No member takes an object where it wants a list, a list where it wants text, or nothing at all, and each says so once.
func TestGrammar_WrongTypes(t *testing.T) {
	for _, m := range grammar {
		for _, wrong := range []string{"~", "[[x]]", "{a: {b: c}}", "1.5"} {
			_, found := DecodeMembers(parse(t, nest(m.path, wrong)), at, nil, policy.LevelOperation)
			if len(found.Errors()) == 0 {
				t.Errorf("%s: %s is accepted", m.path, wrong)
			}
			for _, d := range found {
				if !d.Pos.IsValid() || d.Hint == "" && d.Rule != ruleWrongValue.ID {
					t.Errorf("%s: %s: %+v", m.path, wrong, d)
				}
			}
		}
	}
}

// A word at one level is not undone by silence at a deeper one.
func TestResolve_DeeperSilence(t *testing.T) {
	op, _ := resolved(t, ResolveInput{}, "key: {required: false}", "", "{}")
	if op.Policy.Key.Required {
		t.Error("{} on the operation undoes key.required of the root")
	}
	op, _ = resolved(t, ResolveInput{}, "key: {required: false}", "", "true")
	if !op.Policy.Key.Required {
		t.Error("true on the operation does not require the key")
	}
}

func TestResolve_ProfileOrigin(t *testing.T) {
	op, _ := resolved(t, ResolveInput{}, "profile: ietf", "profile: stripe", "{}")
	origin, ok := op.Origins.Find("profile")
	if op.Policy.Profile != "stripe" || !ok || origin.Level != policy.LevelPathItem {
		t.Errorf("profile %s from %+v", op.Policy.Profile, origin)
	}
}
