package extension

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"PT24H":          day,
		"P1D":            day,
		"P30D":           30 * day,
		"P7D":            7 * day,
		"P1W":            7 * day,
		"P1DT12H30M15S":  36*time.Hour + 30*time.Minute + 15*time.Second,
		"PT0.1S":         100 * time.Millisecond,
		"PT0,25S":        250 * time.Millisecond,
		"PT1.5H":         90 * time.Minute,
		"pt5m":           5 * time.Minute,
		"24h":            day,
		"1h30m":          90 * time.Minute,
		"500ms":          500 * time.Millisecond,
		"PT0S":           0,
		"PT2562047H47M":  2562047*time.Hour + 47*time.Minute,
		"PT0.000000001S": 1,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        "is empty",
		"P":                       "has no number",
		"PT":                      "has no number",
		"P1DT":                    "has no number",
		"P1Y":                     "ambiguous",
		"P1M":                     "ambiguous",
		"P1Y2M":                   "ambiguous",
		"-PT1H":                   "negative",
		"PT-1H":                   "is not ISO 8601",
		"-1h":                     "negative",
		"3600":                    "has no unit",
		"30d":                     "write P30D",
		"1 day":                   "neither",
		"PT1H1H":                  "is not ISO 8601",
		"PT1M1H":                  "is not ISO 8601",
		"P1H":                     "is not ISO 8601",
		"PT1D":                    "is not ISO 8601",
		"PTH":                     "is not ISO 8601",
		"PT1":                     "is not ISO 8601",
		"PT.5S":                   "is not ISO 8601",
		"PT1.S":                   "is not ISO 8601",
		"PT1.2.3S":                "is not ISO 8601",
		"PT0.0000000001S":         "finer",
		"PT2562048H":              "too long",
		"P99999999999999999999D":  "too long",
		"P106751DT24H":            "too long",
		"PT1H\x00":                "is not ISO 8601",
		"P1T":                     "has no number",
		"forever":                 "neither",
		strings.Repeat("9", 5000): "has no unit",
	} {
		if got, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

// What ISO 8601 writes in hours, minutes and seconds is what Go reads from its own form.
func TestParseDuration_ISOEqualsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, int64(100*365*24*time.Hour)).Draw(t, "ns"))
		iso := "PT" + strings.ToUpper(d.String())
		if d < time.Second {
			t.Skip("Go writes these in ms, µs and ns")
		}
		got, err := parseDuration(iso)
		if err != nil || got != d {
			t.Fatalf("%s: got %v, %v, want %v", iso, got, err, d)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"PT24H", "P30D", "1h30m", "P1DT0.5S", "-1h", "P1W1D"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseDuration(text); err == nil && d < 0 {
			t.Errorf("%q: %v is negative", text, d)
		}
	})
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"65536": 65536, "64KiB": 65536, "1MiB": 1 << 20, "1 MiB": 1 << 20, "1GiB": 1 << 30, "0": 0} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1MB", "1.5MiB", "-1", "1e6", "KiB", "0x10", "99999999999999999999", "9223372036854775807KiB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%s: got %d, want an error", text, got)
		}
	}
}

func TestCheckPointer(t *testing.T) {
	for _, good := range []string{"/a", "/a/0/b", "/", "/a~0b~1c", "/é"} {
		if err := checkPointer(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a", "#/a", "$.a", "/a~", "/a~2", "/\x00", "/\xff"} {
		if checkPointer(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(?!\s)(.*)(\S)$`: "negative lookahead", // OBIE, contracts.md fact 10
		`(?=a)`:            "lookahead",
		`(?<=a)b`:          "lookbehind",
		`(?<!a)b`:          "negative lookbehind",
		`(?>a)`:            "atomic group",
		`(a)\1`:            "backreference",
		`a++`:              "possessive",
		`\u0041`:           `\u escape`,
		`a{1001}`:          "1000 times",
		`(a`:               "missing closing",
		`[z-a]`:            "invalid character class range",
	} {
		err := checkPattern(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", pattern, err, want)
		}
	}
	for _, pattern := range []string{`^[A-Za-z0-9_-]+$`, `^.*$`, ``, `(?i)^x$`, `(?<name>a)`} {
		if err := checkPattern(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestCheckIdentifier(t *testing.T) {
	for _, good := range []string{"payments", "_x", "Account_2", strings.Repeat("a", 63)} {
		if err := checkIdentifier(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "2x", "a-b", "a b", `a"b`, "a;b", "é", "a\x00", strings.Repeat("a", 64)} {
		if checkIdentifier(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestKeyBits(t *testing.T) {
	for _, test := range []struct {
		pattern   string
		maxLength int
		enough    bool
	}{
		{"", 255, true},
		{"", 36, true},
		{"", 10, false},
		{"^[0-9]{10}$", 255, false},
		{"^[0-9]{30}$", 255, true},
		{"[0-9]{3}", 255, true}, // not anchored: anything may stand around it
		{"^[A-Za-z0-9_-]+$", 255, true},
		{"^order-[0-9]{1,8}$", 64, false},
		{"^(a|b|c)$", 64, false},
		{"^.*$", 40, true},
		{"^x*$", 255, false},
		{"^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$", 36, true},
	} {
		bits := keyBits(policy.Key{MaxLength: test.maxLength, Pattern: test.pattern})
		if (bits >= minKeyBits) != test.enough {
			t.Errorf("%q up to %d: %.0f bits", test.pattern, test.maxLength, bits)
		}
	}
}

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour: "1h", 90 * time.Minute: "1h30m", time.Minute: "1m", 10 * time.Hour: "10h", 20 * time.Second: "20s", 61 * time.Second: "1m1s", 24*time.Hour + time.Second: "24h0m1s",
	} {
		if got := human(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}
